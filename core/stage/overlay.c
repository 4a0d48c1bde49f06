/*
 * The layer is a tmpfs that is attached only while the overlay is made from it: kernels before
 * 6.15 take no layer from a detached mount.
 */
#include "stage/overlay.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/names.h"
#include "stage/shadow.h"
#include "stage/view.h"

/* What a busy folder may add to the mounts of a run. */
#define BOUND_MAX 200

bool cf_overlay_wants(const struct cf_node *node, const struct cf_place *seen,
                      const struct cf_place *wanted)
{
    if (seen == NULL || S_ISDIR(seen->mode) != S_ISDIR(wanted->mode) ||
        node->bound >= BOUND_MAX)
        return false;
    /* Overlay has inode numbers of its own for folders, so there any news counts. */
    return seen->is_mount || S_ISSOCK(wanted->mode) || S_ISDIR(wanted->mode) ||
           seen->id.ino != wanted->id.ino;
}

static int fill(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const char *dead = NULL, *whiteout = NULL;
    for (size_t e = 0; e < node->exact; e++) {
        const struct cf_stage_entry *entry = node->entries[e];
        int made = 0;
        if (entry->as == CF_AS_INERT)
            made = cf_shadow_make(node->inside, entry->name, S_IFSOCK, &dead);
        else if (entry->as == CF_AS_ABSENT)
            made = cf_shadow_make(node->inside, entry->name, S_IFCHR, &whiteout);
        else if (entry->as == CF_AS_DIR)
            made = mkdirat(node->inside, entry->name, 0755);
        struct cf_place place;
        /* A folder of two layers looks like the upper one, here ours. */
        if (made == 0 && entry->as == CF_AS_DIR && node->host >= 0 &&
            cf_place_look_at(node->host, entry->name, &place) == 0 && S_ISDIR(place.mode))
            made = fchmodat(node->inside, entry->name, place.mode & 07777, 0);
        if (made < 0 && errno != EEXIST)
            return cf_fail(err, errno, "make %s in the layer of %s", entry->name,
                           node->op->path);
    }
    for (size_t j = i + 1; j < stage->count; j++) {
        struct cf_node *next = &stage->nodes[j];
        if (next->cover != (int)i || !cf_shadow_joins(stage, j))
            continue;
        const char *name = next->op->path + node->length + 1;
        next->joined = true;
        next->inside = cf_place_open(node->inside, name, err);
        next->host = node->host < 0 ? -1 : cf_place_open(node->host, name, NULL);
        if (next->inside < 0 || fill(stage, j, err) < 0)
            return -1;
        cf_close_fd(&next->host);
    }
    return 0;
}

static int lay(struct cf_stage *stage, size_t i, int place, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const char *path = node->op->path;
    char lower[64];
    struct cf_place root;
    mode_t mode = cf_place_look(node->host, &root) == 0 ? root.mode : 0755;
    if (node->op->mode != CF_STAGE_MODE_OF_HOST)
        mode = node->op->mode;
    cf_autoclose int layer = cf_mount_tmpfs(mode, 0, err);
    if (layer < 0 || cf_mount_attach(layer, place, path, err) < 0)
        return -1;
    node->inside = cf_mount_clone(layer, 0, 0, path, err);
    if (node->inside < 0 || fill(stage, i, err) < 0)
        return -1;
    snprintf(lower, sizeof lower, "/proc/self/fd/%d:/proc/self/fd/%d", layer, node->host);
    const char *const options[] = { "lowerdir", lower, NULL };
    cf_autoclose int mount = cf_mount_overlay(options, path, NULL);
    if (cf_mount_detach(layer, path, err) < 0)
        return -1;
    if (mount < 0)
        return 1;
    if (cf_mount_change(mount, MOUNT_ATTR_RDONLY, 0, false, path, err) < 0 ||
        cf_mount_attach(mount, place, path, err) < 0)
        return -1;
    if (cf_place_look(mount, &root) < 0)
        return cf_fail(err, errno, "stat %s", path);
    node->own = root.id.dev;
    node->view = cf_take_fd(&mount);
    return 0;
}

static int stand_joined(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    node->view = cf_view_open(stage, node->op->path, node->length);
    if (node->view < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    node->own = stage->nodes[node->cover].own;
    return 0;
}

/* 0 when it stands, 1 when overlay is not to be had there, -1 with *err. */
static int stand(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    cf_shadow_refind(stage, i);
    if (node->joined)
        return stand_joined(stage, i, err);
    if (node->host < 0)
        return 1;
    cf_autoclose int place = cf_view_place(stage, i, true);
    if (place < 0)
        return 1;
    return lay(stage, i, place, err);
}

static void give_up(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    for (size_t j = i + 1; j < stage->count; j++)
        if (stage->nodes[j].cover == (int)i && cf_shadow_joins(stage, j))
            give_up(stage, j);
    cf_shadow_fall(stage, i);
    node->joined = false;
    node->by = CF_BY_TMPFS;
}

int cf_overlay_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    if (node->stands && cf_shadow_follow(stage, i))
        return 0;
    int stood = stand(stage, i, err);
    if (stood < 0)
        return -1;
    if (stood > 0) {
        give_up(stage, i);
        return cf_shadow_build(stage, i, err);
    }
    node->stands = true;
    cf_names_sync_all(stage, i);
    return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
}
