/* Landlock scopes: abstract sockets and processes outside are out of reach, those inside not. */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/landlock.h"
#include "guarded.h"
#include "scratch.h"

#define SCOPES "a kernel with Landlock scopes"
#define TARGET_VARIABLE "GUARDED_TARGET"
#define NOTICE_VARIABLE "GUARDED_NOTICE"

static socklen_t abstract_name(struct sockaddr_un *name, const char *kind, int owner)
{
    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int len = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "confine-test-%s-%d",
                       kind, owner);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static int number(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? -1 : atoi(text);
}

static int listen_at(int type, int owner)
{
    struct sockaddr_un name;
    socklen_t len = abstract_name(&name, type == SOCK_STREAM ? "stream" : "dgram", owner);
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (bind(fd, (struct sockaddr *)&name, len) < 0 ||
        (type == SOCK_STREAM && listen(fd, 8) < 0))
        abort();
    return fd;
}

static int connect_to(int owner)
{
    struct sockaddr_un name;
    socklen_t len = abstract_name(&name, "stream", owner);
    cf_autoclose int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return errno_of(connect(fd, (struct sockaddr *)&name, len));
}

static int send_from(int fd, int owner)
{
    struct sockaddr_un name;
    socklen_t len = abstract_name(&name, "dgram", owner);
    return errno_of(sendto(fd, "x", 1, MSG_DONTWAIT, (struct sockaddr *)&name, len));
}

ATTEMPT(connect_abstract)
{
    return connect_to(number(TARGET_VARIABLE));
}

ATTEMPT(send_abstract)
{
    cf_autoclose int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    return send_from(fd, number(TARGET_VARIABLE));
}

/* A socket that socket(2) never made. */
ATTEMPT(send_from_pair)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
        return errno;
    return send_from(ends[0], number(TARGET_VARIABLE));
}

ATTEMPT(signal_outside)
{
    return errno_of(kill(number(TARGET_VARIABLE), SIGCONT));
}

ATTEMPT(own_abstract)
{
    cf_autoclose int listener = listen_at(SOCK_STREAM, getpid());
    cf_autoclose int receiver = listen_at(SOCK_DGRAM, getpid());
    cf_autoclose int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    int result = connect_to(getpid());
    return result != 0 ? result : send_from(sender, getpid());
}

ATTEMPT(own_signal)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    if (kill(child, SIGTERM) < 0)
        return errno;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : EIO;
}

/* Tells its process id to the supervisor outside and waits for the signal. */
ATTEMPT(be_signalled)
{
    sigset_t expected;
    struct timespec patience = { 5, 0 };
    pid_t us = getpid();
    sigemptyset(&expected);
    sigaddset(&expected, SIGUSR1);
    sigprocmask(SIG_BLOCK, &expected, NULL);
    if (write(number(NOTICE_VARIABLE), &us, sizeof us) != sizeof us)
        return errno;
    return errno_of(sigtimedwait(&expected, NULL, &patience));
}

static void set_number(const char *variable, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(variable, text, 1);
}

static pid_t start_target(void)
{
    pid_t target = fork();
    if (target == 0) {
        pause();
        _exit(0);
    }
    set_number(TARGET_VARIABLE, target);
    return target;
}

static int reach_outside(void)
{
    static const char *const attempts[] = { "connect_abstract", "send_abstract",
                                            "send_from_pair", "signal_outside" };
    uid_t uid = geteuid();
    bool held = true;
    pid_t target = start_target();
    cf_autoclose int stream = listen_at(SOCK_STREAM, target);
    cf_autoclose int dgram = listen_at(SOCK_DGRAM, target);
    struct cf_guards guards = guarded_all(false);
    for (size_t at = 0; at < sizeof attempts / sizeof *attempts; at++) {
        held &= CHECK_ATTEMPT(attempts[at], uid, NULL, 0);
        held &= CHECK_INSIDE(attempts[at], uid, NULL, NULL, 0);
        held &= CHECK_ATTEMPT(attempts[at], uid, &guards, EPERM);
        held &= CHECK_INSIDE(attempts[at], uid, &guards, NULL, EPERM);
    }
    guarded_end(&guards);
    kill(target, SIGKILL);
    waitpid(target, NULL, 0);
    return held ? 0 : 1;
}

CHECK_CASE(abstract_sockets_and_processes_outside_are_out_of_reach)
{
    if (!guarded_has_scopes())
        CHECK_SKIP(SCOPES);
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, reach_outside), 0);
}

CHECK_CASE(those_inside_are_not)
{
    static const char *const own_pids[] = { "--unshare-pid", NULL };
    struct cf_guards guards = guarded_all(false);
    for (EACH_USER(uid)) {
        CHECK_INSIDE("own_abstract", uid, &guards, NULL, 0);
        CHECK_INSIDE("own_signal", uid, &guards, NULL, 0);
        CHECK_INSIDE("own_signal", uid, &guards, own_pids, 0);
    }
    guarded_end(&guards);
}

static pid_t start_supervisor(int ends[2])
{
    pid_t supervisor = fork();
    if (supervisor == 0) {
        pid_t command;
        close(ends[1]);
        _exit(read(ends[0], &command, sizeof command) == sizeof command &&
                      kill(command, SIGUSR1) == 0
                  ? 0
                  : 1);
    }
    return supervisor;
}

static int signal_from_outside(void)
{
    int ends[2], status = -1;
    if (pipe(ends) < 0) /* bwrap hands the writing end on */
        return 1;
    set_number(NOTICE_VARIABLE, ends[1]);
    pid_t supervisor = start_supervisor(ends);
    struct cf_guards guards = guarded_all(false);
    bool held = CHECK_INSIDE("be_signalled", geteuid(), &guards, NULL, 0);
    close(ends[1]);
    close(ends[0]);
    waitpid(supervisor, &status, 0);
    guarded_end(&guards);
    return held && status == 0 ? 0 : 1;
}

CHECK_CASE(a_signal_from_outside_reaches_the_command)
{
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, signal_from_outside), 0);
}

CHECK_CASE(one_scope_alone_leaves_the_other_open)
{
    if (!guarded_has_scopes())
        CHECK_SKIP(SCOPES);
    struct cf_error err;
    struct cf_guards guards = CF_GUARDS_NONE;
    guards.ruleset = cf_landlock_prepare(CF_SCOPE_SIGNAL, &err);
    pid_t target = start_target();
    cf_autoclose int stream = listen_at(SOCK_STREAM, target);
    CHECK_ATTEMPT("connect_abstract", geteuid(), &guards, 0);
    CHECK_ATTEMPT("signal_outside", geteuid(), &guards, EPERM);
    cf_close_fd(&guards.ruleset);
    kill(target, SIGKILL);
    waitpid(target, NULL, 0);
}

CHECK_CASE(without_scopes_the_reason_names_the_kernel_that_has_them)
{
    struct cf_error err;
    if (guarded_has_scopes())
        CHECK_SKIP("a kernel without Landlock scopes");
    CHECK_INT(cf_landlock_prepare(CF_SCOPE_ABSTRACT, &err), -1);
    CHECK_INT(err.number, ENOSYS);
    CHECK_HOLDS(err.message, "Landlock scopes need ABI 6 (Linux 6.12), this is ");
}

CHECK_CASE(the_scopes_can_be_proved)
{
    if (!guarded_has_scopes())
        CHECK_SKIP(SCOPES);
    struct cf_error err;
    CHECK_INT(cf_landlock_available(&err), 0);
}

GUARDED_MAIN
