/* Which process holds a socket: the dear question, asked only for the processes that matter. */
#ifndef CF_HOST_OWNERS_H
#define CF_HOST_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
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
 * limits the search to processes of these names, as cf_processes_open takes them; NULL searches
 * all. The process with the lowest id wins, which for a daemon is the one that forked the
 * others. What may not be seen (another user's descriptors) is left unfound, so "nobody" means
 * "not known". -1 when /proc cannot be read or memory is short. Facts: proc(5).
 */
int cf_owners_find(const uint64_t *inodes, size_t count, const char *const *comms,
                   struct cf_owners *owners, struct cf_error *err);

void cf_owners_free(struct cf_owners *owners);

/* A process of the caller's (for root: of anybody's) with all the sockets that it holds. */
struct cf_holder {
    pid_t pid;
    uid_t uid;
    char comm[64];
    char *exe;               /* as in cf_owner */
    char *cwd;               /* its current folder, NULL where that cannot be seen */
    bool is_elsewhere;       /* it is known to see other mounts than the caller */
    bool is_closed;          /* its descriptors cannot be seen, as ssh-agent's cannot: */
    struct cf_bytes command; /* then its command line, each word ended by a NUL, else empty */
    uint64_t *inodes;
    size_t count;
    size_t cap;
};

struct cf_holders {
    struct cf_holder *items; /* by ascending id */
    size_t len;
    size_t cap;
};

/*
 * The processes of these names and what they hold, by one walk over /proc, so that the price
 * does not depend on how many sockets there are. A command line is cut after 64 KiB. -1 when
 * /proc cannot be read or memory is short.
 */
int cf_holders_find(const char *const *comms, struct cf_holders *holders, struct cf_error *err);

void cf_holders_free(struct cf_holders *holders);

#endif
