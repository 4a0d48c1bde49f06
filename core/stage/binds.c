/* A bind is prepared before the root becomes read-only and attached when its turn comes. */
#include "stage/binds.h"

#include <errno.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/protect.h"
#include "stage/view.h"

int cf_bind_prepare(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_op *op = node->op;
    if (op->pin)
        return 0;
    cf_autoclose int fd = cf_view_open(stage, op->path, node->length);
    if (fd < 0 && cf_view_is_absent(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, 0);
    if (fd < 0 && cf_view_is_unsearchable(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_UNSEARCHABLE, errno);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", op->path);
    struct cf_place place;
    if (cf_place_look(fd, &place) < 0)
        return cf_fail(err, errno, "stat %s", op->path);
    if (S_ISLNK(place.mode))
        return cf_fail(err, ELOOP, "bind %s", op->path);
    if (op->expected && (place.id.dev != op->dev || place.id.ino != op->ino))
        return cf_fail(err, 0, "%s is no longer the file that the plan was made for", op->path);
    uint64_t set =
        MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (op->writable ? 0 : MOUNT_ATTR_RDONLY);
    node->host_id = place.id;
    node->prepared = cf_mount_clone(fd, set, 0, op->path, err);
    return node->prepared < 0 ? -1 : 0;
}

static int attach(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place host, place;
    if (node->prepared < 0 || cf_place_look(node->prepared, &host) < 0)
        return 0;
    cf_autoclose int at = cf_view_place(stage, i, S_ISDIR(host.mode));
    if (at < 0 && (cf_view_is_absent(errno) || cf_view_is_unsearchable(errno)))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, errno);
    if (at < 0 || cf_place_look(at, &place) < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    /* A sibling that its shadow has put there already needs no second mount. */
    bool same = place.is_mount && cf_identity_equal(&host.id, &place.id);
    if ((!same || node->op->writable) &&
        cf_mount_attach(node->prepared, at, node->op->path, NULL) < 0) {
        if (errno != ENOENT || node->op->expected)
            return cf_fail(err, errno, "move_mount to %s", node->op->path);
        /* The kernel attaches nothing that was removed since it was copied. A file or socket
         * that came in its place is put by the keeper. */
        cf_close_fd(&node->prepared);
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, ENOENT);
    }
    node->view = cf_take_fd(&node->prepared);
    node->stands = true;
    cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
    return node->op->writable ? cf_protect_prepare(stage, i, err) : 0;
}

/* A file or socket that the host has replaced is put again; a folder stays the one it was. */
static int follow(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place host, place;
    cf_autoclose int fd = cf_view_host(stage, i, node->length);
    if (fd < 0 || cf_place_look(fd, &host) < 0 || S_ISDIR(host.mode))
        return -1;
    cf_autoclose int at = cf_view_place(stage, i, false);
    if (at < 0 || cf_place_look(at, &place) < 0)
        return -1;
    if (place.is_mount && cf_identity_equal(&host.id, &place.id))
        return 0;
    uint64_t access = MOUNT_ATTR_RDONLY, always = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    cf_autoclose int copy = cf_mount_clone(fd, always | (node->op->writable ? 0 : access),
                                           node->op->writable ? access : 0, "", NULL);
    if (copy < 0)
        return -1;
    if (place.is_mount && cf_mount_detach(at, node->op->path, NULL) < 0)
        return -1;
    cf_close_fd(&at);
    at = cf_view_place(stage, i, false);
    if (at < 0 || cf_mount_attach(copy, at, node->op->path, NULL) < 0)
        return -1;
    stage->shared->report.put++;
    return 0;
}

int cf_bind_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    if (stage->nodes[i].op->pin)
        return cf_protect_pin(stage, i, err);
    return stage->keeping ? follow(stage, i) : attach(stage, i, err);
}
