/* A pattern and a name, split at the first newline: what is no pattern matches what it says. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *pattern = (const char *)data;
    const char *split = size == 0 ? NULL : memchr(data, '\n', size);
    size_t len = split == NULL ? size : (size_t)(split - pattern);
    const char *name = split == NULL ? pattern + size : split + 1;
    size_t name_len = size - (size_t)(name - pattern);
    if (size == 0)
        return 0;
    cf_glob_match(pattern, len, name, name_len);
    char *plain = malloc(len + 1);
    if (plain == NULL)
        return 0;
    size_t plain_len = cf_glob_plain(pattern, len, plain);
    if (!cf_glob_is_pattern(pattern, len) && !cf_glob_match(pattern, len, plain, plain_len))
        abort();
    free(plain);
    return 0;
}
