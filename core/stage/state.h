/* What the rooms of the stage share about one run; all of it is allocated before the fork. */
#ifndef CF_STAGE_STATE_H
#define CF_STAGE_STATE_H

#include "stage/arena.h"
#include "stage/mounts.h"
#include "stage/placeholders.h"
#include "stage/stage.h"

/* One operation and what became of it. */
struct cf_node {
    const struct cf_stage_op *op;
    const struct cf_stage_entry **entries; /* the operation's, by name, patterns last */
    size_t exact;                          /* how many of them are no patterns */
    size_t length;                         /* of the path */
    int cover; /* the shadow, private folder or bind that the path lies in, or -1 */
    enum cf_stage_by by;
    bool joined;  /* a shadow inside the mount of its cover */
    bool stands;  /* attached once */
    bool dirty;   /* to be looked at by the keeper */
    int host;     /* O_PATH of the host's folder beneath a shadow, -1 while there is none */
    int view;     /* what is attached at the path */
    int inside;   /* a shadow's or overlay layer's folder, writable */
    int prepared; /* a detached copy made while everything was still writable */
    int lock;     /* of a kept layer */
    uint64_t own; /* the device of what was attached */
    struct cf_identity host_id;
    unsigned bound; /* names put over an overlay */
    int64_t due;    /* when to look again, by CLOCK_MONOTONIC, 0 for never */
    size_t first_watch;
    size_t watches;
    size_t first_held;
    size_t helds;
};

/* A folder that inotify tells about, on behalf of one node. */
struct cf_watch {
    int wd;
    uint32_t node;
    uint32_t length; /* how much of the node's path names the folder, 0 for the root */
};

/* A file that is pinned or masked, see stage/held.h. */
struct cf_held {
    int wd;
    uint32_t node;
    const char *name; /* in the folder of the node; NULL for what stands at its path */
};

#define CF_REFUSED_SPARE 1024
#define CF_MOVED_KEPT 16

struct cf_shared {
    struct cf_error error;
    struct cf_stage_report report;
    struct cf_stage_result results[];
};

struct cf_stage {
    struct cf_arena arena; /* which also holds this */
    struct cf_node *nodes;
    size_t count;
    struct cf_watch *watches;
    size_t watch_count;
    struct cf_held *helds;
    size_t held_count;
    struct cf_identity *refused; /* what was seen under a refused name, oldest overwritten */
    size_t refused_cap;
    size_t refused_count; /* ever noted; the next goes to this modulo the capacity */
    uint32_t
        *refused_next; /* of each place in the ring the next of its chain, plus 1; 0 ends */
    uint32_t *refused_chains;   /* by hash, the first place in the ring, plus 1 */
    size_t refused_chain_count; /* a power of two */
    struct cf_shared *shared;
    size_t shared_size;
    pid_t runner;  /* becomes bwrap */
    char *listing; /* for getdents64 */
    int info[2];   /* bwrap writes, the keeper reads */
    int block[2];  /* bwrap reads one byte when it has set up, the keeper sees that it has */
    int alive[2];  /* the keeper holds the writing end until it has swept */
    /* From here on of use in the keeper only. */
    int root; /* O_PATH of / in the stage's namespace */
    int inotify;
    int held;                      /* the inotify that tells of the helds */
    uint32_t moved[CF_MOVED_KEPT]; /* inotify cookies of refused names that were renamed away */
    unsigned moved_count;
    bool keeping;             /* the view stands */
    bool lost;                /* something can be held no longer: the run is ended */
    struct cf_ending *ending; /* of the keeper that keeps */
    bool polling;             /* some folder cannot be watched */
    struct cf_placeholders placeholders;
};

#define CF_LISTING_SIZE 32768

/* Nanoseconds on CLOCK_MONOTONIC. */
int64_t cf_stage_now(void);

#endif
