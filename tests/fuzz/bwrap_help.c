/* Any bytes as bwrap --help: every option found begins with two dashes and is found again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/bwrap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_bwrap bwrap = { .setuid = false };
    struct cf_error err;
    if (cf_bwrap_parse((const char *)data, size, &bwrap, &err) == 0)
        for (size_t at = 0; at < bwrap.option_count; at++)
            if (strncmp(bwrap.options[at], "--", 2) != 0 ||
                !cf_bwrap_has(&bwrap, bwrap.options[at]))
                abort();
    cf_bwrap_free(&bwrap);
    return 0;
}
