/* The life of a stage as its launcher sees it: made, prepared in the child, watched, finished. */
#include "stage/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/keeper.h"
#include "stage/namespaces.h"
#include "stage/state.h"
#include "stage/watch.h"

const char *cf_stage_reason_text(enum cf_stage_reason reason)
{
    static const char *const texts[] = {
        [CF_REASON_NONE] = "",
        [CF_REASON_ABSENT] = "absent",
        [CF_REASON_UNSEARCHABLE] = "unsearchable",
        [CF_REASON_COVERED] = "covered",
        [CF_REASON_NO_OVERLAY] = "no overlay",
        [CF_REASON_NO_LAYER] = "no layer",
        [CF_REASON_LAYER_BUSY] = "layer busy",
        [CF_REASON_NO_RECORD] = "no placeholder",
        [CF_REASON_NOT_A_FOLDER] = "not a folder",
    };
    size_t known = sizeof texts / sizeof *texts;
    return (size_t)reason < known ? texts[reason] : "";
}

static bool is_canonical(const char *path)
{
    if (path == NULL || path[0] != '/' || strlen(path) >= PATH_MAX)
        return false;
    for (const char *at = path; *at == '/';) {
        size_t length = strcspn(++at, "/");
        bool dots = (length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.');
        if (length == 0 || length > NAME_MAX || dots)
            return false;
        at += length;
    }
    return true;
}

static bool is_component(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) <= NAME_MAX &&
           strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_op(const struct cf_stage_op *op, struct cf_error *err)
{
    if (op->kind == CF_STAGE_ROOT || op->kind == CF_STAGE_LEFT)
        return 0;
    if (!is_canonical(op->path))
        return cf_fail(err, EINVAL, "stage path %s", op->path == NULL ? "(none)" : op->path);
    for (size_t e = 0; e < op->count; e++)
        if (!is_component(op->entries[e].name))
            return cf_fail(err, EINVAL, "entry of the shadow of %s", op->path);
    if (op->kind == CF_STAGE_SHADOW && op->by != CF_BY_TMPFS &&
        (op->writable || op->others == CF_OTHERS_NONE))
        return cf_fail(err, EINVAL, "shadow of %s: only a tmpfs can be writable or empty",
                       op->path);
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct cf_stage_entry *const *a = left, *const *b = right;
    if ((*a)->glob != (*b)->glob)
        return (*a)->glob ? 1 : -1;
    return strcmp((*a)->name, (*b)->name);
}

/* The last operation before `i` that the path of `i` lies in; ancestors come first. */
static int find_cover(const struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    for (size_t j = i; j-- > 0;) {
        const struct cf_node *above = &stage->nodes[j];
        enum cf_stage_kind kind = above->op->kind;
        bool covers = kind == CF_STAGE_SHADOW || kind == CF_STAGE_PRIVATE ||
                      (kind == CF_STAGE_BIND && !above->op->pin);
        if (covers && above->length < node->length && node->op->path[above->length] == '/' &&
            memcmp(above->op->path, node->op->path, above->length) == 0)
            return (int)j;
    }
    return -1;
}

static int make_node(struct cf_stage *stage, size_t i, const struct cf_stage_op *op,
                     struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    *node = (struct cf_node){ .op = op, .by = op->by, .host = -1, .view = -1, .inside = -1,
                              .prepared = -1, .lock = -1, .cover = -1 };
    if (check_op(op, err) < 0)
        return -1;
    node->length = op->path == NULL ? 0 : strlen(op->path);
    if (node->watches > 0 || op->kind != CF_STAGE_LEFT)
        node->cover = find_cover(stage, i);
    node->first_watch = stage->watch_count;
    node->watches = cf_watch_places(op);
    stage->watch_count += node->watches;
    stage->refused_cap += op->count + 1;
    if (op->count == 0)
        return 0;
    node->entries = calloc(op->count, sizeof *node->entries);
    if (node->entries == NULL)
        return cf_fail(err, ENOMEM, "stage");
    for (size_t e = 0; e < op->count; e++) {
        node->entries[e] = &op->entries[e];
        node->exact += !op->entries[e].glob;
    }
    qsort(node->entries, op->count, sizeof *node->entries, compare_entries);
    return 0;
}

static void place_watches(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        struct cf_watch *watch = &stage->watches[node->first_watch];
        for (size_t at = 0; node->watches > 0 && at < node->length; at++)
            if (node->op->path[at] == '/')
                *watch++ = (struct cf_watch){ -1, (uint32_t)i, (uint32_t)at };
        if (node->op->kind == CF_STAGE_SHADOW)
            *watch = (struct cf_watch){ -1, (uint32_t)i, (uint32_t)node->length };
    }
}

static int fill(struct cf_stage *stage, const struct cf_stage_op *ops, struct cf_error *err)
{
    for (size_t i = 0; i < stage->count; i++)
        if (make_node(stage, i, &ops[i], err) < 0)
            return -1;
    stage->refused_cap += CF_REFUSED_SPARE;
    stage->watches = calloc(stage->watch_count + 1, sizeof *stage->watches);
    stage->refused = calloc(stage->refused_cap, sizeof *stage->refused);
    stage->listing = malloc(CF_LISTING_SIZE);
    if (stage->watches == NULL || stage->refused == NULL || stage->listing == NULL)
        return cf_fail(err, ENOMEM, "stage");
    place_watches(stage);
    /* Written by the keeper, read by the launcher; gone in bwrap with its exec. */
    stage->shared_size =
        sizeof *stage->shared + stage->count * sizeof stage->shared->results[0];
    void *shared = mmap(NULL, stage->shared_size, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return cf_fail(err, errno, "map the report");
    stage->shared = shared;
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
    struct cf_stage *stage = calloc(1, sizeof *stage);
    if (stage == NULL || (stage->nodes = calloc(count + 1, sizeof *stage->nodes)) == NULL) {
        cf_fail(err, ENOMEM, "stage");
        free(stage);
        return NULL;
    }
    stage->count = count;
    for (int end = 0; end < 2; end++)
        stage->info[end] = stage->block[end] = stage->alive[end] = -1;
    stage->root = stage->inotify = -1;
    stage->placeholders = (struct cf_placeholders)CF_PLACEHOLDERS_CLOSED;
    if (fill(stage, ops, err) < 0 || (records != NULL && cf_stage_sweep(records, err) < 0) ||
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
    for (size_t i = 0; i < stage->count; i++)
        free(stage->nodes[i].entries);
    free(stage->nodes);
    free(stage->watches);
    free(stage->refused);
    free(stage->listing);
    for (int end = 0; end < 2; end++) {
        cf_close_fd(&stage->info[end]);
        cf_close_fd(&stage->block[end]);
        cf_close_fd(&stage->alive[end]);
    }
    cf_placeholders_close(&stage->placeholders);
    free(stage);
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
