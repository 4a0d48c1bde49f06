/* inotify on a file tells that its name was taken away: by a rename over it, or an unlink. */
#include "stage/held.h"

#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/lost.h"
#include "stage/names.h"
#include "stage/view.h"

#define EVENTS (IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

size_t cf_held_places(const struct cf_stage_op *op)
{
    if (op->kind == CF_STAGE_PROTECT)
        return 1;
    size_t places = 0;
    for (size_t e = 0; op->kind == CF_STAGE_SHADOW && op->by == CF_BY_MASK && e < op->count;
         e++)
        places += !op->entries[e].glob;
    return places;
}

void cf_held_open(struct cf_stage *stage)
{
    stage->held = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

static struct cf_held *find(struct cf_stage *stage, size_t i, const char *name)
{
    const struct cf_node *node = &stage->nodes[i];
    for (size_t k = 0; k < node->helds; k++) {
        struct cf_held *held = &stage->helds[node->first_held + k];
        if (name == NULL ? held->name == NULL : strcmp(held->name, name) == 0)
            return held;
    }
    return NULL;
}

void cf_held_watch(struct cf_stage *stage, size_t i, const char *name, int fd, bool is_new)
{
    struct cf_held *held = find(stage, i, name);
    char path[32];
    if (stage->held < 0 || held == NULL || (held->wd >= 0 && !is_new))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    held->wd = inotify_add_watch(stage->held, path, EVENTS);
}

static void look_at(struct cf_stage *stage, const struct cf_held *held)
{
    const struct cf_node *node = &stage->nodes[held->node];
    struct cf_error err = { 0 };
    if (held->name != NULL) {
        cf_names_sync(stage, held->node, held->name);
        return;
    }
    cf_autoclose int at = cf_view_open(stage, node->op->path, node->length);
    if (at >= 0 && cf_view_apply(stage, held->node, &err) < 0)
        cf_lost_note(stage, &err);
}

void cf_held_take(struct cf_stage *stage)
{
    char buffer[4096] __attribute__((aligned(8)));
    ssize_t got = stage->held < 0 ? -1 : read(stage->held, buffer, sizeof buffer);
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
        at += (ssize_t)(sizeof *event + event->len);
        bool lost = (event->mask & IN_Q_OVERFLOW) != 0;
        for (size_t k = 0; k < stage->held_count; k++)
            if (lost || stage->helds[k].wd == event->wd)
                look_at(stage, &stage->helds[k]);
    }
}
