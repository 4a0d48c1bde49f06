/* Which process holds a socket: the dear question, asked only for the processes that matter. */
#ifndef CF_HOST_OWNERS_H
#define CF_HOST_OWNERS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct cf_owner {
    uint64_t inode; /* of the socket, as asked */
    pid_t pid;      /* 0 while nobody was found */
    uid_t uid;      /* effective, as /proc/PID/status has it */
    char comm[64];
    char *exe; /* where the kernel tells it, without a trailing " (deleted)"; else NULL */
};

struct cf_owners {
    struct cf_owner *items; /* one for each inode asked for, sorted by inode, no doubles */
    size_t len;
};

/*
 * Looks in /proc for who holds the sockets with these inodes. comms, a NULL-terminated list,
 * limits the search to processes whose command name is one of them (compared by the 15 bytes
 * the kernel keeps, or followed by ": " as in "tmux: server"); NULL searches all. The process
 * with the lowest id wins, which for a daemon is the one that forked the others. What may not
 * be seen (another user's descriptors) is left unfound, so "nobody" means "not known".
 * -1 when /proc cannot be read or memory is short. Facts: proc(5).
 */
int cf_owners_find(const uint64_t *inodes, size_t count, const char *const *comms,
                   struct cf_owners *owners, struct cf_error *err);

void cf_owners_free(struct cf_owners *owners);

#endif
