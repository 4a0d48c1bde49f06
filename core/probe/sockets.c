/* Attempts on a socket by each of its names and with each type of socket. A bare connect shows
 * that a name is open; that an authority answers is what authorities.c and desktop.c show. */
#include "probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void connected(const char *name, int type, const char *as, struct cf_finding *finding)
{
    CF_PROBE_FD fd = cf_socket_connect(name, type, finding);
    if (fd >= 0)
        cf_finding_reached(finding, "connected %s", as);
}

static void by_name(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    connected(args[0], SOCK_STREAM, "by its name", finding);
}

static void by_seqpacket(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    connected(args[0], SOCK_SEQPACKET, "as seqpacket", finding);
}

static void by_datagram(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    connected(args[0], SOCK_DGRAM, "as datagram", finding);
}

/* Splits "/folder/name" and opens the folder. Returns its descriptor, or -1 with the finding
 * filled; *base points into `path`. */
static int open_folder(const char *path, const char **base, struct cf_finding *finding)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (*path != '/' || !slash || strlen(path) >= sizeof(folder)) {
        cf_finding_unavailable(finding, EINVAL, "an absolute path is needed");
        return -1;
    }
    memcpy(folder, path, (size_t)(slash - path));
    folder[slash == path ? 1 : slash - path] = 0;
    folder[0] = '/';
    *base = slash + 1;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open %s", folder);
    return fd;
}

static void by_relative_name(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    const char *base;
    CF_PROBE_FD folder = open_folder(args[0], &base, finding);
    if (folder < 0)
        return;
    if (fchdir(folder) < 0) {
        cf_finding_refused(finding, errno, "fchdir");
        return;
    }
    connected(base, SOCK_STREAM, "by a name relative to its folder", finding);
}

static void by_folder_descriptor(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    const char *base;
    CF_PROBE_FD folder = open_folder(args[0], &base, finding);
    if (folder < 0)
        return;
    char name[NAME_MAX + 32];
    snprintf(name, sizeof(name), "/proc/self/fd/%d/%s", folder, base);
    connected(name, SOCK_STREAM, "through a descriptor of its folder", finding);
}

/* The kernel takes 108 bytes of name, so the prefix goes in by a working directory. */
static void below(const char *prefix, const char *path, struct cf_finding *finding)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (*path != '/' || !slash) {
        cf_finding_unavailable(finding, EINVAL, "an absolute path is needed");
        return;
    }
    snprintf(folder, sizeof(folder), "%s%.*s", prefix, (int)(slash - path), path);
    if (chdir(folder) < 0) {
        cf_finding_refused(finding, errno, "chdir %s", folder);
        return;
    }
    connected(slash + 1, SOCK_STREAM, "below another root", finding);
}

static void by_own_root(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    below("/proc/self/root", args[0], finding);
}

static void by_other_root(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char prefix[64];
    unsigned long pid;
    if (cf_number_read(args[1], INT_MAX, &pid, finding) < 0)
        return;
    snprintf(prefix, sizeof(prefix), "/proc/%lu/root", pid);
    below(prefix, args[0], finding);
}

/* Sends on a socket that is not connected; a datagram to a refused name must not arrive. */
static void send_from(int fd, const char *name, struct cf_finding *finding)
{
    struct sockaddr_un address;
    socklen_t length;
    if (cf_address_read(name, &address, &length, finding) < 0)
        return;
    static const char text[] = "confine-probe";
    if (sendto(fd, text, sizeof(text), MSG_DONTWAIT, (struct sockaddr *)&address, length) < 0)
        cf_finding_refused(finding, errno, "sendto");
    else
        cf_finding_reached(finding, "sent %zu bytes", sizeof(text));
}

static void by_sendto(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "socket");
    else
        send_from(fd, args[0], finding);
}

/* Half a socketpair can send by name although its process never called socket(). */
static void by_pair(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0) {
        cf_finding_refused(finding, errno, "socketpair");
        return;
    }
    send_from(pair[0], args[0], finding);
    close(pair[0]);
    close(pair[1]);
}

static void by_tcp(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long port;
    struct sockaddr_in address = { .sin_family = AF_INET };
    if (cf_number_read(args[1], 65535, &port, finding) < 0)
        return;
    if (inet_pton(AF_INET, args[0], &address.sin_addr) != 1) {
        cf_finding_unavailable(finding, EINVAL, "not an IPv4 address");
        return;
    }
    address.sin_port = htons((uint16_t)port);
    CF_PROBE_FD fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "socket");
    else if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        cf_finding_refused(finding, errno, "connect");
    else
        cf_finding_reached(finding, "connected to port %lu", port);
}

static const struct cf_attempt ATTEMPTS[] = {
    { "connect", "listed socket", "PATH|@NAME", "the socket can be connected by its name", 1, 1,
      by_name },
    { "connect-seqpacket", "listed socket", "PATH|@NAME",
      "the seqpacket socket can be connected by its name", 1, 1, by_seqpacket },
    { "connect-datagram", "datagram socket", "PATH|@NAME",
      "the datagram socket can be connected by its name", 1, 1, by_datagram },
    { "connect-relative", "socket alias", "PATH",
      "the socket can be connected by a name relative to its folder", 1, 1, by_relative_name },
    { "connect-folder-fd", "socket alias", "PATH",
      "the socket can be connected through an open descriptor of its folder", 1, 1,
      by_folder_descriptor },
    { "connect-own-root", "socket alias", "PATH",
      "the socket can be connected below /proc/self/root", 1, 1, by_own_root },
    { "connect-other-root", "socket alias", "PATH PID",
      "the socket can be connected below the root of another process", 2, 2, by_other_root },
    { "send", "datagram socket", "PATH|@NAME", "a datagram sent by name is taken", 1, 1,
      by_sendto },
    { "send-pair", "datagram socket", "PATH|@NAME",
      "a datagram sent by name from half a socketpair is taken", 1, 1, by_pair },
    { "tcp", "network", "ADDRESS PORT", "a port of the host's network can be connected", 2, 2,
      by_tcp },
};

const struct cf_family cf_family_sockets = CF_FAMILY(ATTEMPTS);
