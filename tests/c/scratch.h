/* A folder of the test's own, files in it by one call each, and a way to be somebody else. */
#ifndef CF_TESTS_SCRATCH_H
#define CF_TESTS_SCRATCH_H

#include <sys/types.h>

/* An ordinary user id that no host gives out; needs no entry in the password file. */
#define SOMEBODY 54321

/* Makes a folder (mode 0755) and returns its canonical path; one at a time. */
const char *scratch_open(void);
void scratch_close(void);

/* The path of a name in it; good until the next but seven of these calls. */
const char *scratch(const char *name);

void scratch_dir(const char *name, mode_t mode);
void scratch_file(const char *name, const char *text, mode_t mode);
void scratch_link(const char *name, const char *target);

/* A listening socket of the type, or a bound one for SOCK_DGRAM; the caller closes it. */
int scratch_socket(const char *name, int type);

/* Runs the function in a child that is `uid` alone, with its group only; its result, 0-100. */
int as_user(uid_t uid, int (*run)(void));

/* In such a child: a user and mount namespace that maps only its own ids. 0, or -1: refused. */
int enter_namespaces(void);

#endif
