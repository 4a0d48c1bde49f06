/* The life of a stage as its launcher sees it: made, prepared, watched, finished. */
#include "stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/keeper.h"
#include "stage/namespaces.h"
#include "stage/nodes.h"
#include "stage/state.h"

const char *cf_stage_reason_text(enum cf_stage_reason reason)
{
    static const char *const texts[] = {
        [CF_REASON_NONE] = "",
        [CF_REASON_ABSENT] = "absent",
        [CF_REASON_UNSEARCHABLE] = "unsearchable",
        [CF_REASON_COVERED] = "covered",
        [CF_REASON_NO_OVERLAY] = "no overlay",
        [CF_REASON_NO_LAYER] = "empty: no overlay can be laid over it",
        [CF_REASON_LAYER_BUSY] = "another run has its layer",
        [CF_REASON_NO_RECORD] = "no placeholder",
        [CF_REASON_NOT_A_FOLDER] = "not a folder",
    };
    size_t known = sizeof texts / sizeof *texts;
    return (size_t)reason < known ? texts[reason] : "";
}

static int make_shared(struct cf_stage *stage, struct cf_error *err)
{
    /* Written by the keeper, read by the launcher; gone in bwrap with its exec. */
    stage->shared_size =
        sizeof *stage->shared + stage->count * sizeof stage->shared->results[0];
    void *shared = mmap(NULL, stage->shared_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return cf_fail(err, errno, "map the report");
    stage->shared = shared;
    return 0;
}

static int make_pipes(struct cf_stage *stage, struct cf_error *err)
{
    if (pipe2(stage->info, O_CLOEXEC) < 0 || pipe2(stage->alive, O_CLOEXEC) < 0 ||
        fcntl(stage->info[0], F_SETFL, O_NONBLOCK) < 0 || pipe2(stage->block, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "pipe");
    /* A pipe of one slot with one byte in it: it can be written again once bwrap has read. */
    if (fcntl(stage->block[1], F_SETPIPE_SZ, 1) < 0 || write(stage->block[1], "k", 1) != 1)
        return cf_fail(err, errno, "fill the pipe for bwrap");
    return 0;
}

struct cf_stage *cf_stage_new(const struct cf_stage_op *ops, size_t count, const char *records,
                              struct cf_error *err)
{
    struct cf_arena arena = cf_arena_make();
    struct cf_stage *stage = cf_arena_take(&arena, 1, sizeof *stage);
    if (stage == NULL) {
        cf_fail(err, ENOMEM, "stage");
        return NULL;
    }
    stage->arena = arena;
    for (int end = 0; end < 2; end++)
        stage->info[end] = stage->block[end] = stage->alive[end] = -1;
    stage->root = stage->inotify = stage->held = -1;
    stage->placeholders = (struct cf_placeholders)CF_PLACEHOLDERS_CLOSED;
    if (cf_nodes_make(stage, ops, count, err) < 0 || make_shared(stage, err) < 0 ||
        make_pipes(stage, err) < 0 || (records != NULL && cf_stage_sweep(records, err) < 0) ||
        cf_placeholders_open(&stage->placeholders, records, err) < 0) {
        cf_stage_free(stage);
        return NULL;
    }
    return stage;
}

int cf_stage_info_fd(const struct cf_stage *stage)
{
    return stage->info[1];
}

int cf_stage_block_fd(const struct cf_stage *stage)
{
    return stage->block[0];
}

const struct cf_stage_report *cf_stage_report(const struct cf_stage *stage)
{
    return &stage->shared->report;
}

const struct cf_error *cf_stage_lost(const struct cf_stage *stage)
{
    return stage->shared->report.lost ? &stage->shared->error : NULL;
}

const struct cf_stage_result *cf_stage_result(const struct cf_stage *stage, size_t op)
{
    return &stage->shared->results[op];
}

/*
 * The keeper is made a child of the launcher, which can wait for it, and not of bwrap, which
 * would not know it. A fork by system call, so no handler of the C library runs.
 */
static int start_keeper(struct cf_stage *stage, struct cf_keeper_fds fds, struct cf_error *err)
{
    long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid < 0)
        return cf_fail(err, errno, "fork the keeper");
    if (pid == 0)
        cf_keeper_main(stage, fds);
    stage->shared->report.keeper = (int32_t)pid;
    return 0;
}

int cf_stage_prepare(void *ctx, struct cf_error *err)
{
    struct cf_stage *stage = ctx;
    int ready[2];
    pid_t parent = getppid();
    cf_autoclose int launcher = pidfd_open(parent, 0);
    cf_autoclose int runner = pidfd_open(getpid(), 0);
    if (launcher < 0 || runner < 0)
        return cf_fail(err, errno, "pidfd_open");
    if (getppid() != parent)
        return cf_fail(err, ESRCH, "the launcher has ended");
    if (cf_namespaces_enter(err) < 0)
        return -1;
    stage->runner = getpid();
    if (pipe2(ready, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "pipe");
    cf_autoclose int from = ready[0];
    cf_autoclose int to = ready[1];
    if (start_keeper(stage, (struct cf_keeper_fds){ launcher, runner, to }, err) < 0)
        return -1;
    cf_close_fd(&to);
    char byte;
    ssize_t got;
    while ((got = read(from, &byte, 1)) < 0 && errno == EINTR)
        ;
    if (got != 1) {
        const struct cf_error *why = &stage->shared->error;
        if (why->message[0] == '\0')
            return cf_fail(err, 0, "the keeper ended before the view stood");
        if (err != NULL)
            *err = *why;
        return -1;
    }
    if (fcntl(stage->info[1], F_SETFD, 0) < 0 || fcntl(stage->block[0], F_SETFD, 0) < 0)
        return cf_fail(err, errno, "hand over to bwrap");
    return 0;
}

int cf_stage_watch(struct cf_stage *stage)
{
    /* Our own end would keep the pipe from ever reporting the keeper's. */
    cf_close_fd(&stage->alive[1]);
    return stage->alive[0];
}

int cf_stage_finish(struct cf_stage *stage, int milliseconds, struct cf_error *err)
{
    const struct cf_stage_report *report = &stage->shared->report;
    struct pollfd end = { .fd = cf_stage_watch(stage), .events = POLLIN };
    int64_t until = cf_stage_now() + (int64_t)milliseconds * 1000000;
    while (report->keeper != 0) {
        int64_t left = (until - cf_stage_now()) / 1000000;
        int found = poll(&end, 1, left > 0 ? (int)left : 0);
        if (found > 0)
            break;
        if (found == 0)
            return cf_fail(err, ETIMEDOUT, "wait for the keeper");
        if (errno != EINTR)
            return cf_fail(err, errno, "poll the keeper");
    }
    /* It has only to exit; ECHILD where somebody else is its parent. */
    if (report->keeper != 0)
        while (waitpid(report->keeper, NULL, 0) < 0 && errno == EINTR)
            ;
    if (report->keeper != 0 && !report->finished)
        return cf_fail(err, 0, "the keeper was killed");
    return 0;
}

void cf_stage_free(struct cf_stage *stage)
{
    if (stage == NULL)
        return;
    if (stage->shared != NULL)
        munmap(stage->shared, stage->shared_size);
    for (int end = 0; end < 2; end++) {
        cf_close_fd(&stage->info[end]);
        cf_close_fd(&stage->block[end]);
        cf_close_fd(&stage->alive[end]);
    }
    cf_placeholders_close(&stage->placeholders);
    struct cf_arena arena = stage->arena;
    cf_arena_free(&arena);
}

static int open_folder(void *ctx, const char *path, size_t length)
{
    char part[PATH_MAX];
    if (length >= sizeof part)
        return -1;
    memcpy(part, path, length);
    part[length] = '\0';
    return cf_place_open(*(int *)ctx, part, NULL);
}

int cf_stage_sweep(const char *records, struct cf_error *err)
{
    struct cf_placeholders p = CF_PLACEHOLDERS_CLOSED;
    if (cf_placeholders_open(&p, records, err) < 0)
        return -1;
    cf_autoclose int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root >= 0)
        cf_placeholders_sweep(&p, open_folder, &root);
    cf_placeholders_close(&p);
    return 0;
}
