/* The AF_UNIX sockets of this network namespace: what they are bound to and who made them. */
#ifndef CF_HOST_SOCKETS_H
#define CF_HOST_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

enum cf_socket_state {
    CF_SOCKET_UNCONNECTED,
    CF_SOCKET_LISTENING,
    CF_SOCKET_CONNECTED,
    CF_SOCKET_CONNECTING,
};

enum cf_socket_naming {
    CF_SOCKET_UNNAMED,
    CF_SOCKET_PATH,     /* as given to bind(2): may be relative to a folder nobody recorded */
    CF_SOCKET_ABSTRACT, /* without the leading NUL; may hold NULs, may be empty */
};

struct cf_socket {
    uint64_t inode; /* of the socket itself, as in /proc/PID/fd: "socket:[inode]" */
    uint64_t peer;  /* inode of the other end, 0 when unknown or not asked for */
    uint64_t ino;   /* bound file, when has_file: the low 32 bits, the kernel gives no more */
    dev_t dev;      /* bound file's file system as stat(2) has it, when has_file */
    uid_t uid;      /* who made it, when has_uid */
    uint32_t name_at;
    uint16_t name_len;
    uint8_t type; /* SOCK_STREAM, SOCK_DGRAM or SOCK_SEQPACKET */
    uint8_t state;
    uint8_t naming;
    bool has_file;
    bool has_uid;
};

/* Names lie together in one buffer, so that 100,000 sockets are two allocations that grow. */
struct cf_sockets {
    struct cf_socket *items;
    size_t len;
    size_t cap;
    struct cf_bytes names;
    size_t unreadable; /* lines or messages of the source that could not be read */
};

enum cf_sockets_source { CF_SOCKETS_AUTO, CF_SOCKETS_NETLINK, CF_SOCKETS_PROC };

struct cf_sockets_ask {
    enum cf_sockets_source source;
    const char *file; /* a file in the form of /proc/net/unix to read instead, or NULL */
    bool listening;   /* only what can be connected or sent to */
    bool peers;       /* fill in `peer`: netlink only */
};

/*
 * Fills *to, which must be empty, and *used with the source that answered. AUTO asks netlink
 * and reads /proc/net/unix where that fails; the error then tells both reasons. "Listening"
 * means listening stream and seqpacket sockets and named datagram sockets.
 *
 * What neither source can tell: sockets of other network namespaces, though a path reaches
 * them too; and a dump of a table that changes meanwhile may miss an entry.
 * Facts: sock_diag(7), unix(7), net/unix/diag.c.
 */
int cf_sockets_list(const struct cf_sockets_ask *ask, struct cf_sockets *to,
                    enum cf_sockets_source *used, struct cf_error *err);

/*
 * Appends the rows of a /proc/net/unix text. A line that is no row is the rest of the name
 * above it, which had a newline in it, when the two together are a possible name; otherwise it
 * is counted in to->unreadable, as is a last line without its newline: the table was cut off.
 *
 * Lossy, because the text is: a NUL within an abstract name is printed as '@'; a relative path
 * that begins with '@' looks abstract; a name may forge a row behind a newline of its own.
 * There is no uid, device or inode of the bound file. Netlink has none of these faults.
 */
int cf_sockets_parse(const char *text, size_t len, struct cf_sockets *to, struct cf_error *err);

/*
 * Appends the sockets of one datagram of NETLINK_SOCK_DIAG messages. Returns 1 when the dump
 * is complete, 0 when more must come, -1 with the kernel's or EBADMSG's error.
 */
int cf_sockets_parse_diag(const void *data, size_t len, struct cf_sockets *to,
                          struct cf_error *err);

/* Appends all sockets in the states of the mask (1 << TCP_LISTEN, ...) by netlink. */
int cf_sockets_dump_diag(uint32_t states, bool peers, struct cf_sockets *to,
                         struct cf_error *err);

/*
 * Appends one socket, copying its name of the given kind. The name must be at most
 * CF_SOCKET_NAME_MAX bytes.
 */
#define CF_SOCKET_NAME_MAX 108
int cf_sockets_add(struct cf_sockets *to, struct cf_socket socket, const char *name,
                   size_t name_len, struct cf_error *err);

/* The name's bytes, valid until the next addition; not ended by a NUL. */
const char *cf_socket_name(const struct cf_sockets *sockets, const struct cf_socket *socket);

void cf_sockets_free(struct cf_sockets *sockets);

#endif
