/* What the kernel is and what it lets the caller do: release, Landlock, user namespaces. */
#ifndef CF_HOST_KERNEL_H
#define CF_HOST_KERNEL_H

#include "base/error.h"

struct cf_kernel {
    char release[65];
    char machine[65];
    int landlock; /* ABI version, 0 when the kernel has none or it is switched off */
};

/* Facts: uname(2), landlock_create_ruleset(2). */
int cf_kernel_read(struct cf_kernel *kernel, struct cf_error *err);

/*
 * Whether the caller may have a user namespace that is good for something, found out by making
 * one in a child: namespaces, id maps and a private mount tree. 1, or 0 with the step that
 * failed and its errno in *err; -1 when it could not be tried. Facts: user_namespaces(7).
 */
int cf_kernel_try_userns(struct cf_error *err);

#endif
