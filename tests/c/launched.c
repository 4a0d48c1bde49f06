/* Builds launches of shell scripts and finds their processes by a marker in the command line. */
#include "launched.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/numbers.h"

#define BWRAP "/usr/bin/bwrap"

static const char *const sandbox[] = { "--unshare-all", "--ro-bind", "/",     "/", "--dev",
                                       "/dev",          "--proc",    "/proc", NULL };
static const char *const environment[] = { "PATH=/usr/bin:/bin", "A=b", NULL };

struct cf_outcome launched;

struct cf_launch launch_shell(const char *script)
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

void launch_run(const struct cf_launch *launch)
{
    cf_outcome_free(&launched);
    cf_launch_run(launch, &launched);
}

bool launch_is_possible(void)
{
    struct cf_launch launch = launch_shell("exit 0");
    launch_run(&launch);
    return launched.kind == CF_EXITED;
}

pid_t launch_apart(const struct cf_launch *launch, int *terminal)
{
    pid_t child = terminal != NULL ? forkpty(terminal, NULL, NULL, NULL) : fork();
    if (child == 0) {
        struct cf_outcome own;
        cf_launch_run(launch, &own);
        _exit(own.kind == CF_EXITED ? own.code : 99);
    }
    return child;
}

void launch_pause(double seconds)
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

int launch_processes(const char *marker)
{
    struct search search = { .marker = marker };
    cf_numbers_each("/proc", look_at_process, &search);
    return search.found;
}

bool launch_orphans_end(double seconds)
{
    for (double waited = 0; waited < seconds; waited += 0.01) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
            return true;
        launch_pause(0.01);
    }
    return false;
}

bool launch_shows(int terminal, const char *text)
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
        launch_pause(0.01);
    }
    return CHECK_HOLDS(seen, text);
}

void launch_type(int terminal, const char *keys)
{
    CHECK_INT(write(terminal, keys, strlen(keys)), strlen(keys));
}
