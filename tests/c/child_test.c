/* A child of ours ends in time and tells all; what is remembered is for its key and us only. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/cache.h"
#include "host/child.h"
#include "scratch.h"

static char shown[8192];
static const char *const no_env[] = { "LC_ALL=C", NULL };

static int shell(const char *script, int milliseconds, size_t max, struct cf_error *err)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    int status = cf_child_run("/bin/sh", argv, no_env, milliseconds, max, &output, err);
    snprintf(shown, sizeof shown, "%s", output.data != NULL ? output.data : "");
    return status;
}

CHECK_CASE(a_child_s_output_and_status_are_had)
{
    struct cf_error err;
    CHECK_INT(WEXITSTATUS(shell("echo out; echo err >&2; exit 7", 5000, 100, &err)), 7);
    CHECK_TEXT(shown, "out\nerr\n");
    CHECK_INT(WTERMSIG(shell("kill -9 $$", 5000, 100, &err)), 9);
    CHECK_INT(shell("cat; echo \"$HOME\"", 5000, 100, &err), 0);
    CHECK_TEXT(shown, "\n");
}

CHECK_CASE(a_program_that_cannot_be_executed_says_why)
{
    struct cf_error err;
    const char *argv[] = { "x", NULL };
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    CHECK_INT(cf_child_run("/no/such", argv, no_env, 5000, 10, &output, &err), -1);
    CHECK_TEXT(err.message, "execute /no/such: No such file or directory");
}

CHECK_CASE(a_child_that_goes_on_is_killed)
{
    struct cf_error err;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK_INT(shell("sleep 60", 100, 100, &err), -1);
    CHECK_TEXT(err.message, "run /bin/sh: Connection timed out");
    CHECK_INT(shell("exec >/dev/null 2>&1; sleep 60", 100, 100, &err), -1);
    CHECK_INT(shell("yes", 5000, 10000, &err), -1);
    CHECK_TEXT(err.message, "run /bin/sh: File too large");
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - start.tv_sec < 5);
}

CHECK_CASE(a_caller_that_ignores_sigchld_still_has_the_status)
{
    struct cf_error err;
    struct sigaction after;
    signal(SIGCHLD, SIG_IGN);
    CHECK_INT(WEXITSTATUS(shell("exit 3", 5000, 100, &err)), 3);
    sigaction(SIGCHLD, NULL, &after);
    CHECK(after.sa_handler == SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
}

/* The two that glibc keeps for itself can only be ignored by the system call. */
static void treat_reserved(void (*handler)(int))
{
    unsigned long action[8] = { (unsigned long)(uintptr_t)handler };
    for (int number = 32; number <= 33; number++)
        CHECK_INT(syscall(SYS_rt_sigaction, number, action, NULL, (size_t)8), 0);
}

CHECK_CASE(a_child_starts_with_plain_signals_and_no_descriptor)
{
    struct cf_error err;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    treat_reserved(SIG_IGN);
    CHECK_INT(
        shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd", 5000, 1000, &err),
        0);
    CHECK_TEXT(shown, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");
    treat_reserved(SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    cf_close_fd(&fd);
}

static const char *remembered(const char *key)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    cf_autoclose int cache = cf_cache_open(scratch("c"), &err);
    if (cache < 0)
        return strcpy(shown, err.message);
    if (cf_cache_get(cache, "n", key, &text) == 0)
        return "nothing";
    snprintf(shown, sizeof shown, "%s", text.data);
    return shown;
}

CHECK_CASE(a_text_is_remembered_for_its_key_only)
{
    struct cf_error err;
    struct stat about;
    scratch_open();
    int cache = cf_cache_open(scratch("c"), &err);
    CHECK_INT(fstat(cache, &about), 0);
    CHECK_INT(about.st_mode & 07777, 0700);
    CHECK_INT(cf_cache_put(cache, "n", "key 1", "a\nb", 3, &err), 0);
    CHECK_TEXT(remembered("key 1"), "a\nb");
    CHECK_TEXT(remembered("key"), "nothing");
    CHECK_TEXT(remembered("key 1\na"), "b");
    CHECK_INT(cf_cache_put(cache, "n", "key 2", "c", 1, &err), 0);
    CHECK_TEXT(remembered("key 1"), "nothing");
    CHECK_TEXT(remembered("key 2"), "c");
    cf_close_fd(&cache);
    scratch_close();
}

CHECK_CASE(a_cache_that_others_could_have_written_is_not_used)
{
    struct cf_error err;
    scratch_open();
    scratch_dir("c", 0755);
    CHECK_HOLDS(remembered("k"), "mode 0755): Operation not permitted");
    CHECK_INT(rmdir(scratch("c")), 0);
    scratch_dir("real", 0700);
    scratch_link("c", "real");
    CHECK_INT(cf_cache_open(scratch("c"), &err), -1);
    scratch_file("real/target", "k\nplanted", 0600);
    scratch_link("real/n", "target");
    CHECK_INT(unlink(scratch("c")), 0);
    CHECK_INT(rename(scratch("real"), scratch("c")), 0);
    CHECK_TEXT(remembered("k"), "nothing");
    scratch_close();
}

static bool knows(void)
{
    return cf_cache_has_yes(scratch("c"), "question", "identity");
}

/* Under one more filter, which allows everything and might not have. */
static int ask_under_a_filter(void)
{
    struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_fprog program = { .len = 1, .filter = code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        return 2;
    return knows() ? 1 : 0;
}

CHECK_CASE(a_yes_is_not_believed_under_another_filter)
{
    int status = -1;
    scratch_open();
    CHECK(!knows());
    cf_cache_put_yes(scratch("c"), "question", "identity");
    CHECK(knows());
    CHECK(!cf_cache_has_yes(scratch("c"), "question", "another identity"));
    pid_t pid = fork();
    if (pid == 0)
        _exit(ask_under_a_filter());
    CHECK_INT(waitpid(pid, &status, 0), pid);
    CHECK_INT(status, 0);
    CHECK(knows());
    scratch_close();
}

CHECK_MAIN
