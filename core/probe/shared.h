/* Things of the kernel that attempts aim at and that live longer than the process that made
 * them: System V and POSIX objects, keys. */
#ifndef CF_PROBE_SHARED_H
#define CF_PROBE_SHARED_H

#include <stddef.h>

/*
 * Makes one of: shm, queue, semaphore (System V), posix-shm, posix-queue, key. Writes what an
 * attempt names it by to `name` (a key and, for shm, an id; a name; two serial numbers: in a
 * fresh session keyring, which becomes that of the caller's parent too, and in the user's).
 * Returns 0, or -1 with errno. Each can be made once.
 */
int cf_shared_make(const char *kind, const char *label, char *name, size_t size);

/* Takes away all that was made. Keys end by themselves after a minute. */
void cf_shared_remove(void);

#endif
