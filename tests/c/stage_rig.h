/* Stages for tests: a private place on the host, a real bwrap, an agent inside. */
#ifndef CF_TESTS_STAGE_RIG_H
#define CF_TESTS_STAGE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "check.h"
#include "stage/stage.h"

struct rig {
    char base[64]; /* a folder of the test's own, by its canonical path */
    bool as_root;  /* with the powers of uid 0 on the host */
    bool no_proc;  /* a procfs cannot be mounted here, so the command sees the one that is */
    bool careless; /* neither the launcher nor bwrap sees to it that they end together */
    bool failed;
};

enum rig_place {
    RIG_HERE, /* with every mount of the host shared, as systemd has it, if this is root */
    RIG_PRIVATE_ROOT, /* with every mount private */
    RIG_USERNS,       /* as root of a user namespace, like `unshare -Urm` */
    RIG_OUTER_BWRAP,  /* in a sandbox of bwrap's */
    RIG_OWN_TMP,      /* the private place lies in a mount of its own */
};

/*
 * Runs `scenario` in a process of its own, as root if this is root and once more as an ordinary
 * user, and fails the case when a SEE of it failed, or when it left a process behind.
 */
#define RIG_CASE(name)                                                                         \
    static void scenario_##name(struct rig *rig);                                              \
    __attribute__((constructor(1000))) static void know_##name(void)                           \
    {                                                                                          \
        rig_register(#name, scenario_##name);                                                  \
    }                                                                                          \
    CHECK_CASE(name)                                                                           \
    {                                                                                          \
        rig_run_case(#name, RIG_HERE);                                                         \
    }                                                                                          \
    static void scenario_##name(struct rig *rig)

void rig_register(const char *name, void (*scenario)(struct rig *));
void rig_run_case(const char *name, enum rig_place place);

/* In the program that runs inside: obeys the orders on stdin, one answer a line, until they end. */
_Noreturn void rig_be_agent(void);

/* In a scenario, instead of CHECK: */
#define SEE(rig, condition) ((rig)->failed |= !CHECK(condition))
#define SEE_INT(rig, got, wanted) ((rig)->failed |= !CHECK_INT(got, wanted))
#define SEE_TEXT(rig, got, wanted) ((rig)->failed |= !CHECK_TEXT(got, wanted))

/* BASE/NAME, which lives as long as the scenario. */
const char *rig_path(const struct rig *rig, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Host-side doings; each aborts the scenario with a message when it fails. */
void rig_mkdir(const char *path);
void rig_write(const char *path, const char *text);
/* As editors and daemons do: a new file renamed over the old. */
void rig_replace(const char *path, const char *text);
/* Bound to a temporary name and renamed over `path` when `over`, else unlinked and bound. */
int rig_listen(const char *path, bool over);
void rig_rename(const char *from, const char *to);
void rig_remove_tree(const char *path);

/* What lies in BASE/NAME, hidden names too, until the next call. */
const char *rig_list(const struct rig *rig, const char *name);

/* A run whose command is the agent. */
struct rig_run {
    struct cf_stage *stage;
    pid_t child;
    int to, from;
    char answer[512];
};

void rig_start(struct rig *rig, struct rig_run *run, const struct cf_stage_op *ops,
               size_t count);

/*
 * Asks the agent: `connect P`, `read P`, `write P T`, `make P`, `mkdir P`, `unlink P`, `rmdir
 * P`, `rename P Q`, `link P Q`, `list P`, `type P`, `sh FOLDER COMMAND`, `mounts`, `user`. The
 * answer is "ok", the text that was asked for, or the name of an errno; of sh it is the exit
 * status, followed by the last line printed when that is not 0.
 */
const char *rig_ask(struct rig_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Asks until the answer is `wanted`, for at most two seconds; the last answer. */
const char *rig_until(struct rig_run *run, const char *wanted, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends the command, waits for bwrap and the keeper; the report stays until rig_free. */
void rig_stop(struct rig *rig, struct rig_run *run);
void rig_free(struct rig_run *run);

/* Whether any process but this one is left below it, waiting up to `ms` for them to go. */
bool rig_is_alone(int ms);

/*
 * The system call `call` answers errno `number` in this process from here on, as on a kernel
 * that has not got it or under a container's filter.
 */
void rig_refuse(unsigned call, unsigned number);

void rig_sleep(int ms);

/* Operations that most scenarios have. */
#define RIG_OPS(ops) (ops), sizeof(ops) / sizeof(*(ops))
#define RIG_ENTRIES(list) .entries = (list), .count = sizeof(list) / sizeof(*(list))

struct cf_stage_op rig_root(void);
/* In which agent.sock and late.sock are inert and secret is absent. */
struct cf_stage_op rig_shadow(const char *path);

#endif
