/* Processes are found by their names, with what they hold or, where that is closed, were told. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/owners.h"
#include "scratch.h"

static struct cf_holders found;

/* The process `pid` among those of these names, or NULL; good until the next call. */
static const struct cf_holder *holder(const char *const *names, pid_t pid)
{
    struct cf_error err;
    cf_holders_free(&found);
    CHECK_INT(cf_holders_find(names, &found, &err), 0);
    for (size_t at = 0; at < found.len; at++)
        if (found.items[at].pid == pid)
            return &found.items[at];
    return NULL;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* A child that `prepare`s itself and then waits for its end, which must come from `end`. */
static pid_t begin(void (*prepare)(void))
{
    int pipes[2];
    CHECK_INT(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        prepare();
        if (write(pipes[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    char byte;
    CHECK_INT(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    close(pipes[1]);
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    cf_holders_free(&found);
}

CHECK_CASE(a_process_comes_with_the_sockets_that_it_holds)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat own;
    char cwd[4096];
    CHECK_INT(fstat(fd, &own), 0);
    const struct cf_holder *self = holder(NAMES("other", "holders_test", "zz"), getpid());
    if (CHECK(self != NULL)) {
        CHECK_TEXT(self->comm, "holders_test");
        CHECK_HOLDS(self->exe, "/holders_test");
        CHECK_TEXT(self->cwd, getcwd(cwd, sizeof cwd));
        CHECK_INT(self->uid, geteuid());
        CHECK(!self->is_closed && !self->is_elsewhere);
        CHECK_INT(self->command.len, 0);
        size_t times = 0;
        for (size_t at = 0; at < self->count; at++)
            times += self->inodes[at] == own.st_ino;
        CHECK_INT(times, 1);
    }
    cf_close_fd(&fd);
    cf_holders_free(&found);
}

static void be_tmux(void)
{
    prctl(PR_SET_NAME, "tmux: server");
}

static void be_keyring(void)
{
    prctl(PR_SET_NAME, "gnome-keyring-daemon");
}

static void be_exe(void)
{
    prctl(PR_SET_NAME, "exe");
}

CHECK_CASE(names_are_compared_as_the_kernel_keeps_them)
{
    pid_t pid = begin(be_tmux);
    CHECK(holder(NAMES("tmux"), pid) != NULL);
    CHECK(holder(NAMES("tmux: server"), pid) != NULL);
    CHECK(holder(NAMES("tmu", "tmuxx", "server"), pid) == NULL);
    end(pid);
    pid = begin(be_keyring);
    CHECK(holder(NAMES("gnome-keyring-daemon"), pid) != NULL);
    CHECK(holder(NAMES("gnome-keyring"), pid) == NULL);
    end(pid);
}

CHECK_CASE(a_program_that_executed_itself_is_known_by_its_executable)
{
    pid_t pid = begin(be_exe);
    CHECK(holder(NAMES("holders_test"), pid) != NULL);
    CHECK(holder(NAMES("exe"), pid) != NULL);
    CHECK(holder(NAMES("other"), pid) == NULL);
    end(pid);
}

CHECK_CASE(no_name_finds_nobody)
{
    struct cf_error err;
    CHECK_INT(cf_holders_find((const char *const[]){ NULL }, &found, &err), 0);
    CHECK_INT(found.len, 0);
    cf_holders_free(&found);
}

static void nothing(void)
{
}

/* In a process of an ordinary user: who changed the user and executed nothing forbids dumps. */
static int look_at_a_closed_one(void)
{
    pid_t pid = begin(nothing);
    const struct cf_holder *closed = holder(NAMES("holders_test"), pid);
    bool right = CHECK(closed != NULL);
    if (right) {
        right = CHECK(closed->is_closed);
        right &= CHECK_INT(closed->uid, SOMEBODY);
        right &= CHECK_INT(closed->count, 0);
        right &= CHECK(closed->exe == NULL && closed->cwd == NULL);
        right &= CHECK_HOLDS(closed->command.data, "holders_test");
        right &= CHECK_INT(closed->command.data[closed->command.len - 1], '\0');
    }
    right &= CHECK(holder(NAMES("holders_test"), getppid()) == NULL);
    end(pid);
    return right ? 0 : 1;
}

CHECK_CASE(root_becomes_a_user_and_a_closed_process_tells_its_command_line_and_others_stay_out)
{
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(as_user(SOMEBODY, look_at_a_closed_one), 0);
}

static void go_elsewhere(void)
{
    if (unshare(CLONE_NEWNS) < 0)
        _exit(1);
}

CHECK_CASE(root_makes_mounts_and_who_sees_others_is_told)
{
    if (geteuid() != 0)
        CHECK_SKIP("root");
    pid_t pid = begin(go_elsewhere);
    const struct cf_holder *other = holder(NAMES("holders_test"), pid);
    CHECK(other != NULL && other->is_elsewhere);
    end(pid);
}

CHECK_MAIN
