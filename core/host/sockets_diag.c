/* Asks the kernel for its AF_UNIX sockets by netlink: exact names, bound files and makers. */
#include "host/sockets.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/time.h>

#include "base/fds.h"

/* The kernel fills at most 32 KiB of a dump per datagram. */
#define DATAGRAM_MAX 65536

static uint8_t state_of(uint8_t kernel_state)
{
    switch (kernel_state) {
    case TCP_LISTEN:
        return CF_SOCKET_LISTENING;
    case TCP_ESTABLISHED:
        return CF_SOCKET_CONNECTED;
    case TCP_SYN_SENT:
        return CF_SOCKET_CONNECTING;
    default:
        return CF_SOCKET_UNCONNECTED;
    }
}

/* The attribute's bytes may be unaligned in hostile input, so everything is copied out. */
static bool read_u32(const char *data, size_t len, uint32_t *value)
{
    if (len < sizeof *value)
        return false;
    memcpy(value, data, sizeof *value);
    return true;
}

static void read_file(const char *data, size_t len, struct cf_socket *socket)
{
    struct unix_diag_vfs vfs;
    if (len < sizeof vfs)
        return;
    memcpy(&vfs, data, sizeof vfs);
    /* The kernel's internal dev_t: 12 bits of major above 20 of minor. */
    socket->dev = makedev(vfs.udiag_vfs_dev >> 20, vfs.udiag_vfs_dev & 0xfffff);
    socket->ino = vfs.udiag_vfs_ino;
    socket->has_file = true;
}

struct message {
    struct cf_socket socket;
    const char *name;
    size_t name_len;
};

static void read_name(const char *data, size_t len, struct message *message)
{
    if (len == 0)
        return;
    bool abstract = data[0] == '\0';
    message->socket.naming = abstract ? CF_SOCKET_ABSTRACT : CF_SOCKET_PATH;
    message->name = data + abstract;
    message->name_len = abstract ? len - 1 : strnlen(data, len);
}

static void read_attribute(int type, const char *data, size_t len, struct message *message)
{
    struct cf_socket *socket = &message->socket;
    uint32_t number;
    switch (type) {
    case UNIX_DIAG_NAME:
        read_name(data, len, message);
        break;
    case UNIX_DIAG_VFS:
        read_file(data, len, socket);
        break;
    case UNIX_DIAG_PEER:
        if (read_u32(data, len, &number))
            socket->peer = number;
        break;
    case UNIX_DIAG_UID:
        socket->has_uid = read_u32(data, len, &number);
        if (socket->has_uid)
            socket->uid = number;
        break;
    default:
        break;
    }
}

/* 0, or -1 for a message too short to be read or with an attribute beyond its end. */
static int read_socket(const char *body, size_t len, struct cf_sockets *to,
                       struct cf_error *err)
{
    struct unix_diag_msg msg;
    if (len < sizeof msg)
        return cf_fail(err, EBADMSG, "read a sock_diag message of %zu bytes", len);
    memcpy(&msg, body, sizeof msg);
    struct message message = { .socket = { .inode = msg.udiag_ino,
                                           .type = msg.udiag_type,
                                           .state = state_of(msg.udiag_state) },
                               .name = "" };

    size_t at = NLMSG_ALIGN(sizeof msg);
    while (at + sizeof(struct nlattr) <= len) {
        struct nlattr attr;
        memcpy(&attr, body + at, sizeof attr);
        if (attr.nla_len < sizeof attr || attr.nla_len > len - at)
            return cf_fail(err, EBADMSG, "read an attribute of %u bytes", attr.nla_len);
        read_attribute(attr.nla_type & NLA_TYPE_MASK, body + at + sizeof attr,
                       attr.nla_len - sizeof attr, &message);
        at += (size_t)NLA_ALIGN(attr.nla_len);
    }
    if (message.name_len > CF_SOCKET_NAME_MAX)
        return cf_fail(err, EBADMSG, "read a socket name of %zu bytes", message.name_len);
    return cf_sockets_add(to, message.socket, message.name, message.name_len, err);
}

/* What a NLMSG_ERROR or NLMSG_DONE carries first: 0 or a negative errno. */
static int carried_error(const char *body, size_t len)
{
    int number = 0;
    if (len >= sizeof number)
        memcpy(&number, body, sizeof number);
    return number < 0 && number > -4096 ? -number : 0;
}

int cf_sockets_parse_diag(const void *data, size_t len, struct cf_sockets *to,
                          struct cf_error *err)
{
    const char *bytes = data;
    size_t at = 0;
    while (at < len && len - at >= sizeof(struct nlmsghdr)) {
        struct nlmsghdr head;
        memcpy(&head, bytes + at, sizeof head);
        if (head.nlmsg_len < sizeof head || head.nlmsg_len > len - at)
            return cf_fail(err, EBADMSG, "read a netlink message of %u bytes", head.nlmsg_len);
        const char *body = bytes + at + NLMSG_HDRLEN;
        size_t size = head.nlmsg_len - NLMSG_HDRLEN;
        if ((head.nlmsg_flags & NLM_F_DUMP_INTR) != 0)
            to->unreadable++;
        if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR) {
            int number = carried_error(body, size);
            if (number != 0)
                return cf_fail(err, number, "sock_diag dump");
            return 1;
        }
        if (head.nlmsg_type == SOCK_DIAG_BY_FAMILY && read_socket(body, size, to, err) < 0)
            return -1;
        at += NLMSG_ALIGN((size_t)head.nlmsg_len);
    }
    return 0;
}

static int ask_for_dump(int fd, uint32_t states, bool peers, struct cf_error *err)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req req;
    } ask = {
        .head = { .nlmsg_len = sizeof ask,
                  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
        .req = { .sdiag_family = AF_UNIX,
                 .udiag_states = states,
                 .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_UID },
    };
    if (peers)
        ask.req.udiag_show |= UDIAG_SHOW_PEER;
    struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    if (sendto(fd, &ask, sizeof ask, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0)
        return cf_fail(err, errno, "send a sock_diag request");
    return 0;
}

static void free_buffer(char **buffer)
{
    free(*buffer);
}

int cf_sockets_dump_diag(uint32_t states, bool peers, struct cf_sockets *to,
                         struct cf_error *err)
{
    cf_autoclose int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (fd < 0)
        return cf_fail(err, errno, "open a sock_diag socket");
    /* A dump is made within recv; only a kernel that never answers would run into this. */
    struct timeval patience = { .tv_sec = 5 };
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
        return cf_fail(err, errno, "set a sock_diag timeout");
    if (ask_for_dump(fd, states, peers, err) < 0)
        return -1;

    __attribute__((cleanup(free_buffer))) char *buffer = malloc(DATAGRAM_MAX);
    if (buffer == NULL)
        return cf_fail(err, ENOMEM, "receive a sock_diag dump");
    for (;;) {
        struct sockaddr_nl from = { .nl_family = AF_NETLINK };
        struct iovec part = { buffer, DATAGRAM_MAX };
        struct msghdr msg = {
            .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part, .msg_iovlen = 1
        };
        ssize_t got = recvmsg(fd, &msg, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cf_fail(err, errno, "receive a sock_diag dump");
        if (got == 0 || (msg.msg_flags & MSG_TRUNC) != 0)
            return cf_fail(err, EBADMSG, "receive a sock_diag dump");
        if (from.nl_pid != 0)
            continue;
        int done = cf_sockets_parse_diag(buffer, (size_t)got, to, err);
        if (done != 0)
            return done < 0 ? -1 : 0;
    }
}
