/* Netlink inside: what tools read the host by is there, what tells of its processes is not. */
#include <errno.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guarded.h"

static int opens(long fd)
{
    int result = errno_of(fd);
    if (fd >= 0)
        close((int)fd);
    return result;
}

/* Whose events are those of all processes of the host. */
ATTEMPT(connector)
{
    return opens(socket(AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR));
}

ATTEMPT(connector_high_bits)
{
    return opens(syscall(SYS_socket, INT64_C(0x700000000) | AF_NETLINK, SOCK_RAW,
                         INT64_C(0x700000000) | NETLINK_CONNECTOR));
}

/* Every protocol but the six; the first that answers otherwise. */
ATTEMPT(other_netlink)
{
    const uint32_t useful = 0x19015;
    for (int protocol = 0; protocol < MAX_LINKS; protocol++) {
        int result = opens(socket(AF_NETLINK, SOCK_RAW, protocol));
        if ((useful >> protocol & 1) == 0 && result != EPROTONOSUPPORT)
            return result;
    }
    return EPROTONOSUPPORT;
}

CHECK_CASE(netlink_does_not_tell_of_the_processes_of_the_host)
{
    cf_autoclose int known = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR);
    struct cf_guards guards = guarded_all(false);
    for (EACH_USER(uid)) {
        if (known >= 0) {
            CHECK_ATTEMPT("connector", uid, NULL, 0);
            CHECK_ATTEMPT("connector_high_bits", uid, NULL, 0);
        }
        CHECK_ATTEMPT("connector", uid, &guards, EPROTONOSUPPORT);
        CHECK_ATTEMPT("connector_high_bits", uid, &guards, EPROTONOSUPPORT);
        CHECK_ATTEMPT("other_netlink", uid, &guards, EPROTONOSUPPORT);
        CHECK_INSIDE("other_netlink", uid, &guards, NULL, EPROTONOSUPPORT);
    }
    guarded_end(&guards);
}

GUARDED_MAIN
