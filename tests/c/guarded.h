/* Attempts with and without guards, as root and as an ordinary user, outside and inside bwrap. */
#ifndef CF_TESTS_GUARDED_H
#define CF_TESTS_GUARDED_H

#include <stdbool.h>
#include <sys/types.h>

#include "guard/guards.h"

/* An attempt returns 0 when it did what it wanted, else the errno that stopped it. It is known by
 * its name, so that it can also be made by this program executed anew inside bwrap. */
#define ATTEMPT(name)                                                                          \
    static int attempt_##name(void);                                                           \
    __attribute__((constructor)) static void know_##name(void)                                 \
    {                                                                                          \
        guarded_know(#name, attempt_##name);                                                   \
    }                                                                                          \
    static int attempt_##name(void)

/* In place of CHECK_MAIN. */
#define GUARDED_MAIN                                                                           \
    int main(void)                                                                             \
    {                                                                                          \
        return guarded_main();                                                                 \
    }

/* Instead of an errno: a signal ended it; the guards or bwrap could not be had. */
#define ENDED_BY(number) (1000 + (number))
#define NOT_TRIED 2000

/* One word of errno or of the above as the result of a system call that returned `result`. */
int errno_of(long result);

/* The users to be: root and somebody when we are root, else ourselves. */
#define EACH_USER(uid)                                                                         \
    uid_t uid, at_ = 0;                                                                        \
    guarded_user(at_, &uid);                                                                   \
    at_++

bool guarded_user(unsigned at, uid_t *uid);

/*
 * Makes the attempt in a child that is `uid`, under the guards (NULL for none), whose seccomp
 * program is installed as bwrap would. Whether the result is `wanted`; if not, it is reported.
 */
bool check_attempt(const char *file, int line, const char *name, uid_t uid,
                   const struct cf_guards *guards, int wanted);
#define CHECK_ATTEMPT(name, uid, guards, wanted)                                               \
    check_attempt(__FILE__, __LINE__, (name), (uid), (guards), (wanted))

/* The same inside bwrap, which has a user namespace, the whole tree read-only, a private /tmp and
 * /dev, a /proc, and the namespaces and binds of `more`, ended by NULL. */
bool check_inside(const char *file, int line, const char *name, uid_t uid,
                  const struct cf_guards *guards, const char *const *more, int wanted);
#define CHECK_INSIDE(name, uid, guards, more, wanted)                                          \
    check_inside(__FILE__, __LINE__, (name), (uid), (guards), (more), (wanted))

/* Whether this kernel has Landlock scopes (Linux 6.12). */
bool guarded_has_scopes(void);

/* Everything that cf_guards_prepare has, but for a control group, and for the scopes where the
 * kernel has none; aborts when it cannot be had. */
struct cf_guards guarded_all(bool user_namespaces);
void guarded_end(struct cf_guards *guards);

void guarded_know(const char *name, int (*attempt)(void));
int guarded_main(void);

#endif
