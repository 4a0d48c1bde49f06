/* Any bytes as mountinfo: every mount has an absolute path and all its texts. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/mounts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_mounts mounts = { .len = 0 };
    struct cf_error err;
    size_t total = 0;
    if (cf_mounts_parse((const char *)data, size, &mounts, &err) == 0)
        for (size_t at = 0; at < mounts.len; at++) {
            const struct cf_mount *mount = &mounts.items[at];
            total += strlen(mount->root) + strlen(mount->path) + strlen(mount->options) +
                     strlen(mount->optional) + strlen(mount->fstype) + strlen(mount->source) +
                     strlen(mount->super);
            if (mount->path[0] != '/')
                abort();
        }
    if (total > size)
        abort();
    cf_mounts_free(&mounts);
    return 0;
}
