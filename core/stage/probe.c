/* Builds a small stage in a child and looks at it: the only proof that one can be had. */
#include "stage/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/mounts.h"
#include "stage/namespaces.h"
#include "stage/stage.h"

/* The calls of a view over /proc, where something is always mounted and nothing is lost. */
static int try_view(struct cf_error *err)
{
    cf_autoclose int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    cf_autoclose int proc = cf_place_open(root, "/proc", err);
    if (root < 0 || proc < 0)
        return -1;
    cf_autoclose int self = pidfd_open(getpid(), 0);
    if (self < 0)
        return cf_fail(err, errno, "pidfd_open");
    cf_autoclose int inert = cf_mount_inert(root, err);
    if (inert < 0)
        return -1;
    cf_autoclose int kept = cf_mount_clone(proc, 0, 0, "/proc", err);
    if (kept < 0)
        return -1;
    if (cf_mount_change(root, MOUNT_ATTR_RDONLY, 0, true, "/", err) < 0)
        return -1;
    cf_autoclose int shadow = cf_mount_tmpfs(0755, 0, err);
    if (shadow < 0 || cf_mount_attach(shadow, proc, "/proc", err) < 0)
        return -1;
    if (mknodat(shadow, "inert", S_IFCHR | 0666, makedev(0, 0)) < 0)
        return cf_fail(err, errno, "mknod in a tmpfs");
    if (mkdirat(shadow, "kept", 0755) < 0)
        return cf_fail(err, errno, "mkdir in a tmpfs");
    if (cf_mount_attach_at(kept, shadow, "kept", err) < 0 ||
        cf_mount_attach_at(inert, shadow, "inert", err) < 0)
        return -1;
    return cf_mount_share(root, err);
}

static int try_stage(struct cf_error *err)
{
    cf_autoclose int inotify = inotify_init1(IN_CLOEXEC);
    if (cf_namespaces_enter(err) < 0 || try_view(err) < 0)
        return -1;
    if (syscall(SYS_close_range, 1 << 20, ~0U, 0) < 0)
        return cf_fail(err, errno, "close_range");
    return 0;
}

int cf_stage_probe(struct cf_error *err)
{
    return cf_stage_try(try_stage, err);
}

int cf_stage_try(int (*attempt)(struct cf_error *err), struct cf_error *err)
{
    struct cf_error *why =
        mmap(NULL, sizeof *why, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (why == MAP_FAILED)
        return cf_fail(err, errno, "map");
    int status = -1, result = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(attempt(why) < 0);
    if (pid < 0) {
        result = cf_fail(err, errno, "fork");
    } else {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        if (!WIFEXITED(status)) {
            result =
                cf_fail(err, 0, "the trial of a stage ended by signal %d", WTERMSIG(status));
        } else if (WEXITSTATUS(status) != 0) {
            if (err != NULL)
                *err = *why;
            result = -1;
        }
    }
    munmap(why, sizeof *why);
    return result;
}
