/*
 * The upper and the work folder of the overlay lie in one mount, attached at the place itself
 * while the overlay is made.
 */
#include "stage/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/view.h"

int cf_private_prepare(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const char *keep = node->op->keep;
    if (keep == NULL)
        return 0;
    cf_autoclose int fd = cf_view_open(stage, keep, strlen(keep));
    if (fd < 0)
        return cf_fail(err, errno, "open %s", keep);
    node->lock = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (node->lock < 0)
        return cf_fail(err, errno, "open %s", keep);
    /* Two overlays writing to one layer is what the kernel calls undefined. */
    if (flock(node->lock, LOCK_EX | LOCK_NB) < 0) {
        cf_close_fd(&node->lock);
        return 0;
    }
    node->prepared = cf_mount_clone(fd, 0, 0, keep, err);
    return node->prepared < 0 ? -1 : 0;
}

static int make_folder(int dir, const char *name, mode_t mode)
{
    return mkdirat(dir, name, mode) < 0 && errno != EEXIST ? -1 : 0;
}

/* Without user.* attributes overlay could not say that a folder was replaced. */
static bool takes_attributes(int layer)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d/upper", layer);
    if (setxattr(path, "user.overlay.confine", "y", 1, 0) < 0)
        return false;
    removexattr(path, "user.overlay.confine");
    return true;
}

/*
 * The detached overlay, or -1 where it is not to be had; the layer is attached meanwhile. Where
 * the host has nothing, host is -1, and an empty folder of the layer's mount is below.
 */
static int lay(int layer, int host, mode_t mode, const char *path)
{
    char lower[48], upper[48], work[48];
    if (host < 0 && make_folder(layer, "lower", mode) < 0)
        return -1;
    if (make_folder(layer, "upper", mode) < 0 || make_folder(layer, "work", 0700) < 0 ||
        !takes_attributes(layer))
        return -1;
    if (host < 0)
        snprintf(lower, sizeof lower, "/proc/self/fd/%d/lower", layer);
    else
        snprintf(lower, sizeof lower, "/proc/self/fd/%d", host);
    snprintf(upper, sizeof upper, "/proc/self/fd/%d/upper", layer);
    snprintf(work, sizeof work, "/proc/self/fd/%d/work", layer);
    const char *const options[] = {
        "lowerdir", lower, "upperdir", upper, "workdir", work, NULL
    };
    return cf_mount_overlay(options, path, NULL);
}

int cf_private_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_op *op = node->op;
    struct cf_place look, host_look;
    cf_autoclose int place = cf_view_place(stage, i, true);
    if (place < 0 && cf_view_is_absent(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, 0);
    if (place < 0 && cf_view_is_unsearchable(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_UNSEARCHABLE, errno);
    if (place < 0 || cf_place_look(place, &look) < 0)
        return cf_fail(err, errno, "open %s", op->path);
    if (!S_ISDIR(look.mode))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_NOT_A_FOLDER, 0);
    node->host = cf_view_host(stage, i, node->length);
    mode_t mode = look.mode & 07777;
    if (node->host >= 0 && cf_place_look(node->host, &host_look) == 0)
        mode = host_look.mode & 07777;
    bool kept = node->prepared >= 0;
    cf_autoclose int layer =
        kept ? cf_take_fd(&node->prepared) : cf_mount_tmpfs(mode, op->size, err);
    if (layer < 0 || cf_mount_attach(layer, place, op->path, err) < 0)
        return -1;
    /* A plain tmpfs will do for what is not there and not kept. */
    bool plain = node->host < 0 && op->keep == NULL;
    cf_autoclose int overlay = plain ? -1 : lay(layer, node->host, mode, op->path);
    if (overlay < 0 && !kept) {
        /* The empty tmpfs is in its place already and is what the command gets. */
        unlinkat(layer, "upper", AT_REMOVEDIR);
        unlinkat(layer, "lower", AT_REMOVEDIR);
        unlinkat(layer, "work/work", AT_REMOVEDIR);
        unlinkat(layer, "work", AT_REMOVEDIR);
        node->inside = cf_take_fd(&layer);
        return cf_view_result(stage, i, plain ? CF_STAGE_DONE : CF_STAGE_WEAKER,
                              plain ? CF_REASON_NONE : CF_REASON_NO_LAYER, 0);
    }
    if (overlay < 0)
        return cf_fail(err, errno, "overlay of %s on %s", op->path, op->keep);
    if (cf_mount_detach(layer, op->path, err) < 0 ||
        cf_mount_attach(overlay, place, op->path, err) < 0)
        return -1;
    bool busy = op->keep != NULL && !kept;
    return cf_view_result(stage, i, busy ? CF_STAGE_WEAKER : CF_STAGE_DONE,
                          busy ? CF_REASON_LAYER_BUSY : CF_REASON_NONE, 0);
}
