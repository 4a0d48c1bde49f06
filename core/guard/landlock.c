/* Closes the two doors that no namespace closes under a shared network: names and signals. */
#include "guard/landlock.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/switch.h"
#include "guard/trial.h"
#include "host/kernel.h"

/* As of ABI 6; the header of the build machine may be older than the kernel of the run. */
struct ruleset_attr {
    uint64_t handled_access_fs;
    uint64_t handled_access_net;
    uint64_t scoped;
};

_Static_assert(sizeof(struct ruleset_attr) == 24, "the kernel tells versions by the size");

int cf_landlock_prepare(uint64_t scopes, struct cf_error *err)
{
    struct cf_kernel kernel;
    if (cf_kernel_read(&kernel, err) < 0)
        return -1;
    if (kernel.landlock < 6)
        return cf_fail(err, ENOSYS, "Landlock scopes need ABI 6 (Linux 6.12), this is %d",
                       kernel.landlock);
    struct ruleset_attr attr = { .scoped = scopes };
    long fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (fd < 0)
        return cf_fail(err, errno, "landlock_create_ruleset");
    return (int)fd; /* the kernel makes it close-on-exec */
}

int cf_landlock_apply(int ruleset, struct cf_error *err)
{
    if (!cf_guard_is_on("landlock"))
        return 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return cf_fail(err, errno, "prctl PR_SET_NO_NEW_PRIVS");
    if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
        return cf_fail(err, errno, "landlock_restrict_self");
    return 0;
}

/* A listener under an abstract name that the kernel chose; -1 with errno. */
static int listen_abstract(struct sockaddr_un *name, socklen_t *len)
{
    cf_autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    *len = sizeof *name;
    if (fd < 0 || bind(fd, (struct sockaddr *)name, sizeof name->sun_family) < 0 ||
        listen(fd, 1) < 0 || getsockname(fd, (struct sockaddr *)name, len) < 0)
        return -1;
    return cf_take_fd(&fd);
}

static int prove(void *arg, struct cf_error *err)
{
    (void)arg;
    struct sockaddr_un name;
    socklen_t len;
    /* Made before the domain is entered, hence outside of it, as is the parent. */
    cf_autoclose int listener = listen_abstract(&name, &len);
    cf_autoclose int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || client < 0)
        return cf_fail(err, errno, "make a socket to try");
    cf_autoclose int ruleset = cf_landlock_prepare(CF_SCOPE_ABSTRACT | CF_SCOPE_SIGNAL, err);
    if (ruleset < 0 || cf_landlock_apply(ruleset, err) < 0)
        return -1;
    if (connect(client, (struct sockaddr *)&name, len) == 0)
        return cf_fail(err, 0, "a connection to an abstract socket outside was allowed");
    /* The null signal only asks for permission. */
    if (kill(getppid(), 0) == 0)
        return cf_fail(err, 0, "a signal to a process outside was allowed");
    return 0;
}

int cf_landlock_available(struct cf_error *err)
{
    return cf_trial_run("Landlock scopes", prove, NULL, err);
}
