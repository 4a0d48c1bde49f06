/* Tells descriptors that are only a stream of bytes from those that are a power on the host. */
#include "guard/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

static int socket_option(int fd, int option)
{
    int value = -1;
    socklen_t len = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &len) < 0 ? -1 : value;
}

static enum cf_descriptor_kind look_at_socket(int fd, char *what, size_t size)
{
    int family = socket_option(fd, SO_DOMAIN);
    int type = socket_option(fd, SO_TYPE);
    if (family != AF_UNIX) {
        snprintf(what, size, "a socket of address family %d", family);
        return CF_DESCRIPTOR_POWERFUL;
    }
    struct sockaddr_un peer = { 0 };
    socklen_t len = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &len) < 0) {
        snprintf(what, size, "a unix socket that is not connected");
        return CF_DESCRIPTOR_POWERFUL;
    }
    if (len > offsetof(struct sockaddr_un, sun_path)) {
        size_t name = len - offsetof(struct sockaddr_un, sun_path);
        bool abstract = peer.sun_path[0] == '\0';
        snprintf(what, size, "a socket connected to %s%.*s", abstract ? "@" : "",
                 (int)(name - (abstract ? 1 : 0)), peer.sun_path + (abstract ? 1 : 0));
        return CF_DESCRIPTOR_POWERFUL;
    }
    if (type != SOCK_STREAM && type != SOCK_SEQPACKET) {
        /* A datagram socket can send to any name, and abstract names are those of the network
         * namespace that it was made in: the host's. */
        snprintf(what, size, "a unix datagram socket");
        return CF_DESCRIPTOR_POWERFUL;
    }
    snprintf(what, size, "one end of a socket pair");
    return CF_DESCRIPTOR_HARMLESS;
}

static bool is_plain_device(int fd, dev_t device)
{
    static const unsigned minors[] = { 3, 5, 7, 8, 9 }; /* null zero full random urandom */
    for (size_t at = 0; at < sizeof minors / sizeof *minors; at++) {
        if (device == makedev(1, minors[at]))
            return true;
    }
    return isatty(fd) != 0;
}

/* The target's name as the kernel gives it: a path, or text such as "pipe:[7]". */
static void name_target(int fd, char *what, size_t size)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, what, size - 1);
    what[len < 0 ? 0 : len] = '\0';
}

int cf_descriptor_look(int fd, enum cf_descriptor_kind *kind, char *what, size_t size,
                       struct cf_error *err)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    snprintf(what, size, "closed");
    *kind = CF_DESCRIPTOR_CLOSED;
    if (flags < 0 && errno == EBADF)
        return 0;
    if (flags < 0 || fstat(fd, &st) < 0)
        return cf_fail(err, errno, "look at descriptor %d", fd);
    name_target(fd, what, size);
    if (S_ISDIR(st.st_mode))
        *kind = CF_DESCRIPTOR_FOLDER;
    else if ((flags & O_PATH) != 0)
        *kind = CF_DESCRIPTOR_POWERFUL;
    else if (S_ISREG(st.st_mode) && what[0] == '/')
        *kind = CF_DESCRIPTOR_FILE;
    else if (S_ISBLK(st.st_mode))
        *kind = CF_DESCRIPTOR_BLOCK;
    else if (S_ISFIFO(st.st_mode))
        *kind = CF_DESCRIPTOR_HARMLESS;
    else if (S_ISSOCK(st.st_mode))
        *kind = look_at_socket(fd, what, size);
    else if (S_ISCHR(st.st_mode) && is_plain_device(fd, st.st_rdev))
        *kind = CF_DESCRIPTOR_HARMLESS;
    else /* other devices; namespaces, processes, events, BPF: some of them look like files */
        *kind = CF_DESCRIPTOR_POWERFUL;
    return 0;
}
