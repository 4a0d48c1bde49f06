/*
 * What stands on the host for protected names that are not there: neutral files, folders and
 * sockets, shared between runs and taken away by the last one.
 */
#ifndef CF_STAGE_PLACEHOLDERS_H
#define CF_STAGE_PLACEHOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "stage/mounts.h"
#include "stage/shares.h"

/*
 * The records folder holds `lock` and one file for each run that uses placeholders. A run holds
 * an exclusive flock on its own record from its making to its end, so a record that can be
 * locked belongs to a run that is dead. Everything is done while holding `lock`. No allocation;
 * only async-signal-safe calls.
 */
struct cf_placeholders {
    int dir;         /* the records folder, -1 when there is none */
    char path[4096]; /* of it, canonical */
    int lock;        /* while held */
    int record;      /* our own, -1 until one is needed */
    char name[64];
    int failed;     /* see cf_placeholders_why */
    bool collected; /* while the lock is held: shares is what the others say now */
    struct cf_shares shares;
};

#define CF_PLACEHOLDERS_CLOSED                                                                 \
    {                                                                                          \
        .dir = -1, .lock = -1, .record = -1                                                    \
    }

/*
 * Opens the records folder, made when absent; NULL leaves it closed. -1 when it cannot be
 * opened or written, with EPERM when it is not the caller's or others can use it.
 */
int cf_placeholders_open(struct cf_placeholders *p, const char *records, struct cf_error *err);

/*
 * What stands for a name: the kinds of a record's line. A socket with mode 0444: nobody can
 * execute or search it, root included (access(2)), an open fails at once with ENXIO, and git
 * sees neither files to add nor folders of its own in it; it can be read, as an inotify watch
 * needs. Where the file system has no sockets an empty file stands.
 */
enum cf_placeholder {
    CF_PLACEHOLDER_FOLDER = 'd',
    CF_PLACEHOLDER_FILE = 'f',
    CF_PLACEHOLDER_SOCKET = 's',
};

/*
 * Makes the name `name` in the folder `parent`, a file with `content`, and records `path` for
 * it. 1 when it was made, 0 when somebody else made it meanwhile; -1 with errno when nothing can
 * be made there (EROFS, EACCES, ENOENT without a records folder), or not be recorded.
 */
int cf_placeholders_make(struct cf_placeholders *p, int parent, const char *name,
                         const char *path, enum cf_placeholder kind, const char *content);

/*
 * Why make, join or hold failed last: errno when it was the records that could not be read or
 * written, 0 when it was the tree. Forgotten once it is asked.
 */
int cf_placeholders_why(struct cf_placeholders *p);

/*
 * Takes a share in what is at `path`: 1 if it is a placeholder of another run, 0 if not or
 * without a records folder. -1 with errno.
 */
int cf_placeholders_join(struct cf_placeholders *p, const char *path,
                         const struct cf_place *place);

/* Keeps others from the records: what is found from here on can be joined. -1 with errno. */
int cf_placeholders_hold(struct cf_placeholders *p);

/*
 * Lets others work on the records; make and join take the lock by themselves and keep it. They
 * fail with EWOULDBLOCK when somebody has held it for two seconds.
 */
void cf_placeholders_settle(struct cf_placeholders *p);

struct cf_placeholders_left {
    unsigned changed; /* by somebody: they stay */
    unsigned waiting; /* could not be removed: the record stays too, for the next sweep */
};

/*
 * Ends our use of all of ours and removes what nobody else uses and nobody has changed.
 * `open_parent(ctx, path, length)` opens the folder that is the first `length` bytes of path, or
 * fails with errno. Fills *left. -1 when the records cannot be had: nothing is removed then.
 */
int cf_placeholders_end(struct cf_placeholders *p,
                        int (*open_parent)(void *ctx, const char *path, size_t length),
                        void *ctx, struct cf_placeholders_left *left);

/* As cf_placeholders_end for the records of dead runs, if nobody holds the lock just now. */
void cf_placeholders_sweep(struct cf_placeholders *p,
                           int (*open_parent)(void *ctx, const char *path, size_t length),
                           void *ctx);

void cf_placeholders_close(struct cf_placeholders *p);

#endif
