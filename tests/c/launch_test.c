/* Launching: every kind of end is told apart, and nothing outlives a command that ended. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch/bwrap_status.h"
#include "launched.h"

CHECK_CASE(a_status_in_pieces_is_read_as_a_whole)
{
    static const char text[] = "{ \"child-pid\": 4711, \"pid-namespace\": 4026532181 }\n"
                               "{ \"exit-code\": 3 }\n";
    for (size_t cut = 0; cut < sizeof text; cut++) {
        struct cf_bwrap_status told = CF_BWRAP_STATUS_EMPTY;
        cf_bwrap_status_feed(&told, text, cut);
        cf_bwrap_status_feed(&told, text + cut, sizeof text - 1 - cut);
        CHECK_INT(told.child_pid, 4711);
        CHECK_INT(told.exit_code, 3);
    }
}

CHECK_CASE(a_status_that_makes_no_sense_says_nothing)
{
    static const char *const lines[] = {
        "{ \"child-pid\": 1 }\n",
        "{ \"child-pid\": -5 }\n",
        "{ \"child-pid\": 99999999999 }\n",
        "{ \"exit-code\": 256 }\n",
        "{ \"exit-code\": 3",
        "{ \"exit-code\" 3 }\n",
        "{ \"exit-code\": 3x }\n",
        "{ \"exit-code\": }\n",
        "exit-code: 3\n",
        "\n\n\"child-pid\":\n",
    };
    struct cf_bwrap_status told = CF_BWRAP_STATUS_EMPTY;
    for (size_t at = 0; at < sizeof lines / sizeof *lines; at++) {
        cf_bwrap_status_feed(&told, lines[at], strlen(lines[at]));
        cf_bwrap_status_feed(&told, "\n", 1);
        CHECK_INT(told.child_pid, 0);
        /* The third line of the right column only lacked its end. */
        CHECK_INT(told.exit_code, -1);
    }
    for (int at = 0; at < 100000; at++)
        cf_bwrap_status_feed(&told, "\"exit-code\": 3,", 15);
    cf_bwrap_status_feed(&told, "\n", 1);
    CHECK_INT(told.exit_code, -1);
    cf_bwrap_status_feed(&told, "{\"exit-code\":0}\n", 16);
    CHECK_INT(told.exit_code, 0);
}

CHECK_CASE(an_exit_status_is_the_commands)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_shell("exit 3");
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_EXITED);
    CHECK_INT(launched.code, 3);
    CHECK_INT(launched.maybe_signal, 0);
    CHECK(launched.pid > 1);
    CHECK(launched.seconds > 0 && launched.seconds < 60);
}

CHECK_CASE(a_signal_is_said_to_be_uncertain)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_shell("kill -9 $$");
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_EXITED);
    CHECK_INT(launched.code, 137);
    CHECK_INT(launched.maybe_signal, 9);
}

CHECK_CASE(what_could_not_start_says_why)
{
    struct cf_launch launch = launch_shell("exit 0");
    launch.bwrap = "/nonexistent/bwrap";
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_NOT_STARTED);
    CHECK_INT(launched.why.number, ENOENT);
    CHECK_TEXT(launched.why.message, "execute /nonexistent/bwrap: No such file or directory");

    launch = launch_shell("exit 0");
    launch.cwd = "/nonexistent";
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_NOT_STARTED);
    CHECK_TEXT(launched.why.message, "chdir /nonexistent: No such file or directory");

    launch = launch_shell("exit 0");
    launch.fds[0] = 1000;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_NOT_STARTED);
    CHECK_TEXT(launched.why.message,
               "descriptor 1000 for the command's 0: Bad file descriptor");
}

CHECK_CASE(a_command_that_is_not_there_was_not_started)
{
    NEED_BWRAP();
    static const char *const command[] = { "/nonexistent", NULL };
    struct cf_launch launch = launch_shell("");
    launch.command = command;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_NOT_STARTED);
    CHECK_HOLDS(launched.err.data, "bwrap: execvp /nonexistent: No such file or directory");
    CHECK_HOLDS(launched.why.message, "bwrap ended with status 1 before the command ran");
}

static int refuse(void *context, struct cf_error *err)
{
    return cf_fail(err, EPERM, "stage %s", (const char *)context);
}

static int mark(void *context, struct cf_error *err)
{
    (void)err;
    return dup2(*(int *)context, 9) == 9 ? 0 : -1;
}

CHECK_CASE(what_prepare_refuses_is_not_started)
{
    struct cf_launch launch = launch_shell("echo started");
    launch.hooks.prepare = refuse;
    launch.hooks.context = (void *)(uintptr_t) "the view";
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_NOT_STARTED);
    CHECK_INT(launched.why.number, EPERM);
    CHECK_TEXT(launched.why.message, "stage the view: Operation not permitted");
    CHECK_INT(launched.out.len, 0);
}

CHECK_CASE(prepare_can_hand_over_a_descriptor)
{
    NEED_BWRAP();
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct cf_launch launch = launch_shell("readlink /proc/self/fd/9");
    launch.hooks.prepare = mark;
    launch.hooks.context = &null;
    launch_run(&launch);
    CHECK_TEXT(launched.out.data, "/dev/null\n");
    close(null);
}

static int watched[2];

static int watch(void *context)
{
    (void)context;
    return watched[0];
}

static const char *lost(void *context)
{
    return context;
}

CHECK_CASE(a_run_that_lost_its_guard_is_ended)
{
    NEED_BWRAP();
    CHECK_INT(pipe2(watched, O_CLOEXEC), 0);
    struct cf_launch launch = launch_shell("sleep 61.009");
    launch.hooks.context = (void *)(uintptr_t) "keeper";
    launch.hooks.watch = watch;
    launch.hooks.lost = lost;
    close(watched[1]);
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_LIMITED);
    CHECK_TEXT(launched.limit, "keeper");
    CHECK_INT(launch_processes("61.009"), 0);

    launch = launch_shell("sleep 0.1; exit 3");
    launch.hooks.watch = watch;
    launch.hooks.lost = lost;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_EXITED);
    CHECK_INT(launched.code, 3);
    close(watched[0]);
}

/* What a keeper does, in small: a sibling of bwrap that notes when it was allowed to end. */
static struct {
    int32_t keeper;
    int32_t finished;
} * shared;

static int start_keeper(void *context, struct cf_error *err)
{
    (void)context;
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0)
        return cf_fail(err, errno, "clone");
    if (pid == 0) {
        launch_pause(1);
        shared->finished = 1;
        _exit(0);
    }
    shared->keeper = (int32_t)pid;
    return 0;
}

CHECK_CASE(a_keeper_may_finish_its_work)
{
    NEED_BWRAP();
    shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct cf_launch launch = launch_shell("(setsid sleep 61.010 &); exit 3");
    launch.hooks.prepare = start_keeper;
    launch.hooks.keeper = &shared->keeper;
    launch_run(&launch);
    CHECK_INT(launched.code, 3);
    CHECK_INT(shared->finished, 1);
    CHECK_INT(launch_processes("61.010"), 0);

    shared->finished = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    launch = launch_shell("sleep 61.010");
    launch.hooks.prepare = start_keeper;
    launch.hooks.keeper = &shared->keeper;
    pid_t child = launch_apart(&launch, NULL);
    launch_pause(0.3);
    kill(child, SIGKILL);
    CHECK(launch_orphans_end(10));
    CHECK_INT(shared->finished, 1);
    CHECK_INT(launch_processes("61.010"), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    munmap(shared, sizeof *shared);
}

CHECK_CASE(only_three_descriptors_and_the_given_environment_arrive)
{
    NEED_BWRAP();
    int stray = open("/etc/passwd", O_RDONLY);
    CHECK_INT(dup2(stray, 700), 700);
    struct cf_launch launch = launch_shell("ls /proc/self/fd | tr '\\n' ' '; tr '\\0' ' ' "
                                           "< /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline");
    launch_run(&launch);
    CHECK_HOLDS(launched.out.data, "0 1 2 3 PATH=/usr/bin:/bin A=b bwrap --args ");
    CHECK(launched.out.data != NULL && strstr(launched.out.data, "--ro-bind") == NULL);
    close(stray);
    close(700);
}

CHECK_CASE(a_command_that_ignores_the_deadline_is_killed)
{
    NEED_BWRAP();
    struct cf_launch launch =
        launch_shell("trap '' TERM; sleep 61.001 & sleep 61.001; sleep 61.001");
    launch.timeout = 0.3;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK(launched.seconds >= 0.3 && launched.seconds < 5);
    CHECK_INT(launch_processes("61.001"), 0);
}

CHECK_CASE(a_command_can_clean_up_at_the_deadline)
{
    NEED_BWRAP();
    struct cf_launch launch =
        launch_shell("trap 'echo cleaned; exit 0' TERM; sleep 61.002 & wait");
    launch.timeout = 0.3;
    launch.grace = 30;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK(launched.seconds < 20);
    CHECK_TEXT(launched.out.data, "cleaned\n");
}

CHECK_CASE(a_deadline_during_the_setup_ends_it)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_shell("sleep 61.003");
    launch.timeout = 0.0005;
    launch.grace = 30;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK(launched.seconds < 20);
    CHECK_INT(launch_processes("61.003"), 0);
}

CHECK_CASE(grandchildren_end_with_the_command)
{
    NEED_BWRAP();
    struct cf_launch launch =
        launch_shell("(setsid sleep 61.004 &) ; (setsid sleep 61.004 &) ; exit 4");
    launch_run(&launch);
    CHECK_INT(launched.code, 4);
    CHECK(launched.seconds < 20);
    CHECK_INT(launch_processes("61.004"), 0);
}

CHECK_MAIN
