/*
 * By number, at the moment the view is built: what has ended by then needs no cover, and where
 * its number was given to another process, that one is covered. The kernel drops a cover when
 * its process ends.
 */
#include "stage/covers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"
#include "stage/view.h"

struct pass {
    struct cf_stage *stage;
    struct cf_error *err;
    int proc;
    int blank;
    const char *process; /* whose threads are being covered */
    bool failed;
};

static bool is_gone(int number)
{
    return number == ENOENT || number == ESRCH;
}

/* Ours are needed: bwrap writes its id maps there, and the keeper works by /proc/self/fd. */
static bool is_ours(const struct cf_stage *stage, const char *number)
{
    long pid = strtol(number, NULL, 10);
    return pid == (long)getpid() || pid == (long)stage->runner;
}

static int cover(struct pass *pass, const char *number)
{
    /* Each round is one process of that number that has ended; more than a few are no chance. */
    for (int round = 0; round < 8; round++) {
        cf_autoclose int at = cf_place_open(pass->proc, number, NULL);
        if (at < 0)
            return is_gone(errno) ? 0 : cf_fail(pass->err, errno, "open /proc/%s", number);
        cf_autoclose int copy = cf_mount_clone(pass->blank, 0, 0, "tmpfs", pass->err);
        if (copy < 0)
            return -1;
        if (cf_mount_attach(copy, at, number, NULL) == 0)
            return 0;
        if (!is_gone(errno))
            return cf_fail(pass->err, errno, "cover /proc/%s", number);
    }
    return cf_fail(pass->err, EAGAIN, "cover /proc/%s", number);
}

/* A thread is in no listing of /proc, but its folder is found by its number. */
static void cover_thread(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    if (!pass->failed && strcmp(name, pass->process) != 0)
        pass->failed = cover(pass, name) < 0;
}

static void cover_process(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    char path[32], listing[4096] __attribute__((aligned(8)));
    if (pass->failed || name[0] < '0' || name[0] > '9' || is_ours(pass->stage, name))
        return;
    pass->process = name;
    snprintf(path, sizeof path, "%.20s/task", name);
    cf_autoclose int task = cf_place_open(pass->proc, path, NULL);
    bool listed =
        task >= 0 && cf_listing_each(task, listing, sizeof listing, cover_thread, pass) >= 0;
    /* Where a mount option keeps threads from being listed, it also keeps them from us. */
    if (!listed && !is_gone(errno) && !cf_view_is_unsearchable(errno)) {
        cf_fail(pass->err, errno, "list /proc/%s", path);
        pass->failed = true;
    }
    if (!pass->failed)
        pass->failed = cover(pass, name) < 0;
}

int cf_covers_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    /* What starts now may be of this run. */
    if (stage->keeping)
        return 0;
    cf_autoclose int proc = cf_view_open(stage, node->op->path, node->length);
    if (proc < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    cf_autoclose int blank = cf_mount_blank(0555, err);
    if (blank < 0)
        return -1;
    struct pass pass = { stage, err, proc, blank, NULL, false };
    if (cf_listing_each(proc, stage->listing, CF_LISTING_SIZE, cover_process, &pass) < 0)
        return cf_fail(err, errno, "list %s", node->op->path);
    if (pass.failed)
        return -1;
    return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
}
