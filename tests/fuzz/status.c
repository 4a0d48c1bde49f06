/* Any bytes as /proc/PID/status: every field has as many numbers as its kind says. */
#include <stdint.h>
#include <stdlib.h>

#include "host/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_status status = { .len = 0 };
    struct cf_error err;
    if (cf_status_parse((const char *)data, size, &status, &err) == 0)
        for (size_t at = 0; at < status.len; at++) {
            const struct cf_status_field *field = &status.items[at];
            if (field->text == NULL || field->name[0] == '\0' ||
                (field->kind == CF_STATUS_IDS && field->count != 4) ||
                (field->kind == CF_STATUS_MASK && field->count != 1) ||
                (field->kind == CF_STATUS_NUMBER && field->count != 1))
                abort();
        }
    cf_status_free(&status);
    return 0;
}
