/* Launching: signals and the terminal's keys arrive, and nothing survives who launched. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launch/numbers.h"
#include "launched.h"

/* A process that sends us a signal every 20 ms from `after` seconds on, until it is killed. */
static pid_t signal_us(int number, double after)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child != 0)
        return child;
    launch_pause(after);
    for (;;) {
        kill(parent, number);
        launch_pause(0.02);
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
        struct cf_launch launch = launch_shell(script);
        /* Blocked here, so that one that comes too late does no harm. */
        sigset_t blocked, before;
        sigemptyset(&blocked);
        sigaddset(&blocked, numbers[at]);
        sigprocmask(SIG_BLOCK, &blocked, &before);
        pid_t sender = signal_us(numbers[at], 0.3);
        launch_run(&launch);
        end_process(sender);
        struct timespec none = { 0 };
        while (sigtimedwait(&blocked, NULL, &none) > 0)
            ;
        sigprocmask(SIG_SETMASK, &before, NULL);
        CHECK_INT(launched.kind, CF_EXITED);
        CHECK_INT(launched.code, numbers[at] + 40);
    }
}

CHECK_CASE(a_sent_signal_reaches_the_command_and_none_of_its_children)
{
    NEED_BWRAP();
    static const int numbers[] = { SIGINT, SIGHUP, SIGTERM, SIGUSR1 };
    for (size_t at = 0; at < sizeof numbers / sizeof *numbers; at++) {
        int status = 0;
        char script[256];
        snprintf(script, sizeof script,
                 "perl -e 'sleep 1; exit 5' & w=$!; trap 'wait $w; exit $?' %d; "
                 "while :; do sleep 0.01; done",
                 numbers[at]);
        struct cf_launch launch = launch_shell(script);
        pid_t child = launch_apart(&launch, NULL);
        launch_pause(0.5);
        kill(child, numbers[at]);
        CHECK_INT(waitpid(child, &status, 0), child);
        CHECK_INT(WEXITSTATUS(status), 5);
    }
}

CHECK_CASE(a_sent_stop_stops_the_command_and_none_of_its_children)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch =
        launch_shell("(sleep 0.6; echo child) & echo ready; wait; exit 4");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    kill(child, SIGTSTP);
    CHECK_INT(waitpid(child, &status, WUNTRACED), child);
    CHECK(WIFSTOPPED(status));
    CHECK(launch_shows(terminal, "child"));
    kill(child, SIGCONT);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 4);
    close(terminal);
}

CHECK_CASE(the_deadline_is_told_to_the_commands_children_too)
{
    NEED_BWRAP();
    struct cf_launch launch =
        launch_shell("sh -c \"trap 'echo told; exit 1' TERM; while :; do sleep 0.01; done\" & "
                     "trap 'wait; exit 3' TERM; while :; do sleep 0.01; done");
    launch.timeout = 0.5;
    launch.grace = 5;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK_TEXT(launched.out.data, "told\n");
}

CHECK_CASE(the_terminals_interrupt_reaches_the_commands_children_too)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_shell("sh -c \"trap 'echo child; exit 1' INT; echo ready; "
                                           "while :; do sleep 0.01; done\"; exit 8");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    launch_type(terminal, "\003");
    CHECK(launch_shows(terminal, "child"));
    waitpid(child, &status, 0);
    close(terminal);
}

CHECK_CASE(a_signal_during_the_setup_is_not_lost)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_shell("sleep 61.005");
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    raise(SIGTERM);
    launch_run(&launch);
    sigprocmask(SIG_SETMASK, &before, NULL);
    CHECK(launched.kind == CF_NOT_STARTED || launched.maybe_signal == SIGTERM);
    CHECK(launched.seconds < 20);
    CHECK_INT(launch_processes("61.005"), 0);
}

CHECK_CASE(an_ignored_signal_stays_ignored)
{
    NEED_BWRAP();
    struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
    sigaction(SIGHUP, &ignore, &before);
    pid_t sender = signal_us(SIGHUP, 0);
    struct cf_launch launch = launch_shell("sleep 0.3; exit 6");
    launch_run(&launch);
    end_process(sender);
    sigaction(SIGHUP, &before, NULL);
    CHECK_INT(launched.code, 6);
}

CHECK_CASE(no_ignored_signal_reaches_the_command)
{
    NEED_BWRAP();
    /* glibc keeps 32 for itself, so only the system call can ignore it. */
    unsigned long plain[8] = { 0 }, ignore[8] = { (unsigned long)(uintptr_t)SIG_IGN };
    signal(SIGALRM, SIG_IGN);
    CHECK_INT(syscall(SYS_rt_sigaction, 32, ignore, NULL, (size_t)8), 0);
    struct cf_launch launch = launch_shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
    launch_run(&launch);
    syscall(SYS_rt_sigaction, 32, plain, NULL, (size_t)8);
    signal(SIGALRM, SIG_DFL);
    CHECK_TEXT(launched.out.data, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

CHECK_CASE(nothing_survives_the_launcher)
{
    NEED_BWRAP();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    srandom(7);
    for (int round = 0; round < 40; round++) {
        struct cf_launch launch =
            launch_shell("trap '' TERM HUP; (setsid sleep 61.006 &) ; sleep 61.006");
        pid_t child = launch_apart(&launch, NULL);
        launch_pause((double)(random() % 60000) / 1e6);
        kill(child, SIGKILL);
        if (!CHECK(launch_orphans_end(10)) || !CHECK_INT(launch_processes("61.006"), 0))
            break;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

CHECK_CASE(nothing_survives_the_warden)
{
    NEED_BWRAP();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    struct cf_launch launch = launch_shell("sleep 61.007");
    pid_t child = launch_apart(&launch, NULL);
    pid_t warden = 0;
    launch_pause(0.3);
    CHECK_INT(cf_numbers_children(child, &warden, 1), 1);
    kill(warden, SIGKILL);
    int status = 0;
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 99);
    CHECK(launch_orphans_end(10));
    CHECK_INT(launch_processes("61.007"), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

CHECK_CASE(the_terminals_interrupt_reaches_a_command_in_its_own_session)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_shell(
        "trap 'echo caught; exit 8' INT; echo ready; while :; do sleep 0.01; done");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    launch_type(terminal, "\003");
    CHECK(launch_shows(terminal, "caught"));
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 8);
    close(terminal);
}

CHECK_CASE(the_terminals_stop_key_stops_both_and_they_go_on_together)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch =
        launch_shell("echo ready; n=0; while :; do n=$((n+1)); echo tick; sleep 0.05; done");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    launch_type(terminal, "\032");
    CHECK_INT(waitpid(child, &status, WUNTRACED), child);
    CHECK(WIFSTOPPED(status));
    char text[65536];
    launch_pause(0.2);
    while (read(terminal, text, sizeof text) > 0)
        ;
    launch_pause(0.2);
    CHECK_INT(read(terminal, text, sizeof text), -1);
    kill(child, SIGCONT);
    CHECK(launch_shows(terminal, "tick"));
    kill(child, SIGTERM);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 128 + SIGTERM);
    close(terminal);
}

CHECK_CASE(with_the_callers_terminal_a_sent_signal_arrives_once)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_shell("n=0; trap 'n=$((n+1))' USR1; trap 'exit $n' TERM; "
                                           "tty; echo ready; while :; do sleep 0.01; done");
    launch.capture = false;
    launch.inherit_tty = true;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    kill(child, SIGUSR1);
    launch_pause(0.3);
    kill(child, SIGTERM);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 1);
    close(terminal);
}

CHECK_CASE(a_hang_up_ends_the_command)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_shell("echo ready; exec sleep 61.008");
    launch.capture = false;
    launch.fds[0] = 0;
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    close(terminal);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 128 + SIGHUP);
    CHECK_INT(launch_processes("61.008"), 0);
}

CHECK_MAIN
