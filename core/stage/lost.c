/*
 * Paths are what pins and masks are put back by. When the host has moved the work tree, they lead
 * elsewhere, while the command still stands in the folder that it was.
 */
#include "stage/lost.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/ending.h"
#include "stage/view.h"

static void note(struct cf_stage *stage, const struct cf_error *err)
{
    if (stage->lost)
        return;
    stage->lost = true;
    stage->shared->error = *err;
    stage->shared->report.lost = 1;
    if (stage->ending != NULL)
        cf_ending_force(stage->ending);
}

void cf_lost_note(struct cf_stage *stage, const struct cf_error *err)
{
    if (cf_is_want(err->number))
        note(stage, err);
}

/* Whether what was bound is no longer found there. */
static bool is_moved(const struct cf_node *node, int at)
{
    struct cf_place place;
    if (at < 0)
        return cf_view_is_absent(errno);
    /* Not by birth: an overlay tells another one once it has copied the folder up. */
    return cf_place_look(at, &place) == 0 &&
           (place.id.ino != node->host_id.ino || place.id.dev != node->host_id.dev);
}

/* Whether the command writes in that folder, and something in it is refused or protected. */
static bool is_guarded(const struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    struct cf_place place;
    if (node->op->kind != CF_STAGE_BIND || !node->op->writable || node->op->pin ||
        !node->stands || cf_place_look(node->view, &place) < 0 || !S_ISDIR(place.mode))
        return false;
    for (size_t j = i + 1; j < stage->count; j++)
        if (stage->nodes[j].cover == (int)i && stage->nodes[j].op->kind != CF_STAGE_BIND)
            return true;
    return false;
}

void cf_lost_look(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        if (!is_guarded(stage, i))
            continue;
        cf_autoclose int view = cf_view_open(stage, node->op->path, node->length);
        bool moved = is_moved(node, view);
        cf_autoclose int host = cf_view_host(stage, i, node->length);
        if (!moved && !is_moved(node, host))
            continue;
        struct cf_error err;
        cf_fail(&err, 0,
                "%s was moved or removed, so what is protected in it cannot be held any longer",
                node->op->path);
        note(stage, &err);
    }
}
