/* The session keyring: the caller's keys are found without a fresh one and not with it. */
#include <errno.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "guard/session.h"
#include "guarded.h"
#include "scratch.h"

#define KEY "confine-test"

static int find_in(int keyring)
{
    return errno_of(syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", KEY, 0));
}

ATTEMPT(find_in_session)
{
    return find_in(KEY_SPEC_SESSION_KEYRING);
}

ATTEMPT(find_by_user)
{
    return find_in(KEY_SPEC_USER_KEYRING);
}

/* A login session as pam_keyinit makes it: a session keyring that links to the user's. */
static long log_in(void)
{
    syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
    syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING);
    return syscall(SYS_add_key, "user", KEY, "secret", 6, KEY_SPEC_USER_KEYRING);
}

static int look_for_the_key(void)
{
    uid_t uid = geteuid();
    struct cf_guards all = guarded_all(false);
    const struct cf_guards fresh = {
        .keyring = true,
        .rlimits = CF_RLIMITS_NONE,
        .ruleset = -1,
        .program = -1,
        .group = CF_CGROUP_CLOSED,
    };
    long key = log_in();
    bool held = CHECK(key > 0);
    held &= CHECK_ATTEMPT("find_in_session", uid, NULL, 0);
    held &= CHECK_INSIDE("find_in_session", uid, NULL, NULL, 0);
    held &= CHECK_ATTEMPT("find_in_session", uid, &fresh, ENOKEY);
    held &= CHECK_INSIDE("find_in_session", uid, &fresh, NULL, ENOKEY);
    /* The user keyring needs no link: the user namespace takes it away, and the program. */
    held &= CHECK_ATTEMPT("find_by_user", uid, &fresh, 0);
    held &= CHECK_INSIDE("find_by_user", uid, &fresh, NULL, ENOKEY);
    held &= CHECK_INSIDE("find_in_session", uid, &all, NULL, ENOSYS);
    held &= CHECK_INSIDE("find_by_user", uid, &all, NULL, ENOSYS);
    syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
    guarded_end(&all);
    return held ? 0 : 1;
}

CHECK_CASE(the_callers_keys_are_not_the_commands)
{
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, look_for_the_key), 0);
}

CHECK_CASE(a_fresh_keyring_can_be_proved)
{
    struct cf_error err;
    CHECK_INT(cf_session_available(&err), 0);
}

static int join_often(void)
{
    struct cf_error err;
    for (int at = 0; at < 500; at++)
        if (cf_session_available(&err) < 0)
            return 1;
    return 0;
}

CHECK_CASE(more_runs_than_the_quota_of_keys_follow_each_other)
{
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, join_often), 0);
}

GUARDED_MAIN
