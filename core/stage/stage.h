/*
 * The view of one run, built by descriptor in a user and mount namespace of its own before
 * bwrap is executed there, and the keeper that holds it true for as long as the run lasts.
 */
#ifndef CF_STAGE_STAGE_H
#define CF_STAGE_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum cf_stage_kind {
    CF_STAGE_ROOT,    /* everything that is mounted becomes read-only, /proc excepted */
    CF_STAGE_SHADOW,  /* a private folder stands for the host's: names refused, the rest kept */
    CF_STAGE_BIND,    /* the host's file, socket or folder is seen there */
    CF_STAGE_HIDE,    /* a node that cannot be opened lies over the name */
    CF_STAGE_PROTECT, /* readable, neither writable nor replaceable, also when absent */
    CF_STAGE_SKELETON,  /* an empty repository lies over what protects an absent .git */
    CF_STAGE_PRIVATE,   /* reads see the host's, writes go to a layer of the run */
    CF_STAGE_PROCESSES, /* the processes of that procfs that are not of this run are covered */
    CF_STAGE_DEV,       /* /dev is one of its own with harmless devices */
    CF_STAGE_DEVICE,    /* a device of the host is put into it */
    CF_STAGE_LEFT,      /* not the stage's: bwrap arguments do it */
};

enum cf_stage_by { CF_BY_TMPFS, CF_BY_OVERLAY, CF_BY_MASK };

enum cf_stage_as {
    CF_AS_KEEP,   /* the host's, read-only, put again when the host replaces it */
    CF_AS_INERT,  /* there, but connect answers ECONNREFUSED and open fails */
    CF_AS_ABSENT, /* not there, whatever the host has */
    CF_AS_DIR,    /* an empty folder, which a shadow of its own may fill */
    CF_AS_LINK,   /* a symbolic link as the host has it */
};

enum cf_stage_others {
    CF_OTHERS_KEEP,  /* names without an entry are kept, now and when they come */
    CF_OTHERS_FILES, /* as KEEP, but sockets and FIFOs are inert */
    CF_OTHERS_NONE,  /* names without an entry are not there */
};

struct cf_stage_entry {
    const char *name; /* one component */
    enum cf_stage_as as;
    /* The name is a pattern (host/glob.h) for INERT or ABSENT: what matches it and has no entry
     * of its own is refused whenever it comes. */
    bool glob;
};

#define CF_STAGE_MODE_OF_HOST ((mode_t)-1)

struct cf_stage_op {
    enum cf_stage_kind kind;
    const char *path; /* absolute, canonical; "/" only for ROOT and LEFT */
    /* SHADOW */
    enum cf_stage_by by;
    enum cf_stage_others others;
    const struct cf_stage_entry *entries;
    size_t count;
    mode_t mode; /* permission bits, or CF_STAGE_MODE_OF_HOST */
    /* SHADOW, PRIVATE: bytes that may be written to it, 0 for the kernel's default */
    uint64_t size;
    /* SHADOW: what is written there lasts for the run; BIND: it goes to the host's. */
    bool writable;
    /* BIND: only to keep the folder from being renamed; its access stays what it is. */
    bool pin;
    /* BIND: fails unless the path is still this file. */
    bool expected;
    uint64_t dev; /* as st_dev */
    uint64_t ino;
    /*
     * PROTECT: what stands for an absent name: a folder, a socket that nobody can open, or a
     * file with `content`, if any. In a folder that is the content of a file .gitignore.
     */
    bool folder;
    bool socket;
    const char *content;
    /* DEV: the terminal, below the path, that is seen as console; NULL for none */
    const char *console;
    /* DEVICE: the device, absolute and canonical, where the path is a link to it; NULL else */
    const char *source;
    /* PRIVATE: the folder that keeps the layer between runs, NULL to throw it away */
    const char *keep;
};

enum cf_stage_outcome {
    CF_STAGE_PENDING, /* not reached: the stage failed before */
    CF_STAGE_DONE,
    CF_STAGE_WEAKER,  /* done in a weaker way, see the reason */
    CF_STAGE_SKIPPED, /* nothing to do, or nothing that could be done */
    CF_STAGE_BWRAP,   /* left to bwrap */
};

enum cf_stage_reason {
    CF_REASON_NONE,
    CF_REASON_ABSENT,       /* SKIPPED: not there; the keeper does it when it comes */
    CF_REASON_UNSEARCHABLE, /* SKIPPED: out of the caller's reach, so also of the command's */
    CF_REASON_COVERED, /* SKIPPED: lies in what another operation made read-only or private */
    CF_REASON_NO_OVERLAY,   /* DONE: by tmpfs, since the kernel refused an overlay there */
    CF_REASON_NO_LAYER,     /* WEAKER: private but empty, the host's files are not seen */
    CF_REASON_LAYER_BUSY,   /* WEAKER: another run has the kept layer, this one's is lost */
    CF_REASON_NO_RECORD,    /* WEAKER: absent, and without records nothing can stand for it */
    CF_REASON_NOT_A_FOLDER, /* SKIPPED: a private layer can only be had over a folder */
};

struct cf_stage_result {
    uint8_t outcome;  /* enum cf_stage_outcome */
    uint8_t reason;   /* enum cf_stage_reason */
    uint8_t replaced; /* PROTECT, masks: the host did so during the run, or it came then */
    int32_t number;   /* errno where one says more, else 0 */
};

/* Written by the keeper while it works; whole once prepare or finish is back. */
struct cf_stage_report {
    int32_t keeper;        /* process id, 0 when none was started */
    uint32_t kept;         /* siblings put into shadows at the start */
    uint32_t missing;      /* siblings that could not be put */
    uint32_t placeholders; /* made on the host for absent protected names */
    uint32_t unwatched;    /* folders that cannot be watched: the keeper looks every 250 ms */
    uint32_t put;          /* what came or was replaced during the run and was put */
    uint32_t dropped;      /* what went during the run */
    uint32_t refused;      /* other names of something refused that came during the run */
    uint32_t pinned;       /* refusals and protections that a change of the host had undone */
    uint32_t left;         /* placeholders that somebody had changed, so they stay */
    uint32_t waiting;      /* placeholders that the next run has yet to remove */
    uint8_t finished;      /* the keeper came to its end */
    uint8_t lost;          /* it ended the run, see cf_stage_lost */
};

struct cf_stage;

/*
 * Copies the operations, which are given in the order they are to be done (a folder before what
 * it holds). `records` is the folder that says which placeholders are in whose use (mode 0700,
 * the caller's own, on a disk that outlives a restart of the machine; made when absent), or
 * NULL: then absent names cannot be protected. NULL with EINVAL for an operation that breaks
 * the rules above, EPERM for a records folder that others can use, ENOMEM, EMFILE.
 */
struct cf_stage *cf_stage_new(const struct cf_stage_op *ops, size_t count, const char *records,
                              struct cf_error *err);

/*
 * Descriptors to hand to bwrap: as `--info-fd`, from which the keeper learns what it waits for,
 * and as `--block-fd`, which does not block but tells the keeper that bwrap has set up. Without
 * them the keeper guesses by the clock and searches /proc, and the command inherits them.
 */
int cf_stage_info_fd(const struct cf_stage *stage);
int cf_stage_block_fd(const struct cf_stage *stage);

/*
 * For the forked child that will execute bwrap, before resource limits, cgroups and filters are
 * applied to it: the keeper, its sibling, must not be under them. Enters the namespaces, has
 * the view built and returns when it stands. -1: the run must not start. Only async-signal-safe
 * calls are made. The child's own descriptors stay as they are, but for the two for bwrap,
 * which an exec now keeps.
 */
int cf_stage_prepare(void *stage, struct cf_error *err);

/*
 * For the launcher, once the child is forked: a descriptor that becomes readable when the
 * keeper has done its last or was killed. While the run lasts that means its guard is gone and
 * the run must be ended. Owned by the stage.
 */
int cf_stage_watch(struct cf_stage *stage);

/*
 * Waits until the keeper has swept and ended, which it does by itself once bwrap and everything
 * in the sandbox is gone, and reaps it if it is a child of the caller; 0 when none was started.
 * -1 with ETIMEDOUT after `milliseconds`, or when it was killed (the next run sweeps then).
 */
int cf_stage_finish(struct cf_stage *stage, int milliseconds, struct cf_error *err);

const struct cf_stage_report *cf_stage_report(const struct cf_stage *stage);
const struct cf_stage_result *cf_stage_result(const struct cf_stage *stage, size_t op);

/* Why the keeper ended the run, when it did: what could be held no longer; else NULL. */
const struct cf_error *cf_stage_lost(const struct cf_stage *stage);

/* For messages: "absent", "no overlay", ... */
const char *cf_stage_reason_text(enum cf_stage_reason reason);

/* Frees everything; does not end the keeper. Safe on NULL. */
void cf_stage_free(struct cf_stage *stage);

/*
 * Proves in a child that a stage can be had here: namespaces allowed, every call answered, a
 * folder shadowed and followed. 0, or -1 with the call that failed and why. About 2 ms.
 */
int cf_stage_probe(struct cf_error *err);

/*
 * Proves in a child what the stage has overlays for: that a name of a host's folder can be kept
 * out of sight (else large folders cost a mount for each of their names), and that writes to
 * one can go to a layer of the run (else private places are empty). About 2 ms each.
 */
int cf_stage_probe_shadow(struct cf_error *err);
int cf_stage_probe_layer(struct cf_error *err);

/*
 * Removes what runs that were killed together with their keeper left on the host: placeholders
 * that nobody touched since, and the records of them. Does nothing while their keeper lives.
 * -1 when the folder cannot be had. cf_stage_new does this by itself.
 */
int cf_stage_sweep(const char *records, struct cf_error *err);

#endif
