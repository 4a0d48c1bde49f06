/* Launching: what the command writes goes where it was asked to, and no further than its limit. */
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launched.h"

CHECK_CASE(the_streams_can_be_swapped)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = launch_shell("echo to-stderr >&2");
    launch.capture = false;
    launch.fds[1] = 2;
    launch.fds[2] = ends[1];
    launch_run(&launch);
    char text[64];
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    CHECK_TEXT(text, "to-stderr\n");
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(output_is_kept_apart_and_cut_at_the_limit)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_shell("echo out; echo err >&2");
    launch_run(&launch);
    CHECK_TEXT(launched.out.data, "out\n");
    CHECK_TEXT(launched.err.data, "err\n");
    CHECK(!launched.truncated);

    launch = launch_shell("head -c 5000000 /dev/zero | tr '\\0' x; exit 5");
    launch.output = 100000;
    launch_run(&launch);
    CHECK_INT(launched.code, 5);
    CHECK_INT(launched.out.len, 100000);
    CHECK(launched.truncated);

    launch = launch_shell("printf 1234567890");
    launch.output = 10;
    launch_run(&launch);
    CHECK_TEXT(launched.out.data, "1234567890");
    CHECK(!launched.truncated);
}

CHECK_CASE(a_limited_output_is_passed_on)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = launch_shell("printf abcdef");
    launch.capture = false;
    launch.output = 3;
    launch.fds[1] = ends[1];
    launch_run(&launch);
    char text[64];
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    CHECK_TEXT(text, "abc");
    CHECK(launched.truncated);
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(what_fills_the_buffer_is_passed_on_at_once)
{
    NEED_BWRAP();
    int ends[2];
    char text[40000];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = launch_shell("head -c 16384 /dev/zero; sleep 20");
    launch.capture = false;
    launch.timeout = 0.5;
    launch.grace = 0;
    launch.relay[0] = true;
    launch.fds[1] = ends[1];
    launch_run(&launch);
    CHECK_INT(read(ends[0], text, sizeof text), 16384);
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(a_reader_that_went_away_gives_the_command_sigpipe)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    struct cf_launch launch = launch_shell("exec yes");
    launch.capture = false;
    launch.output = 1 << 30;
    launch.fds[1] = ends[1];
    launch_run(&launch);
    CHECK_INT(launched.maybe_signal, SIGPIPE);
    close(ends[1]);
}

CHECK_CASE(a_reader_that_takes_nothing_does_not_outlast_the_deadline)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    struct cf_launch launch = launch_shell("exec yes");
    launch.capture = false;
    launch.output = 1 << 30;
    launch.fds[1] = ends[1];
    launch.timeout = 0.3;
    launch_run(&launch);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK(launched.seconds < 10);
    close(ends[0]);
    close(ends[1]);
}

/* Launches with `to` as stdout, which nobody reads, to see the deadline end it all. */
static void run_into_nowhere(const char *script, int to)
{
    struct cf_launch launch = launch_shell(script);
    launch.capture = false;
    launch.output = 100 << 20;
    launch.fds[1] = launch.fds[2] = to;
    launch.timeout = 0.5;
    alarm(20);
    launch_run(&launch);
    alarm(0);
    CHECK_INT(launched.kind, CF_TIMED_OUT);
    CHECK(launched.seconds < 10);
    CHECK_INT(launch_processes("61.009"), 0);
}

/* The last one has ended long before the deadline. */
static const char *const writers[] = { "yes 61.009 & exec yes 61.009 >&2",
                                       "trap '' TERM; while :; do echo 61.009; done",
                                       "head -c 60000 /dev/zero; head -c 60000 /dev/zero >&2" };

CHECK_CASE(a_terminal_that_nobody_reads_does_not_outlast_the_deadline)
{
    NEED_BWRAP();
    for (size_t at = 0; at < sizeof writers / sizeof *writers; at++) {
        int ours = -1, terminal = -1;
        CHECK_INT(openpty(&ours, &terminal, NULL, NULL, NULL), 0);
        run_into_nowhere(writers[at], terminal);
        CHECK_INT(fcntl(terminal, F_GETFL) & O_NONBLOCK, 0);
        close(ours);
        close(terminal);
    }
}

CHECK_CASE(a_stopped_terminal_does_not_outlast_the_deadline)
{
    NEED_BWRAP();
    int ours = -1, terminal = -1;
    CHECK_INT(openpty(&ours, &terminal, NULL, NULL, NULL), 0);
    CHECK_INT(tcflow(terminal, TCOOFF), 0);
    run_into_nowhere(writers[0], terminal);
    close(ours);
    close(terminal);
}

CHECK_CASE(a_socket_that_nobody_reads_does_not_outlast_the_deadline)
{
    NEED_BWRAP();
    int ends[2];
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    run_into_nowhere(writers[0], ends[0]);
    close(ends[0]);
    close(ends[1]);
}

CHECK_CASE(what_cannot_be_written_is_given_up_by_a_signal_once_the_command_ended)
{
    NEED_BWRAP();
    int ours = -1, terminal = -1, status = 0;
    CHECK_INT(openpty(&ours, &terminal, NULL, NULL, NULL), 0);
    struct cf_launch launch = launch_shell("head -c 60000 /dev/zero; exit 5");
    launch.capture = false;
    launch.output = 100 << 20;
    launch.fds[1] = launch.fds[2] = terminal;
    pid_t child = launch_apart(&launch, NULL);
    launch_pause(1);
    CHECK_INT(waitpid(child, &status, WNOHANG), 0);
    kill(child, SIGTERM);
    alarm(20);
    CHECK_INT(waitpid(child, &status, 0), child);
    alarm(0);
    CHECK_INT(WEXITSTATUS(status), 5);
    close(ours);
    close(terminal);
}

CHECK_MAIN
