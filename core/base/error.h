/* The one way a failure is told: an errno and a line naming the operation and its subject. */
#ifndef CF_BASE_ERROR_H
#define CF_BASE_ERROR_H

#include <stdbool.h>

/* Long enough for an operation on a path of the kernel's greatest length. */
#define CF_MESSAGE_MAX 4608

struct cf_error {
    int number;                   /* errno at the failure, 0 when no system call failed */
    char message[CF_MESSAGE_MAX]; /* printable: control bytes stand as \xNN */
};

/*
 * Fills *err with the formatted text, followed by ": <description>" when number is not 0, and
 * returns -1, so that `return cf_fail(err, errno, "lstat %s", path);` is a whole error path.
 * A function that returns a pointer writes `cf_fail(...); return NULL;`. err may be NULL.
 * A text that is too long is cut, the description is not. errno is left as it was.
 */
int cf_fail(struct cf_error *err, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Whether an errno tells of a want (memory, descriptors, mounts, space, a signal in between) and
 * nothing of what was asked about.
 */
bool cf_is_want(int number);

#endif
