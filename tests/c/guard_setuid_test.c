/* Files with the set-user-ID bit: refused by the seccomp program where root would leave them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

/* A descriptor without a name on a file system of its own, so that nothing is left. */
static int scratch_file(void)
{
    return memfd_create("confine-test", MFD_CLOEXEC);
}

ATTEMPT(fchmod_setuid)
{
    cf_autoclose int fd = scratch_file();
    return errno_of(fchmod(fd, 04755));
}

ATTEMPT(fchmod_plain)
{
    cf_autoclose int fd = scratch_file();
    return errno_of(fchmod(fd, 02755));
}

ATTEMPT(chmod_setuid)
{
    char path[40];
    cf_autoclose int fd = scratch_file();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return errno_of(chmod(path, 04711));
}

ATTEMPT(fchmodat2_setuid)
{
    cf_autoclose int fd = scratch_file();
    int result = errno_of(syscall(452, fd, "", 04711, AT_EMPTY_PATH));
    return result == ENOSYS ? NOT_TRIED : result;
}

ATTEMPT(tmpfile_setuid)
{
    return opens(open("/dev/shm", O_TMPFILE | O_RDWR, 04700));
}

ATTEMPT(tmpfile_plain)
{
    return opens(open("/dev/shm", O_TMPFILE | O_RDWR, 0700));
}

/* Without O_CREAT the argument means nothing, whatever the register holds. */
ATTEMPT(open_with_a_mode)
{
    return opens(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 04000));
}

ATTEMPT(openat2)
{
    struct open_how how = { .flags = O_RDONLY };
    return opens(syscall(SYS_openat2, AT_FDCWD, "/dev/null", &how, sizeof how));
}

CHECK_CASE(no_setuid_file_is_made_where_that_is_refused)
{
    static const char *const refused[] = { "fchmod_setuid", "chmod_setuid", "fchmodat2_setuid",
                                           "tmpfile_setuid" };
    static const char *const allowed[] = { "fchmod_plain", "tmpfile_plain",
                                           "open_with_a_mode" };
    const struct cf_seccomp_wishes none = { false, false };
    struct cf_error err;
    struct cf_guards strict = guarded_all(false), guards = guarded_all(false);
    cf_close_fd(&strict.program);
    strict.program = cf_seccomp_build(&none, &err);
    for (EACH_USER(uid)) {
        for (size_t at = 0; at < sizeof refused / sizeof *refused; at++) {
            CHECK_ATTEMPT(refused[at], uid, NULL, 0);
            CHECK_ATTEMPT(refused[at], uid, &strict, EPERM);
        }
        for (size_t at = 0; at < sizeof allowed / sizeof *allowed; at++)
            CHECK_ATTEMPT(allowed[at], uid, &strict, 0);
        CHECK_ATTEMPT("openat2", uid, NULL, 0);
        CHECK_ATTEMPT("openat2", uid, &strict, ENOSYS);
        CHECK_ATTEMPT("fchmod_setuid", uid, &guards, geteuid() == 0 ? EPERM : 0);
    }
    guarded_end(&strict);
    guarded_end(&guards);
}

GUARDED_MAIN
