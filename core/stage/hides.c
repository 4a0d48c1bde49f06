/* The host drops a mask when it renames over the name; the keeper then calls this again. */
#include "stage/hides.h"

#include <errno.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/refused.h"
#include "stage/view.h"

static int hide_folder(struct cf_stage *stage, struct cf_node *node, int at,
                       struct cf_error *err)
{
    struct cf_place place;
    mode_t mode = node->op->mode == CF_STAGE_MODE_OF_HOST ? 0 : node->op->mode;
    cf_autoclose int mount = cf_mount_blank(mode, err);
    if (mount < 0 || cf_mount_attach(mount, at, node->op->path, err) < 0)
        return -1;
    if (cf_place_look(mount, &place) < 0)
        return cf_fail(err, errno, "stat %s", node->op->path);
    node->own = place.id.dev;
    stage->shared->report.pinned += stage->keeping;
    return 0;
}

int cf_hide_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place place;
    cf_autoclose int at = cf_view_open(stage, node->op->path, node->length);
    if (at < 0 && cf_view_is_absent(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, 0);
    if (at < 0 && cf_view_is_unsearchable(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_UNSEARCHABLE, errno);
    if (at < 0 || cf_place_look(at, &place) < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
    if (S_ISDIR(place.mode) && node->own != 0 && place.id.dev == node->own)
        return 0;
    if (cf_mount_is_inert(&place))
        return 0;
    cf_refused_note(stage, &place.id);
    if (S_ISDIR(place.mode))
        return hide_folder(stage, node, at, err);
    cf_autoclose int inert = cf_mount_inert(stage->root, err);
    if (inert < 0 || cf_mount_attach(inert, at, node->op->path, err) < 0)
        return -1;
    stage->shared->report.pinned += stage->keeping;
    return 0;
}
