/* Bytes of any kind on bwrap's status pipe, in two pieces: only sound values come out. */
#include <stdint.h>
#include <stdlib.h>

#include "launch/bwrap_status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_bwrap_status told = CF_BWRAP_STATUS_EMPTY;
    size_t cut = size > 0 ? data[0] % size : 0;
    cf_bwrap_status_feed(&told, (const char *)data, cut);
    cf_bwrap_status_feed(&told, (const char *)data + cut, size - cut);
    if (told.child_pid == 1 || told.child_pid < 0 || told.child_pid > 1 << 22 ||
        told.exit_code < -1 || told.exit_code > 255)
        abort();
    return 0;
}
