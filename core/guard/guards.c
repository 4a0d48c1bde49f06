/* The order in which the guards come, each in the one place where it works. */
#include "guard/guards.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/landlock.h"
#include "guard/session.h"

static void close_guards(struct cf_guards *guards)
{
    cf_close_fd(&guards->ruleset);
    cf_close_fd(&guards->program);
}

static int make_all(const struct cf_guards_wishes *wishes, struct cf_guards *guards,
                    struct cf_error *err)
{
    if (wishes->scopes != 0) {
        guards->ruleset = cf_landlock_prepare(wishes->scopes, err);
        if (guards->ruleset < 0)
            return -1;
    }
    if (wishes->filter) {
        guards->program = cf_seccomp_build(&wishes->calls, err);
        if (guards->program < 0)
            return -1;
    }
    /* Last, as it is the only one that leaves a trace outside this process. */
    if (wishes->limits.memory != 0 || wishes->limits.tasks != 0)
        return cf_cgroup_make(&wishes->limits, &guards->group, err);
    return 0;
}

int cf_guards_prepare(const struct cf_guards_wishes *wishes, struct cf_guards *guards,
                      struct cf_error *err)
{
    *guards = (struct cf_guards)CF_GUARDS_NONE;
    guards->keyring = wishes->keyring;
    guards->rlimits = wishes->rlimits;
    if (make_all(wishes, guards, err) == 0)
        return 0;
    close_guards(guards);
    return -1;
}

int cf_guards_enter(const struct cf_guards *guards, struct cf_error *err)
{
    if (cf_cgroup_join(&guards->group, err) < 0 ||
        (guards->keyring && cf_session_apply(err) < 0) ||
        cf_rlimits_apply(&guards->rlimits, err) < 0)
        return -1;
    return guards->ruleset < 0 ? 0 : cf_landlock_apply(guards->ruleset, err);
}

int cf_guards_seal(const struct cf_guards *guards, struct cf_error *err)
{
    /* bwrap reads it from where it stands: after an earlier run, its end. */
    if (guards->program >= 0 &&
        (fcntl(guards->program, F_SETFD, 0) < 0 || lseek(guards->program, 0, SEEK_SET) < 0))
        return cf_fail(err, errno, "hand on the seccomp program");
    return cf_rlimits_apply_processes(&guards->rlimits, err);
}

int cf_guards_apply(void *context, struct cf_error *err)
{
    const struct cf_guards *guards = context;
    return cf_guards_enter(guards, err) < 0 ? -1 : cf_guards_seal(guards, err);
}

int cf_guards_finish(struct cf_guards *guards, bool *met_memory, bool *met_tasks,
                     struct cf_error *err)
{
    close_guards(guards);
    int met = cf_cgroup_met(&guards->group, met_memory, met_tasks, err);
    int ended = cf_cgroup_end(&guards->group, err);
    return met < 0 ? met : ended;
}
