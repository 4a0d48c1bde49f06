/* Forks, becomes a user, applies guards, and runs an attempt here or inside bwrap. */
#include "guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "guard/landlock.h"
#include "host/kernel.h"
#include "scratch.h"

#define ATTEMPTS_MAX 64
#define NAME_VARIABLE "GUARDED_ATTEMPT"
#define BROKEN 255

static struct {
    const char *name;
    int (*attempt)(void);
} known[ATTEMPTS_MAX];
static unsigned known_count;

void guarded_know(const char *name, int (*attempt)(void))
{
    if (known_count == ATTEMPTS_MAX)
        abort();
    known[known_count].name = name;
    known[known_count++].attempt = attempt;
}

static int run_known(const char *name)
{
    for (unsigned at = 0; at < known_count; at++) {
        if (strcmp(known[at].name, name) == 0)
            return known[at].attempt();
    }
    return BROKEN;
}

int guarded_main(void)
{
    const char *name = getenv(NAME_VARIABLE);
    if (name != NULL)
        _exit(run_known(name));
    return check_run();
}

int errno_of(long result)
{
    return result < 0 ? errno : 0;
}

bool guarded_user(unsigned at, uid_t *uid)
{
    uid_t us = geteuid();
    *uid = at == 0 ? us : SOMEBODY;
    return at == 0 || (at == 1 && us == 0);
}

static void say(const struct cf_error *err)
{
    dprintf(2, "%s\n", err->message);
    _exit(BROKEN);
}

static void become(uid_t uid)
{
    if (geteuid() != uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 ||
                             setresuid(uid, uid, uid) < 0))
        _exit(BROKEN);
    /* Changing the user makes a process untraceable, also for its own children. */
    prctl(PR_SET_DUMPABLE, 1);
}

/* The child's exit status as what check_attempt promises. */
static int result_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFSIGNALED(status))
        return ENDED_BY(WTERMSIG(status));
    return WEXITSTATUS(status) == BROKEN ? NOT_TRIED : WEXITSTATUS(status);
}

static bool compare(const char *file, int line, const char *name, uid_t uid,
                    const struct cf_guards *guards, const char *where, int got, int wanted)
{
    char what[160];
    snprintf(what, sizeof what, "%s as uid %u %s, %s", name, uid, where,
             guards == NULL ? "unguarded" : "guarded");
    return check_int(file, line, what, got, wanted);
}

bool check_attempt(const char *file, int line, const char *name, uid_t uid,
                   const struct cf_guards *guards, int wanted)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct cf_error err;
        become(uid);
        if (guards != NULL && cf_guards_enter(guards, &err) < 0)
            say(&err);
        if (guards != NULL && guards->program >= 0 &&
            cf_seccomp_install(guards->program, &err) < 0)
            say(&err);
        _exit(run_known(name));
    }
    return compare(file, line, name, uid, guards, "outside", result_of(child), wanted);
}

/* This program, as a file that also somebody can execute inside. */
#define OURSELVES "/tmp/attempt"

static void exec_bwrap(const char *name, const struct cf_guards *guards,
                       const char *const *more)
{
    static const char *const shape[] = {
        "bwrap", "--unshare-user",   "--ro-bind", "/",       "/",    "--dev",
        "/dev",  "--proc",           "/proc",     "--tmpfs", "/tmp", "--cap-drop",
        "ALL",   "--die-with-parent"
    };
    const char *argv[64];
    size_t count = sizeof shape / sizeof *shape;
    char self[16], program[16];
    memcpy(argv, shape, sizeof shape);
    snprintf(self, sizeof self, "%d", open("/proc/self/exe", O_RDONLY));
    const char *const us[] = { "--perms", "0555", "--ro-bind-data", self, OURSELVES };
    memcpy(argv + count, us, sizeof us);
    count += sizeof us / sizeof *us;
    while (more != NULL && *more != NULL)
        argv[count++] = *more++;
    if (guards != NULL && guards->program >= 0) {
        snprintf(program, sizeof program, "%d", guards->program);
        argv[count++] = "--seccomp";
        argv[count++] = program;
    }
    argv[count++] = OURSELVES;
    argv[count] = NULL;
    setenv(NAME_VARIABLE, name, 1);
    execvp("bwrap", (char *const *)argv);
}

bool check_inside(const char *file, int line, const char *name, uid_t uid,
                  const struct cf_guards *guards, const char *const *more, int wanted)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct cf_error err;
        become(uid);
        if (guards != NULL &&
            (cf_guards_enter(guards, &err) < 0 || cf_guards_seal(guards, &err) < 0))
            say(&err);
        exec_bwrap(name, guards, more);
        _exit(BROKEN);
    }
    return compare(file, line, name, uid, guards, "inside bwrap", result_of(child), wanted);
}

bool guarded_has_scopes(void)
{
    struct cf_kernel kernel;
    return cf_kernel_read(&kernel, NULL) == 0 && kernel.landlock >= 6;
}

struct cf_guards guarded_all(bool user_namespaces)
{
    struct cf_error err;
    struct cf_guards guards;
    const struct cf_guards_wishes wishes = {
        .keyring = true,
        .scopes = guarded_has_scopes() ? CF_SCOPE_ABSTRACT | CF_SCOPE_SIGNAL : 0,
        .filter = true,
        .calls = { user_namespaces, geteuid() != 0 },
        .rlimits = CF_RLIMITS_NONE,
    };
    if (cf_guards_prepare(&wishes, &guards, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    return guards;
}

void guarded_end(struct cf_guards *guards)
{
    struct cf_error err;
    bool memory, tasks;
    CHECK_INT(cf_guards_finish(guards, &memory, &tasks, &err), 0);
}
