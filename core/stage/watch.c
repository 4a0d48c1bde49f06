/*
 * inotify watches inodes, so the same watch serves the host's folder and every bind of it, and
 * a folder that was made again needs a new one.
 */
#include "stage/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/names.h"
#include "stage/shadow.h"
#include "stage/view.h"

#define EVENTS (IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR)

size_t cf_watch_places(const struct cf_stage_op *op)
{
    if (op->kind != CF_STAGE_SHADOW && op->kind != CF_STAGE_BIND && op->kind != CF_STAGE_HIDE &&
        op->kind != CF_STAGE_PROTECT)
        return 0;
    size_t places = op->kind == CF_STAGE_SHADOW;
    for (const char *at = op->path; *at != '\0'; at++)
        places += *at == '/';
    return places;
}

static int add(struct cf_stage *stage, int fd)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int wd = inotify_add_watch(stage->inotify, path, EVENTS);
    if (wd < 0 && errno != ENOENT && errno != ENOTDIR) {
        /* Where we may not even search nothing can be reached: no loss, though it is looked at. */
        bool lost = errno != EACCES || access(path, X_OK) == 0;
        stage->shared->report.unwatched +=
            lost && (!stage->keeping || stage->shared->report.unwatched == 0);
        stage->polling = true;
    }
    return wd;
}

/* The same folder is above many paths; the operation before mostly has it already. */
static int known(const struct cf_stage *stage, size_t i, size_t length)
{
    if (i == 0 || stage->keeping)
        return -1;
    const struct cf_node *node = &stage->nodes[i], *last = &stage->nodes[i - 1];
    if (last->cover != node->cover || last->length < length ||
        memcmp(last->op->path, node->op->path, length) != 0)
        return -1;
    for (size_t k = 0; k < last->watches; k++) {
        const struct cf_watch *watch = &stage->watches[last->first_watch + k];
        if (watch->length == length && length < last->length)
            return watch->wd;
    }
    return -1;
}

static bool arm_one(struct cf_stage *stage, size_t i, struct cf_watch *watch)
{
    const struct cf_node *node = &stage->nodes[i];
    int wd = known(stage, i, watch->length);
    if (wd < 0) {
        bool own = watch->length == node->length;
        cf_autoclose int fd = own ? -1 : cf_view_host(stage, i, watch->length);
        int folder = own ? node->host : fd;
        wd = folder < 0 ? -1 : add(stage, folder);
    }
    bool news = wd >= 0 && wd != watch->wd;
    watch->wd = wd;
    return news;
}

bool cf_watch_arm(struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    bool news = false;
    if (stage->inotify < 0)
        return false;
    size_t from = node->cover < 0 ? 0 : stage->nodes[node->cover].length;
    for (size_t k = 0; k < node->watches; k++) {
        struct cf_watch *watch = &stage->watches[node->first_watch + k];
        if (watch->length >= from || node->cover < 0)
            news |= arm_one(stage, i, watch);
    }
    return news;
}

void cf_watch_mark(struct cf_stage *stage, size_t i)
{
    const struct cf_node *top = &stage->nodes[i];
    stage->nodes[i].dirty = true;
    for (size_t j = i + 1; j < stage->count; j++) {
        struct cf_node *node = &stage->nodes[j];
        if (node->length > top->length && node->op->path[top->length] == '/' &&
            memcmp(node->op->path, top->op->path, top->length) == 0)
            node->dirty = true;
    }
}

/* Whether the component of the path after its first `length` bytes is `name`. */
static bool comes_next(const struct cf_node *node, size_t length, const char *name)
{
    size_t size = strlen(name);
    const char *rest = node->op->path + length;
    return node->length >= length + 1 + size && memcmp(rest + 1, name, size) == 0 &&
           (rest[1 + size] == '/' || rest[1 + size] == '\0');
}

/*
 * A rename is told as two events of one cookie. The thing keeps being refused under its new
 * name even when it was replaced so shortly before that nobody saw what it was.
 */
static void follow_rename(struct cf_stage *stage, size_t i, const struct inotify_event *event)
{
    if (event->mask & IN_MOVED_FROM) {
        if (cf_names_refuses(stage, i, event->name))
            stage->moved[stage->moved_count++ % CF_MOVED_KEPT] = event->cookie;
        return;
    }
    for (unsigned k = 0; k < CF_MOVED_KEPT; k++)
        if (event->cookie != 0 && stage->moved[k] == event->cookie)
            cf_names_refuse(stage, i, event->name);
}

void cf_watch_tell(struct cf_stage *stage, const struct inotify_event *event)
{
    for (size_t k = 0; k < stage->watch_count; k++) {
        const struct cf_watch *watch = &stage->watches[k];
        if (watch->wd != event->wd)
            continue;
        struct cf_node *node = &stage->nodes[watch->node];
        if (watch->length != node->length) {
            if (comes_next(node, watch->length, event->name))
                cf_watch_mark(stage, watch->node);
        } else if (node->stands) {
            follow_rename(stage, watch->node, event);
            cf_names_sync(stage, watch->node, event->name);
        }
    }
}
