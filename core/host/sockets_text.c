/* Reads the text of /proc/net/unix as bytes: names there may hold spaces and newlines. */
#include "host/sockets.h"

#include <string.h>
#include <sys/socket.h>

#define LISTENING_FLAG 0x10000 /* __SO_ACCEPTCON */

/* The row's columns, of which the name is what is left. */
struct row {
    struct cf_socket socket;
    const char *name;
    size_t name_len;
};

/* Moves *at over exactly `digits` upper-case hexadecimal digits and a space. */
static bool take_hex(const char **at, const char *end, int digits, uint32_t *value)
{
    *value = 0;
    for (int count = 0; count < digits; count++, (*at)++) {
        if (*at == end)
            return false;
        char c = **at;
        if (c >= '0' && c <= '9')
            *value = *value << 4 | (uint32_t)(c - '0');
        else if (c >= 'A' && c <= 'F')
            *value = *value << 4 | (uint32_t)(c - 'A' + 10);
        else
            return false;
    }
    if (*at == end || **at != ' ')
        return false;
    (*at)++;
    return true;
}

/* The inode is padded to five columns with spaces. */
static bool take_inode(const char **at, const char *end, uint64_t *value)
{
    while (*at < end && **at == ' ')
        (*at)++;
    const char *start = *at;
    *value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(**at - '0'), value))
            return false;
    return *at > start;
}

/* The address column is hashed, zero or "(____ptrval____)": any word that ends in a colon. */
static bool take_address(const char **at, const char *end)
{
    const char *space = memchr(*at, ' ', (size_t)(end - *at));
    if (space == NULL || space - *at < 2 || space[-1] != ':')
        return false;
    *at = space + 1;
    return true;
}

static uint8_t state_of(uint32_t flags, uint32_t state)
{
    if ((flags & LISTENING_FLAG) != 0)
        return CF_SOCKET_LISTENING;
    /* SS_CONNECTING is a connection in a backlog, which no process holds yet. */
    return state == 3   ? CF_SOCKET_CONNECTED
           : state == 2 ? CF_SOCKET_CONNECTING
                        : CF_SOCKET_UNCONNECTED;
}

static bool read_row(const char *at, const char *end, struct row *row)
{
    uint32_t refs, protocol, flags, type, state;
    uint64_t inode;
    if (!take_address(&at, end) || !take_hex(&at, end, 8, &refs) ||
        !take_hex(&at, end, 8, &protocol) || !take_hex(&at, end, 8, &flags) ||
        !take_hex(&at, end, 4, &type) || !take_hex(&at, end, 2, &state) ||
        !take_inode(&at, end, &inode))
        return false;
    if (type != SOCK_STREAM && type != SOCK_DGRAM && type != SOCK_SEQPACKET)
        return false;
    row->socket = (struct cf_socket){ .inode = inode,
                                      .type = (uint8_t)type,
                                      .state = state_of(flags, state) };
    row->name = "";
    row->name_len = 0;
    if (at == end)
        return true;
    if (*at++ != ' ' || at == end)
        return false;
    bool abstract = *at == '@';
    row->socket.naming = abstract ? CF_SOCKET_ABSTRACT : CF_SOCKET_PATH;
    row->name = at + abstract;
    row->name_len = (size_t)(end - row->name);
    return row->name_len <= CF_SOCKET_NAME_MAX && memchr(at, '\0', row->name_len) == NULL;
}

/* Whether the line can be what followed a newline in the name of the last socket. */
static int join_name(struct cf_sockets *to, const char *line, size_t len, bool *joined,
                     struct cf_error *err)
{
    struct cf_socket *last = &to->items[to->len - 1];
    *joined = last->naming != CF_SOCKET_UNNAMED && len < CF_SOCKET_NAME_MAX &&
              last->name_len + len + 1 <= CF_SOCKET_NAME_MAX && memchr(line, '\0', len) == NULL;
    if (!*joined)
        return 0;
    if (cf_bytes_append(&to->names, "\n", 1, err) < 0 ||
        cf_bytes_append(&to->names, line, len, err) < 0)
        return -1;
    last->name_len = (uint16_t)(last->name_len + len + 1);
    return 0;
}

int cf_sockets_parse(const char *text, size_t len, struct cf_sockets *to, struct cf_error *err)
{
    const char *at = text;
    const char *end = text + len;
    bool row_above = false;
    bool first = true;
    for (; at < end; first = false) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            to->unreadable++;
            return 0;
        }
        const char *line = at;
        size_t line_len = (size_t)(stop - line);
        at = stop + 1;
        if (first && line_len >= 4 && memcmp(line, "Num ", 4) == 0)
            continue;
        struct row row;
        if (read_row(line, stop, &row)) {
            if (cf_sockets_add(to, row.socket, row.name, row.name_len, err) < 0)
                return -1;
            row_above = true;
            continue;
        }
        if (row_above && join_name(to, line, line_len, &row_above, err) < 0)
            return -1;
        if (!row_above)
            to->unreadable++;
    }
    return 0;
}
