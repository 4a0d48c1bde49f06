/* Any bytes as /proc/net/unix: each socket's name lies within what was read. */
#include <stdint.h>
#include <stdlib.h>

#include "host/sockets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cf_sockets sockets = { .len = 0 };
    struct cf_error err;
    if (cf_sockets_parse((const char *)data, size, &sockets, &err) == 0)
        for (size_t at = 0; at < sockets.len; at++) {
            const struct cf_socket *socket = &sockets.items[at];
            if (socket->name_len > CF_SOCKET_NAME_MAX ||
                (size_t)socket->name_at + socket->name_len > sockets.names.len)
                abort();
        }
    cf_sockets_free(&sockets);
    return 0;
}
