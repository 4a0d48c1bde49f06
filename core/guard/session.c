/* Gives the command a fresh session keyring, so that the caller's keys are not its keys. */
#include "guard/session.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guard/switch.h"
#include "guard/trial.h"

static long keyring_id(int special)
{
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, special, 0);
}

/* The kernel never answers either of these to an anonymous join: the call itself is refused. */
static bool is_refused(int number)
{
    return (number == ENOSYS || number == EPERM) && keyring_id(KEY_SPEC_SESSION_KEYRING) < 0 &&
           errno == number;
}

/* 0 or an errno. The kernel gives the quota of ended runs back a little later, so a user who
 * starts hundreds a second meets EDQUOT now and then (43 of 1,000 without these pauses). */
static int join(void)
{
    static const struct timespec pause = { 0, 5000000 };
    for (int tries = 0; tries < 40; tries++) {
        if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
            return 0;
        if (errno != EDQUOT)
            return errno;
        nanosleep(&pause, NULL);
    }
    return EDQUOT;
}

int cf_session_apply(struct cf_error *err)
{
    if (!cf_guard_is_on("session_keyring"))
        return 0;
    int number = join();
    if (number == 0 || is_refused(number))
        return 0;
    return cf_fail(err, number, "join a new session keyring%s",
                   number == EDQUOT ? " (kernel.keys.maxkeys is used up)" : "");
}

static int prove(void *arg, struct cf_error *err)
{
    (void)arg;
    long before = keyring_id(KEY_SPEC_SESSION_KEYRING);
    if (before < 0 && is_refused(errno))
        return 0;
    if (cf_session_apply(err) < 0)
        return -1;
    /* Nothing may be linked into it: a link is how the user keyring would be possessed. */
    char keys[64];
    long len = syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, keys, sizeof keys);
    if (len < 0)
        return cf_fail(err, errno, "read the new session keyring");
    if (len > 0 || keyring_id(KEY_SPEC_SESSION_KEYRING) == before)
        return cf_fail(err, 0, "the new session keyring is not new");
    return 0;
}

int cf_session_available(struct cf_error *err)
{
    return cf_trial_run("a new session keyring", prove, NULL, err);
}
