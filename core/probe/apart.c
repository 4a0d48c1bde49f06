/* Namespaces in which a caller without rights may mount: stands for a host that mounts things. */
#include "apart.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"
#include "series.h"

enum { EXIT_NOT_STARTED = 125 };

static int complain(const char *what)
{
    fprintf(stderr, "confine-probe: apart: %s: %s\n", what, strerror(errno));
    return -1;
}

static int write_file(const char *path, const char *text)
{
    CF_PROBE_FD fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        return complain(path);
    return 0;
}

static int enter(void)
{
    char uids[64], gids[64];
    snprintf(uids, sizeof(uids), "%u %u 1", geteuid(), geteuid());
    snprintf(gids, sizeof(gids), "%u %u 1", getegid(), getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return complain("unshare");
    if (write_file("/proc/self/setgroups", "deny") < 0 ||
        write_file("/proc/self/uid_map", uids) < 0 ||
        write_file("/proc/self/gid_map", gids) < 0)
        return -1;
    /* As on a host that runs systemd: what it mounts is passed on to who listens. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
        return complain("make / shared");
    return 0;
}

/* Names are relative to the folder, which is the current one. */
static int mount_first(void)
{
    if (mount("first", "second", NULL, MS_BIND, NULL) < 0)
        return complain("bind second");
    return mount("confine-probe", "own", "tmpfs", 0, "mode=755") < 0 ? complain("mount own")
                                                                     : 0;
}

static int mount_later(void)
{
    if (mount("confine-probe", "later", "tmpfs", 0, "mode=755") < 0)
        return complain("mount later");
    return write_file("later/file", "text\n");
}

static pid_t start(char **command)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execvp(command[0], command);
    complain(command[0]);
    _exit(EXIT_NOT_STARTED);
}

/* Waits for the command and does in between what is asked for. */
static int attend(pid_t child, int folder)
{
    struct timespec pause = { .tv_nsec = 2000000 };
    int status, is_asked = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!is_asked && faccessat(folder, "meet/go", F_OK, 0) == 0) {
            is_asked = 1;
            if (mount_later() == 0)
                cf_series_run("controls", "found");
            write_file("meet/done", "");
        }
        nanosleep(&pause, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cf_apart_run(const char *folder, char **command)
{
    char home[PATH_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A folder that was opened before would be one of the old namespace. */
    if (!getcwd(home, sizeof(home)) || enter() < 0)
        return EXIT_NOT_STARTED;
    CF_PROBE_FD fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fchdir(fd) < 0 || mount_first() < 0 || chdir(home) < 0)
        return EXIT_NOT_STARTED;
    pid_t child = start(command);
    if (child < 0 || fchdir(fd) < 0)
        return EXIT_NOT_STARTED;
    return attend(child, fd);
}
