/* The system calls that a confined command may not make, as a program that bwrap installs. */
#ifndef CF_GUARD_SECCOMP_H
#define CF_GUARD_SECCOMP_H

#include <stdbool.h>

#include "base/error.h"

struct cf_seccomp_wishes {
    bool user_namespaces; /* granted: nested sandboxes work, with the mounts they make */
    bool setuid_files;    /* may be made; what a command leaves of uid 0 makes anybody root */
};

/*
 * Builds the program and returns it in an owned, sealed memfd positioned at 0, for bwrap's
 * --seccomp FD, which installs it in pid 1 and in the command, last thing before exec. About
 * 0.2 ms; nothing is worth caching. -1 with *err filled. What is refused, and why, stands beside
 * each rule in seccomp.c. Whatever is not named there is allowed, except system calls newer than
 * CF_SECCOMP_NEWEST, which answer ENOSYS: nobody has looked at them.
 */
int cf_seccomp_build(const struct cf_seccomp_wishes *wishes, struct cf_error *err);

/*
 * Installs a program made by cf_seccomp_build in the calling process, as bwrap does; sets
 * no_new_privs. The descriptor stays the caller's. For tests and for cf_seccomp_available.
 */
int cf_seccomp_install(int program, struct cf_error *err);

/* Proves in a child that the program can be installed and refuses. */
int cf_seccomp_available(struct cf_error *err);

/* The newest system call that was judged: file_setattr, Linux 6.17. */
#define CF_SECCOMP_NEWEST 469

#endif
