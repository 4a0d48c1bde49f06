/* The processes that /proc shows, one after the other, sorted out by their command names. */
#ifndef CF_HOST_PROCESSES_H
#define CF_HOST_PROCESSES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* One process while it is looked at. It may end at any moment; then it holds nothing any more. */
struct cf_process {
    int proc;       /* /proc itself */
    const char *id; /* its name there */
    pid_t pid;
    uid_t uid; /* that the folder belongs to: root's where the process forbids dumps */
    char comm[64];
};

struct cf_processes {
    DIR *listing;
    const char **names; /* sorted by the 15 bytes that the kernel keeps; NULL: every process */
    size_t count;
    uid_t self;
};

#define CF_PROCESSES_CLOSED                                                                    \
    {                                                                                          \
        NULL, NULL, 0, 0                                                                       \
    }

/*
 * Starts over. comms, a NULL-terminated list that must outlive the walk, limits it to processes
 * whose command name is one of them, compared by the 15 bytes the kernel keeps, or followed by
 * ": " as in "tmux: server"; and to those named "exe", as a program that executes
 * /proc/self/exe is, whose executable has such a name. NULL lists all. Facts: proc(5).
 */
int cf_processes_open(struct cf_processes *walk, const char *const *comms,
                      struct cf_error *err);

/*
 * The next process in ascending order of ids: 1, or 0 after the last, -1 when /proc cannot be
 * listed. For anybody but root, processes of other users are passed over; those whose folder is
 * root's are not, for they may be the caller's (cf_process_uid tells).
 */
int cf_processes_next(struct cf_processes *walk, struct cf_process *process,
                      struct cf_error *err);

void cf_processes_close(struct cf_processes *walk);
#define cf_autoprocesses __attribute__((cleanup(cf_processes_close)))

/* Its effective user id: its folder's, but where that is root's, as /proc/PID/status has it. */
uid_t cf_process_uid(const struct cf_process *process);

/* Where a link in its folder leads, such as "exe" or "cwd"; an owned text, NULL if unknown. */
char *cf_process_link(const struct cf_process *process, const char *name);

/* Its executable, without the " (deleted)" of one that an upgrade replaced; owned or NULL. */
char *cf_process_exe(const struct cf_process *process);

/*
 * Calls `take` with the inode of each socket that it holds, in the order of its descriptors,
 * until that returns false. Whether its descriptors could be listed at all.
 */
bool cf_process_sockets(const struct cf_process *process, bool (*take)(void *to, ino_t inode),
                        void *to);

#endif
