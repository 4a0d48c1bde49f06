/* Limits and core dumps: what is used up without them, and what each of them really stops. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/rlimits.h"
#include "guarded.h"
#include "scratch.h"

#define MANY_FILES 200

/* A program without sanitizers dies of a signal that dumps core, with the limit as far up as it
 * goes. 0 when a core was written or a handler of core_pattern was run. */
ATTEMPT(dump_core)
{
    int status = 0;
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CORE, &limit);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "kill -SEGV $$", NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status))
        return EIO;
    return WCOREDUMP(status) ? 0 : ENODATA;
}

ATTEMPT(open_many)
{
    for (int at = 0; at < MANY_FILES; at++)
        if (open("/dev/null", O_RDONLY) < 0)
            return errno;
    return 0;
}

ATTEMPT(raise_limit)
{
    struct rlimit limit = { MANY_FILES, MANY_FILES };
    return errno_of(setrlimit(RLIMIT_NOFILE, &limit));
}

ATTEMPT(map_much)
{
    void *map = mmap(NULL, (size_t)1 << 30, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return map == MAP_FAILED ? errno : 0;
}

/* What Node and Java do at their start. Past libc, because the ASan of gcc 14 answers
 * an mmap by mapping an eighth of it as shadow memory, which is data and meets the limit. */
ATTEMPT(reserve_much)
{
    return errno_of(syscall(SYS_mmap, NULL, (size_t)1 << 40, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

static int fork_often(int count)
{
    pid_t children[16];
    int made = 0, result = 0;
    while (made < count && result == 0) {
        children[made] = fork();
        if (children[made] == 0) {
            pause();
            _exit(0);
        }
        result = errno_of(children[made]);
        made += result == 0;
    }
    while (made-- > 0) {
        kill(children[made], SIGKILL);
        waitpid(children[made], NULL, 0);
    }
    return result;
}

/* As the stage does it: the namespace first, the limit in it. */
ATTEMPT(fork_in_namespace)
{
    struct cf_error err;
    const struct cf_rlimits few = { RLIM_INFINITY, RLIM_INFINITY, 8 };
    if (unshare(CLONE_NEWUSER) < 0 || cf_rlimits_apply_processes(&few, &err) < 0)
        return ENOTSUP;
    /* Eight with itself, and room for the three that are not there. */
    int result = fork_often(7 + 3);
    return result != 0 ? EIO : fork_often(8 + 3);
}

static struct cf_guards limited(rlim_t files, rlim_t data)
{
    struct cf_guards guards = CF_GUARDS_NONE;
    guards.rlimits.files = files;
    guards.rlimits.data = data;
    return guards;
}

CHECK_CASE(no_core_is_dumped)
{
    struct cf_guards guards = CF_GUARDS_NONE;
    struct rlimit limit;
    getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_max < 1 << 20)
        CHECK_SKIP("a hard core limit of 1 MiB");
    int back = open(".", O_RDONLY | O_DIRECTORY);
    for (EACH_USER(uid)) {
        CHECK_INT(chdir(scratch_open()) | chmod(".", 01777), 0);
        CHECK_ATTEMPT("dump_core", uid, NULL, 0);
        CHECK_ATTEMPT("dump_core", uid, &guards, ENODATA);
        CHECK_INSIDE("dump_core", uid, &guards, NULL, ENODATA);
        CHECK_INT(fchdir(back), 0);
        scratch_close();
    }
    close(back);
}

/* With 0 the kernel would run a core_pattern handler. */
CHECK_CASE(the_core_limit_is_one_byte)
{
    struct cf_error err;
    const struct cf_rlimits none = CF_RLIMITS_NONE;
    struct rlimit limit, before;
    getrlimit(RLIMIT_CORE, &before);
    if (before.rlim_max < 1)
        CHECK_SKIP("a hard core limit above 0");
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (cf_rlimits_apply(&none, &err) < 0 || getrlimit(RLIMIT_CORE, &limit) < 0)
            _exit(1);
        _exit(limit.rlim_cur == 1 && limit.rlim_max == 1 ? 0 : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_INT(status, 0);
}

CHECK_CASE(open_files_are_limited_for_good)
{
    struct cf_guards guards = limited(64, RLIM_INFINITY);
    for (EACH_USER(uid)) {
        CHECK_ATTEMPT("open_many", uid, NULL, 0);
        CHECK_ATTEMPT("open_many", uid, &guards, EMFILE);
        CHECK_INSIDE("open_many", uid, &guards, NULL, EMFILE);
        CHECK_INSIDE("raise_limit", uid, &guards, NULL, EPERM);
    }
}

CHECK_CASE(memory_is_limited_but_not_address_space)
{
    struct cf_guards guards = limited(RLIM_INFINITY, (rlim_t)256 << 20);
    for (EACH_USER(uid)) {
        CHECK_ATTEMPT("map_much", uid, NULL, 0);
        CHECK_ATTEMPT("map_much", uid, &guards, ENOMEM);
        CHECK_ATTEMPT("reserve_much", uid, &guards, 0);
    }
}

CHECK_CASE(tasks_are_limited_for_an_ordinary_user_only)
{
    for (EACH_USER(uid))
        CHECK_ATTEMPT("fork_in_namespace", uid, NULL, uid == 0 ? 0 : EAGAIN);
}

CHECK_CASE(limits_can_be_proved)
{
    struct cf_error err;
    CHECK_INT(cf_rlimits_available(&err), 0);
}

GUARDED_MAIN
