/* Makes and removes what the tests of the host look at. */
#include "scratch.h"

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void must(int held, const char *what)
{
    if (held)
        return;
    perror(what);
    abort();
}

const char *scratch_open(void)
{
    strcpy(folder, "/tmp/confine-test-XXXXXX");
    must(mkdtemp(folder) != NULL, folder);
    must(chmod(folder, 0755) == 0, folder);
    return folder;
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *walk)
{
    (void)about;
    (void)flag;
    (void)walk;
    return remove(path);
}

void scratch_close(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(const char *name)
{
    static char ring[8][4400];
    static unsigned at;
    char *text = ring[at++ % 8];
    snprintf(text, sizeof ring[0], "%s/%s", folder, name);
    return text;
}

void scratch_dir(const char *name, mode_t mode)
{
    must(mkdir(scratch(name), 0700) == 0 && chmod(scratch(name), mode) == 0, name);
}

void scratch_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(scratch(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), name);
    must(fchmod(fd, mode) == 0 && close(fd) == 0, name);
}

void scratch_link(const char *name, const char *target)
{
    must(symlink(target, scratch(name)) == 0, name);
}

int scratch_socket(const char *name, int type)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", scratch(name));
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    must(fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0, name);
    must(type == SOCK_DGRAM || listen(fd, 1) == 0, name);
    return fd;
}

int as_user(uid_t uid, int (*run)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    must(pid >= 0, "fork");
    if (pid == 0) {
        if (geteuid() == 0)
            must(setgroups(0, NULL) == 0 && setgid(uid) == 0 && setuid(uid) == 0, "setuid");
        int result = run();
        fflush(NULL);
        _exit(result);
    }
    int status = 0;
    must(waitpid(pid, &status, 0) == pid, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

static void write_map(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
    close(fd);
}

int enter_namespaces(void)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    /* A process that changed its user may not write its own /proc files. */
    prctl(PR_SET_DUMPABLE, 1);
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return -1;
    write_map("/proc/self/setgroups", "deny");
    write_map("/proc/self/uid_map", users);
    write_map("/proc/self/gid_map", groups);
    return 0;
}
