/* How the attempts connect to a socket and speak over it, with a time limit on every step. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 4 };

int cf_address_read(const char *name, struct sockaddr_un *address, socklen_t *length,
                    struct cf_finding *finding)
{
    size_t size = strlen(name);
    if (size == 0 || size > sizeof(address->sun_path)) {
        cf_finding_unavailable(finding, ENAMETOOLONG, "a socket name has 1 to %zu bytes",
                               sizeof(address->sun_path));
        return -1;
    }
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, name, size);
    if (*name == '@')
        address->sun_path[0] = 0;
    *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return 0;
}

int cf_address_open(const char *name, struct cf_address *address, struct cf_finding *finding)
{
    const char *slash = strrchr(name, '/');
    address->folder = -1;
    if (strlen(name) <= sizeof(address->name.sun_path) || !slash || strlen(name) >= PATH_MAX)
        return cf_address_read(name, &address->name, &address->length, finding);

    char folder[PATH_MAX], beside[NAME_MAX + 32];
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - name), name);
    address->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (address->folder < 0) {
        cf_finding_refused(finding, errno, "open %.256s", folder);
        return -1;
    }
    snprintf(beside, sizeof(beside), "/proc/self/fd/%d%.255s", address->folder, slash);
    if (cf_address_read(beside, &address->name, &address->length, finding) == 0)
        return 0;
    cf_address_close(address);
    return -1;
}

void cf_address_close(struct cf_address *address)
{
    cf_probe_close(&address->folder);
}

int cf_socket_connect(const char *name, int type, struct cf_finding *finding)
{
    struct cf_address address;
    if (cf_address_open(name, &address, finding) < 0)
        return -1;

    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        cf_finding_refused(finding, errno, "socket");
        cf_address_close(&address);
        return -1;
    }
    struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    int result = connect(fd, (struct sockaddr *)&address.name, address.length);
    if (result < 0) {
        cf_finding_refused(finding, errno, "connect");
        close(fd);
    }
    cf_address_close(&address);
    return result < 0 ? -1 : fd;
}

int cf_socket_say(int fd, const void *data, size_t length, int with_credentials,
                  struct cf_finding *finding)
{
    struct ucred credentials = { .pid = getpid(), .uid = geteuid(), .gid = getegid() };
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr align;
    } control;
    struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = length };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

    if (with_credentials) {
        memset(&control, 0, sizeof(control));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_CREDENTIALS;
        header->cmsg_len = CMSG_LEN(sizeof(credentials));
        memcpy(CMSG_DATA(header), &credentials, sizeof(credentials));
    }
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent < 0 || (size_t)sent != length) {
        cf_finding_unavailable(finding, sent < 0 ? errno : EIO, "connected, but send failed");
        return -1;
    }
    return 0;
}

ssize_t cf_socket_hear(int fd, void *buffer, size_t size, size_t wanted,
                       struct cf_finding *finding)
{
    size_t have = 0;
    while (have < wanted) {
        ssize_t got = recv(fd, (char *)buffer + have, size - have, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            cf_finding_unavailable(finding, got < 0 ? errno : 0,
                                   "connected, but %zu bytes of an answer of at least %zu",
                                   have, wanted);
            return -1;
        }
        have += (size_t)got;
    }
    return (ssize_t)have;
}
