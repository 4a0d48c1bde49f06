/* Lowers the resource limits that are inherited through bwrap to the command. */
#include "guard/rlimits.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "base/fds.h"
#include "guard/switch.h"
#include "guard/trial.h"

/*
 * Not 0: with 0 no file is written, but a core_pattern that starts with a pipe still runs its
 * handler, outside and as root, on memory the command chose. The kernel leaves a process alone
 * only at exactly 1 (it marks the handler itself that way), and 1 byte is too short for a file.
 * The seccomp program keeps the command from going down to 0.
 */
#define NO_CORE 1

/* In the stage's namespace there are also the keeper, bwrap's monitor and its pid 1. */
#define TASKS_OF_OURS 3

static int lower(int resource, rlim_t most, const char *name, struct cf_error *err)
{
    struct rlimit now;
    if (most == RLIM_INFINITY)
        return 0;
    if (getrlimit((__rlimit_resource_t)resource, &now) < 0)
        return cf_fail(err, errno, "getrlimit %s", name);
    if (now.rlim_max > most)
        now.rlim_max = most;
    if (now.rlim_cur > now.rlim_max)
        now.rlim_cur = now.rlim_max;
    if (setrlimit((__rlimit_resource_t)resource, &now) < 0)
        return cf_fail(err, errno, "setrlimit %s", name);
    return 0;
}

int cf_rlimits_apply(const struct cf_rlimits *limits, struct cf_error *err)
{
    if (!cf_guard_is_on("rlimits"))
        return 0;
    static const struct rlimit none = { NO_CORE, NO_CORE };
    /* Where the caller's own hard limit is 0 already it cannot be raised to 1. */
    if (setrlimit(RLIMIT_CORE, &none) < 0 && lower(RLIMIT_CORE, NO_CORE, "core", err) < 0)
        return -1;
    if (lower(RLIMIT_NOFILE, limits->files, "files", err) < 0)
        return -1;
    return lower(RLIMIT_DATA, limits->data, "data", err);
}

int cf_rlimits_apply_processes(const struct cf_rlimits *limits, struct cf_error *err)
{
    if (!cf_guard_is_on("rlimits"))
        return 0;
    if (limits->processes == RLIM_INFINITY)
        return 0;
    return lower(RLIMIT_NPROC, limits->processes + TASKS_OF_OURS, "processes", err);
}

static int prove(void *arg, struct cf_error *err)
{
    (void)arg;
    static const struct cf_rlimits few = { 64, RLIM_INFINITY, RLIM_INFINITY };
    if (cf_rlimits_apply(&few, err) < 0)
        return -1;
    struct rlimit files, core;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || getrlimit(RLIMIT_CORE, &core) < 0)
        return cf_fail(err, errno, "getrlimit");
    if (files.rlim_max > few.files || core.rlim_max > NO_CORE)
        return cf_fail(err, 0, "limits were not lowered");
    return 0;
}

int cf_rlimits_available(struct cf_error *err)
{
    return cf_trial_run("resource limits", prove, NULL, err);
}

int cf_rlimits_cores_off(struct cf_error *err)
{
    static const char path[] = "/proc/sys/kernel/core_pattern";
    cf_autobytes struct cf_bytes pattern = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, path, 4096, &pattern, err) < 0)
        return -1;
    pattern.data[strcspn(pattern.data, "\n")] = '\0';
    if (pattern.data[0] == '@')
        return cf_fail(err, 0, "%s sends cores to the socket %s whatever the limits are", path,
                       pattern.data + 1);
    if (pattern.data[0] != '|')
        return 0;
    struct rlimit core;
    if (getrlimit(RLIMIT_CORE, &core) < 0)
        return cf_fail(err, errno, "getrlimit core");
    if (core.rlim_max < NO_CORE)
        return cf_fail(err, 0,
                       "%s runs %s also at a hard core limit of 0, which only uid 0 can raise",
                       path, pattern.data + 1);
    return 0;
}
