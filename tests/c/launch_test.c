/* Launching: every kind of end is told apart, signals arrive, and nothing outlives anything. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "launch/bwrap_status.h"
#include "launch/launch.h"
#include "launch/numbers.h"

#define BWRAP "/usr/bin/bwrap"

static const char *const sandbox[] = { "--unshare-all", "--ro-bind", "/",     "/", "--dev",
                                       "/dev",          "--proc",    "/proc", NULL };
static const char *const environment[] = { "PATH=/usr/bin:/bin", "A=b", NULL };

/* A launch of `sh -c script` that keeps what it writes. */
static struct cf_launch shell(const char *script)
{
    static const char *words[4];
    words[0] = "sh";
    words[1] = "-c";
    words[2] = script;
    return (struct cf_launch){ .bwrap = BWRAP,
                               .args = sandbox,
                               .command = words,
                               .env = environment,
                               .grace = 0.2,
                               .capture = true,
                               .output = -1,
                               .fds = { -1, 1, 2 } };
}

static struct cf_outcome outcome;

static void run(const struct cf_launch *launch)
{
    cf_outcome_free(&outcome);
    cf_launch_run(launch, &outcome);
}

static bool can_launch(void)
{
    struct cf_launch launch = shell("exit 0");
    run(&launch);
    bool can = outcome.kind == CF_EXITED;
    cf_outcome_free(&outcome);
    return can;
}

#define NEED_BWRAP()                                                                           \
    do {                                                                                       \
        if (!can_launch())                                                                     \
            CHECK_SKIP("bwrap with a procfs of its own");                                      \
    } while (0)

static void sleep_seconds(double seconds)
{
    struct timespec time = { .tv_sec = (time_t)seconds };
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

struct search {
    const char *marker;
    int found;
};

static void look_at_process(int pid, void *context)
{
    struct search *search = context;
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    cf_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (len > 0 && memmem(text, (size_t)len, search->marker, strlen(search->marker)) != NULL)
        search->found++;
}

/* How many processes have the marker in their command line. */
static int processes_with(const char *marker)
{
    struct search search = { .marker = marker };
    cf_numbers_each("/proc", look_at_process, &search);
    return search.found;
}

/* The launcher in a process of its own, so that it can be killed. */
static pid_t launcher(const struct cf_launch *launch, bool in_terminal, int *terminal)
{
    pid_t child = in_terminal ? forkpty(terminal, NULL, NULL, NULL) : fork();
    if (child == 0) {
        struct cf_outcome own;
        cf_launch_run(launch, &own);
        _exit(own.kind == CF_EXITED ? own.code : 99);
    }
    return child;
}

/* Waits until nothing is a child of ours, as the subreaper that orphans come to. */
static bool wait_for_orphans(double seconds)
{
    for (double waited = 0; waited < seconds; waited += 0.01) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            return true;
        sleep_seconds(0.01);
    }
    return false;
}

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
    struct cf_launch launch = shell("exit 3");
    run(&launch);
    CHECK_INT(outcome.kind, CF_EXITED);
    CHECK_INT(outcome.code, 3);
    CHECK_INT(outcome.maybe_signal, 0);
    CHECK(outcome.pid > 1);
    CHECK(outcome.seconds > 0 && outcome.seconds < 60);
}

CHECK_CASE(a_signal_is_said_to_be_uncertain)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("kill -9 $$");
    run(&launch);
    CHECK_INT(outcome.kind, CF_EXITED);
    CHECK_INT(outcome.code, 137);
    CHECK_INT(outcome.maybe_signal, 9);
}

CHECK_CASE(what_could_not_start_says_why)
{
    struct cf_launch launch = shell("exit 0");
    launch.bwrap = "/nonexistent/bwrap";
    run(&launch);
    CHECK_INT(outcome.kind, CF_NOT_STARTED);
    CHECK_INT(outcome.why.number, ENOENT);
    CHECK_TEXT(outcome.why.message, "execute /nonexistent/bwrap: No such file or directory");

    launch = shell("exit 0");
    launch.cwd = "/nonexistent";
    run(&launch);
    CHECK_INT(outcome.kind, CF_NOT_STARTED);
    CHECK_TEXT(outcome.why.message, "chdir /nonexistent: No such file or directory");

    launch = shell("exit 0");
    launch.fds[0] = 1000;
    run(&launch);
    CHECK_INT(outcome.kind, CF_NOT_STARTED);
    CHECK_TEXT(outcome.why.message, "descriptor 1000 for the command's 0: Bad file descriptor");
}

CHECK_CASE(a_command_that_is_not_there_was_not_started)
{
    NEED_BWRAP();
    static const char *const command[] = { "/nonexistent", NULL };
    struct cf_launch launch = shell("");
    launch.command = command;
    run(&launch);
    CHECK_INT(outcome.kind, CF_NOT_STARTED);
    CHECK_HOLDS(outcome.err.data, "bwrap: execvp /nonexistent: No such file or directory");
    CHECK_HOLDS(outcome.why.message, "bwrap ended with status 1 before the command ran");
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
    struct cf_launch launch = shell("echo started");
    launch.hooks.prepare = refuse;
    launch.hooks.context = (void *)(uintptr_t) "the view";
    run(&launch);
    CHECK_INT(outcome.kind, CF_NOT_STARTED);
    CHECK_INT(outcome.why.number, EPERM);
    CHECK_TEXT(outcome.why.message, "stage the view: Operation not permitted");
    CHECK_INT(outcome.out.len, 0);
}

CHECK_CASE(prepare_can_hand_over_a_descriptor)
{
    NEED_BWRAP();
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct cf_launch launch = shell("readlink /proc/self/fd/9");
    launch.hooks.prepare = mark;
    launch.hooks.context = &null;
    run(&launch);
    CHECK_TEXT(outcome.out.data, "/dev/null\n");
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
    struct cf_launch launch = shell("sleep 61.009");
    launch.hooks.context = (void *)(uintptr_t) "keeper";
    launch.hooks.watch = watch;
    launch.hooks.lost = lost;
    close(watched[1]);
    run(&launch);
    CHECK_INT(outcome.kind, CF_LIMITED);
    CHECK_TEXT(outcome.limit, "keeper");
    CHECK_INT(processes_with("61.009"), 0);

    launch = shell("sleep 0.1; exit 3");
    launch.hooks.watch = watch;
    launch.hooks.lost = lost;
    run(&launch);
    CHECK_INT(outcome.kind, CF_EXITED);
    CHECK_INT(outcome.code, 3);
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
        sleep_seconds(1);
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
    struct cf_launch launch = shell("(setsid sleep 61.010 &); exit 3");
    launch.hooks.prepare = start_keeper;
    launch.hooks.keeper = &shared->keeper;
    run(&launch);
    CHECK_INT(outcome.code, 3);
    CHECK_INT(shared->finished, 1);
    CHECK_INT(processes_with("61.010"), 0);

    shared->finished = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    launch = shell("sleep 61.010");
    launch.hooks.prepare = start_keeper;
    launch.hooks.keeper = &shared->keeper;
    pid_t child = launcher(&launch, false, NULL);
    sleep_seconds(0.3);
    kill(child, SIGKILL);
    CHECK(wait_for_orphans(10));
    CHECK_INT(shared->finished, 1);
    CHECK_INT(processes_with("61.010"), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    munmap(shared, sizeof *shared);
}

CHECK_CASE(only_three_descriptors_and_the_given_environment_arrive)
{
    NEED_BWRAP();
    int stray = open("/etc/passwd", O_RDONLY);
    CHECK_INT(dup2(stray, 700), 700);
    struct cf_launch launch = shell("ls /proc/self/fd | tr '\\n' ' '; tr '\\0' ' ' "
                                    "< /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline");
    run(&launch);
    CHECK_HOLDS(outcome.out.data, "0 1 2 3 PATH=/usr/bin:/bin A=b bwrap --args ");
    CHECK(outcome.out.data != NULL && strstr(outcome.out.data, "--ro-bind") == NULL);
    close(stray);
    close(700);
}

CHECK_CASE(the_streams_can_be_swapped)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = shell("echo to-stderr >&2");
    launch.capture = false;
    launch.fds[1] = 2;
    launch.fds[2] = ends[1];
    run(&launch);
    char text[64];
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    CHECK_TEXT(text, "to-stderr\n");
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(a_command_that_ignores_the_deadline_is_killed)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("trap '' TERM; sleep 61.001 & sleep 61.001; sleep 61.001");
    launch.timeout = 0.3;
    run(&launch);
    CHECK_INT(outcome.kind, CF_TIMED_OUT);
    CHECK(outcome.seconds >= 0.3 && outcome.seconds < 5);
    CHECK_INT(processes_with("61.001"), 0);
}

CHECK_CASE(a_command_can_clean_up_at_the_deadline)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("trap 'echo cleaned; exit 0' TERM; sleep 61.002 & wait");
    launch.timeout = 0.3;
    launch.grace = 30;
    run(&launch);
    CHECK_INT(outcome.kind, CF_TIMED_OUT);
    CHECK(outcome.seconds < 20);
    CHECK_TEXT(outcome.out.data, "cleaned\n");
}

CHECK_CASE(a_deadline_during_the_setup_ends_it)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("sleep 61.003");
    launch.timeout = 0.0005;
    launch.grace = 30;
    run(&launch);
    CHECK_INT(outcome.kind, CF_TIMED_OUT);
    CHECK(outcome.seconds < 20);
    CHECK_INT(processes_with("61.003"), 0);
}

CHECK_CASE(grandchildren_end_with_the_command)
{
    NEED_BWRAP();
    struct cf_launch launch =
        shell("(setsid sleep 61.004 &) ; (setsid sleep 61.004 &) ; exit 4");
    run(&launch);
    CHECK_INT(outcome.code, 4);
    CHECK(outcome.seconds < 20);
    CHECK_INT(processes_with("61.004"), 0);
}

CHECK_CASE(output_is_kept_apart_and_cut_at_the_limit)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("echo out; echo err >&2");
    run(&launch);
    CHECK_TEXT(outcome.out.data, "out\n");
    CHECK_TEXT(outcome.err.data, "err\n");
    CHECK(!outcome.truncated);

    launch = shell("head -c 5000000 /dev/zero | tr '\\0' x; exit 5");
    launch.output = 100000;
    run(&launch);
    CHECK_INT(outcome.code, 5);
    CHECK_INT(outcome.out.len, 100000);
    CHECK(outcome.truncated);

    launch = shell("printf 1234567890");
    launch.output = 10;
    run(&launch);
    CHECK_TEXT(outcome.out.data, "1234567890");
    CHECK(!outcome.truncated);
}

CHECK_CASE(a_limited_output_is_passed_on)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = shell("printf abcdef");
    launch.capture = false;
    launch.output = 3;
    launch.fds[1] = ends[1];
    run(&launch);
    char text[64];
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    CHECK_TEXT(text, "abc");
    CHECK(outcome.truncated);
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(a_reader_that_went_away_gives_the_command_sigpipe)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    struct cf_launch launch = shell("exec yes");
    launch.capture = false;
    launch.output = 1 << 30;
    launch.fds[1] = ends[1];
    run(&launch);
    CHECK_INT(outcome.maybe_signal, SIGPIPE);
    close(ends[1]);
}

CHECK_CASE(a_reader_that_takes_nothing_does_not_outlast_the_deadline)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = shell("exec yes");
    launch.capture = false;
    launch.output = 1 << 30;
    launch.fds[1] = ends[1];
    launch.timeout = 0.3;
    run(&launch);
    CHECK_INT(outcome.kind, CF_TIMED_OUT);
    CHECK(outcome.seconds < 10);
    close(ends[0]);
    close(ends[1]);
}

/* A process that sends us a signal every 20 ms from `after` seconds on, until it is killed. */
static pid_t signal_us(int number, double after)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0)
        return child;
    sleep_seconds(after);
    for (;;) {
        kill(parent, number);
        sleep_seconds(0.02);
    }
}

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

CHECK_CASE(signals_reach_the_command_and_not_us)
{
    NEED_BWRAP();
    static const int numbers[] = {
        SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH
    };
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        char script[128];
        snprintf(script, sizeof script, "trap 'exit %d' %d; while :; do sleep 0.01; done",
                 numbers[at] + 40, numbers[at]);
        struct cf_launch launch = shell(script);
        /* Blocked here, so that one that comes too late does no harm. */
        sigset_t blocked, before;
        sigemptyset(&blocked);
        sigaddset(&blocked, numbers[at]);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        pid_t sender = signal_us(numbers[at], 0.3);
        run(&launch);
        end_process(sender);
        struct timespec none = { 0 };
        while (sigtimedwait(&blocked, NULL, &none) > 0)
            ;
        sigprocmask(SIG_SETMASK, &before, NULL);
        CHECK_INT(outcome.kind, CF_EXITED);
        CHECK_INT(outcome.code, numbers[at] + 40);
    }
}

CHECK_CASE(a_signal_during_the_setup_is_not_lost)
{
    NEED_BWRAP();
    struct cf_launch launch = shell("sleep 61.005");
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    raise(SIGTERM);
    run(&launch);
    sigprocmask(SIG_SETMASK, &before, NULL);
    CHECK(outcome.kind == CF_NOT_STARTED || outcome.maybe_signal == SIGTERM);
    CHECK(outcome.seconds < 20);
    CHECK_INT(processes_with("61.005"), 0);
}

CHECK_CASE(an_ignored_signal_stays_ignored)
{
    NEED_BWRAP();
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGHUP, &ignore, &before);
    pid_t sender = signal_us(SIGHUP, 0);
    struct cf_launch launch = shell("sleep 0.3; exit 6");
    run(&launch);
    end_process(sender);
    sigaction(SIGHUP, &before, NULL);
    CHECK_INT(outcome.code, 6);
}

CHECK_CASE(nothing_survives_the_launcher)
{
    NEED_BWRAP();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    srandom(7);
    for (int round = 0; round < 40; round++) {
        struct cf_launch launch =
            shell("trap '' TERM HUP; (setsid sleep 61.006 &) ; sleep 61.006");
        pid_t child = launcher(&launch, false, NULL);
        sleep_seconds((double)(random() % 60000) / 1e6);
        kill(child, SIGKILL);
        if (!CHECK(wait_for_orphans(10)) || !CHECK_INT(processes_with("61.006"), 0))
            break;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

CHECK_CASE(nothing_survives_the_warden)
{
    NEED_BWRAP();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct cf_launch launch = shell("sleep 61.007");
    pid_t child = launcher(&launch, false, NULL);
    pid_t warden = 0;
    sleep_seconds(0.3);
    CHECK_INT(cf_numbers_children(child, &warden, 1), 1);
    kill(warden, SIGKILL);
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 99);
    CHECK(wait_for_orphans(10));
    CHECK_INT(processes_with("61.007"), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Reads the terminal until the text appears, 10 seconds at most. */
static bool shows(int terminal, const char *text)
{
    static char seen[65536];
    size_t len = 0;
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    for (int at = 0; at < 1000; at++) {
        ssize_t got = read(terminal, seen + len, sizeof seen - 1 - len);
        if (got > 0)
            len += (size_t)got;
        seen[len] = '\0';
        if (strstr(seen, text) != NULL)
            return true;
        sleep_seconds(0.01);
    }
    return CHECK_HOLDS(seen, text);
}

static void write_terminal(int terminal, const char *keys)
{
    CHECK_INT(write(terminal, keys, strlen(keys)), strlen(keys));
}

CHECK_CASE(the_terminals_interrupt_reaches_a_command_in_its_own_session)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch =
        shell("trap 'echo caught; exit 8' INT; echo ready; while :; do sleep 0.01; done");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launcher(&launch, true, &terminal);
    CHECK(shows(terminal, "ready"));
    write_terminal(terminal, "\003");
    CHECK(shows(terminal, "caught"));
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 8);
    close(terminal);
}

CHECK_CASE(the_terminals_stop_key_stops_both_and_they_go_on_together)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch =
        shell("echo ready; n=0; while :; do n=$((n+1)); echo tick; sleep 0.05; done");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launcher(&launch, true, &terminal);
    CHECK(shows(terminal, "ready"));
    write_terminal(terminal, "\032");
    CHECK_INT(waitpid(child, &status, WUNTRACED), child);
    CHECK(WIFSTOPPED(status));
    char text[65536];
    sleep_seconds(0.2);
    while (read(terminal, text, sizeof text) > 0)
        ;
    sleep_seconds(0.2);
    CHECK_INT(read(terminal, text, sizeof text), -1);
    kill(child, SIGCONT);
    CHECK(shows(terminal, "tick"));
    kill(child, SIGTERM);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 128 + SIGTERM);
    close(terminal);
}

CHECK_CASE(with_the_callers_terminal_a_sent_signal_arrives_once)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = shell("n=0; trap 'n=$((n+1))' USR1; trap 'exit $n' TERM; "
                                    "tty; echo ready; while :; do sleep 0.01; done");
    launch.capture = false;
    launch.inherit_tty = true;
    launch.fds[0] = 0;
    pid_t child = launcher(&launch, true, &terminal);
    CHECK(shows(terminal, "ready"));
    kill(child, SIGUSR1);
    sleep_seconds(0.3);
    kill(child, SIGTERM);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 1);
    close(terminal);
}

CHECK_CASE(a_hang_up_ends_the_command)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = shell("echo ready; exec sleep 61.008");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launcher(&launch, true, &terminal);
    CHECK(shows(terminal, "ready"));
    close(terminal);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 128 + SIGHUP);
    CHECK_INT(processes_with("61.008"), 0);
}

CHECK_CASE(the_last_outcome_is_freed)
{
    cf_outcome_free(&outcome);
}

CHECK_MAIN
