/* Launching: who types on the caller's terminal is heard by the command only in the foreground. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "launched.h"

static struct cf_launch launch_reader(const char *script)
{
    struct cf_launch launch = launch_shell(script);
    launch.capture = false;
    launch.fds[0] = 0;
    return launch;
}

CHECK_CASE(a_line_typed_in_the_foreground_reaches_the_command_and_so_does_its_end)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_reader("echo ready; read a; echo got-$a; cat; exit 7");
    pid_t child = launch_apart(&launch, &terminal);
    CHECK(launch_shows(terminal, "ready"));
    launch_type(terminal, "one\n");
    CHECK(launch_shows(terminal, "got-one"));
    launch_type(terminal, "two\n\004");
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(WEXITSTATUS(status), 7);
    close(terminal);
}

CHECK_CASE(what_a_command_does_not_take_stays_in_the_terminal_but_for_one_piece)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_reader("echo ready; sleep 1.5");
    pid_t session = forkpty(&terminal, NULL, NULL, NULL);
    if (session == 0) {
        char line[64];
        struct cf_outcome own;
        cf_launch_run(&launch, &own);
        ssize_t got = read(0, line, sizeof line);
        _exit(got == 6 && memcmp(line, "secon\n", 6) == 0 ? 3 : 4);
    }
    CHECK(launch_shows(terminal, "ready"));
    launch_type(terminal, "first\n");
    launch_pause(0.3);
    launch_type(terminal, "secon\n");
    CHECK_INT(waitpid(session, &status, 0), session);
    CHECK_INT(WEXITSTATUS(status), 3);
    close(terminal);
}

/* Whether a launch with the terminal as all three streams leaves it without echo. */
static bool is_left_without_echo(bool inherit_tty)
{
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_reader("stty -echo <&1; echo done");
    launch.fds[1] = 1;
    launch.fds[2] = 2;
    launch.inherit_tty = inherit_tty;
    pid_t session = forkpty(&terminal, NULL, NULL, NULL);
    if (session == 0) {
        struct termios modes;
        struct cf_outcome own;
        cf_launch_run(&launch, &own);
        if (own.kind != CF_EXITED || own.code != 0 || tcgetattr(0, &modes) != 0)
            _exit(99);
        _exit((modes.c_lflag & ECHO) == 0 ? 1 : 0);
    }
    CHECK(launch_shows(terminal, "done"));
    CHECK_INT(waitpid(session, &status, 0), session);
    CHECK(WEXITSTATUS(status) != 99);
    close(terminal);
    return WEXITSTATUS(status) == 1;
}

CHECK_CASE(modes_that_the_command_changed_are_put_back_unless_the_terminal_is_its_own)
{
    NEED_BWRAP();
    CHECK(is_left_without_echo(true));
    CHECK(!is_left_without_echo(false));
}

/* ioctls of the command on its standard error: tcflow(2, TCOOFF), TIOCEXCL. */
#define STOP "perl -e 'ioctl(STDERR, 0x540A, 0) or die'; "
#define EXCLUDE "perl -e 'ioctl(STDERR, 0x540C, 0) or die'; "

enum { STOPPED = 1, EXCLUSIVE = 2, LATE = 4 };

/* How a launch leaves a terminal of its own. */
static int left_of_terminal(struct cf_launch *launch)
{
    int terminal = -1, status = 0;
    launch->fds[1] = 1;
    launch->fds[2] = 2;
    pid_t session = forkpty(&terminal, NULL, NULL, NULL);
    if (session == 0) {
        struct cf_outcome own;
        int exclusive = 0;
        cf_launch_run(launch, &own);
        fcntl(2, F_SETFL, O_NONBLOCK);
        int left = write(2, "x", 1) == 1 ? 0 : STOPPED;
        ioctl(2, TIOCGEXCL, &exclusive);
        _exit(left | (exclusive != 0 ? EXCLUSIVE : 0) | (own.kind != CF_EXITED ? LATE : 0));
    }
    CHECK_INT(waitpid(session, &status, 0), session);
    close(terminal);
    return WEXITSTATUS(status);
}

CHECK_CASE(a_terminal_that_the_command_stopped_is_started_again)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_reader(STOP "exit 0");
    CHECK_INT(left_of_terminal(&launch), 0);
    launch.inherit_tty = true;
    CHECK_INT(left_of_terminal(&launch), 0);
}

/* What the relay holds then can be written, and nothing is left to wait for. */
CHECK_CASE(output_behind_a_stopped_terminal_arrives_when_the_command_has_ended)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_reader("exec 2>/dev/tty; " STOP "echo more; exit 0");
    launch.inherit_tty = true;
    launch.output = 1000;
    launch.timeout = 3;
    CHECK_INT(left_of_terminal(&launch), 0);
}

CHECK_CASE(a_terminal_that_the_command_had_for_itself_can_be_opened_again)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_reader(EXCLUDE "exit 0");
    CHECK_INT(left_of_terminal(&launch), 0);
    launch.inherit_tty = true;
    CHECK_INT(left_of_terminal(&launch), EXCLUSIVE);
}

/* A background job of a session: launches, or reads the terminal itself. */
static pid_t start_job(const struct cf_launch *launch)
{
    pid_t job = fork();
    if (job != 0) {
        setpgid(job, job);
        return job;
    }
    setpgid(0, 0);
    if (launch == NULL) {
        char byte;
        _exit(read(0, &byte, 1) == 1 ? 1 : 2);
    }
    struct cf_outcome own;
    cf_launch_run(launch, &own);
    _exit(own.kind == CF_EXITED ? own.code : 99);
}

/* What a shell does: starts the job, reads a line itself, and takes the job to the foreground. */
static int be_session(const struct cf_launch *launch)
{
    char line[64];
    int status = 0;
    pid_t control = start_job(NULL);
    if (waitpid(control, &status, WUNTRACED) != control || !WIFSTOPPED(status))
        return 90;
    kill(control, SIGKILL);
    pid_t job = start_job(launch);
    launch_pause(0.5);
    dprintf(1, "prompt\n");
    ssize_t got = read(0, line, sizeof line - 1);
    line[got > 0 ? got : 0] = '\0';
    dprintf(1, "shell-got-%s", line);
    if (waitpid(job, &status, WNOHANG | WUNTRACED) != 0)
        return 91;
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(0, job);
    waitpid(job, &status, 0);
    return WEXITSTATUS(status);
}

CHECK_CASE(nothing_that_is_typed_to_others_is_heard_in_the_background)
{
    NEED_BWRAP();
    int terminal = -1, status = 0;
    struct cf_launch launch = launch_reader("read a; echo heard-$a; exit 7");
    launch.timeout = 20;
    pid_t session = forkpty(&terminal, NULL, NULL, NULL);
    if (session == 0)
        _exit(be_session(&launch));
    CHECK(launch_shows(terminal, "prompt"));
    launch_pause(0.5);
    launch_type(terminal, "secret\n");
    CHECK(launch_shows(terminal, "shell-got-secret"));
    launch_type(terminal, "open\n");
    CHECK(launch_shows(terminal, "heard-open"));
    CHECK_INT(waitpid(session, &status, 0), session);
    CHECK_INT(WEXITSTATUS(status), 7);
    close(terminal);
}

CHECK_MAIN
