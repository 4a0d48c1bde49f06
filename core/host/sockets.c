/* The list of sockets itself, and the choice between the kernel's two ways to tell it. */
#include "host/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/fds.h"

/* About 100 bytes a row: room for some ten million sockets. */
#define TABLE_MAX ((size_t)1 << 30)

void cf_sockets_free(struct cf_sockets *sockets)
{
    free(sockets->items);
    cf_bytes_free(&sockets->names);
    *sockets = (struct cf_sockets){ .len = 0 };
}

const char *cf_socket_name(const struct cf_sockets *sockets, const struct cf_socket *socket)
{
    return sockets->names.data + socket->name_at;
}

int cf_sockets_add(struct cf_sockets *to, struct cf_socket socket, const char *name,
                   size_t name_len, struct cf_error *err)
{
    if (name_len > CF_SOCKET_NAME_MAX || to->names.len > UINT32_MAX - name_len)
        return cf_fail(err, EOVERFLOW, "add a socket of %zu name bytes", name_len);
    void *items = cf_array_grow(to->items, &to->cap, to->len + 1, sizeof *to->items, err);
    if (items == NULL)
        return -1;
    to->items = items;
    socket.name_at = (uint32_t)to->names.len;
    socket.name_len = (uint16_t)name_len;
    if (cf_bytes_append(&to->names, name, name_len, err) < 0)
        return -1;
    to->items[to->len++] = socket;
    return 0;
}

static bool can_be_reached(const struct cf_socket *socket)
{
    if (socket->type == SOCK_DGRAM)
        return socket->naming != CF_SOCKET_UNNAMED;
    return socket->state == CF_SOCKET_LISTENING;
}

static void keep_reachable(struct cf_sockets *sockets)
{
    size_t kept = 0;
    for (size_t at = 0; at < sockets->len; at++)
        if (can_be_reached(&sockets->items[at]))
            sockets->items[kept++] = sockets->items[at];
    sockets->len = kept;
}

static int read_table(const char *file, struct cf_sockets *to, struct cf_error *err)
{
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, file, TABLE_MAX, &text, err) < 0)
        return -1;
    return cf_sockets_parse(text.data, text.len, to, err);
}

int cf_sockets_list(const struct cf_sockets_ask *ask, struct cf_sockets *to,
                    enum cf_sockets_source *used, struct cf_error *err)
{
    struct cf_error refused = { 0, "" };
    if (ask->source != CF_SOCKETS_PROC && ask->file == NULL) {
        if (cf_sockets_dump_diag(UINT32_MAX, ask->peers, to, &refused) == 0) {
            *used = CF_SOCKETS_NETLINK;
            if (ask->listening)
                keep_reachable(to);
            return 0;
        }
        cf_sockets_free(to);
        if (ask->source == CF_SOCKETS_NETLINK)
            return cf_fail(err, refused.number, "%s", refused.message);
    }

    *used = CF_SOCKETS_PROC;
    const char *file = ask->file != NULL ? ask->file : "/proc/net/unix";
    struct cf_error unread = { 0, "" };
    if (read_table(file, to, &unread) < 0) {
        if (refused.number != 0)
            return cf_fail(err, unread.number, "%s; %s", refused.message, unread.message);
        if (err != NULL)
            *err = unread;
        return -1;
    }
    if (ask->listening)
        keep_reachable(to);
    return 0;
}
