/* Walks the operations in order and hands each to its room. */
#include "stage/view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/binds.h"
#include "stage/covers.h"
#include "stage/devices.h"
#include "stage/hides.h"
#include "stage/overlay.h"
#include "stage/private.h"
#include "stage/protect.h"
#include "stage/refused.h"
#include "stage/shadow.h"
#include "stage/skeleton.h"

bool cf_view_is_absent(int number)
{
    return number == ENOENT || number == ENOTDIR;
}

bool cf_view_is_unsearchable(int number)
{
    return number == EACCES || number == EPERM;
}

int cf_view_result(struct cf_stage *stage, size_t i, enum cf_stage_outcome outcome,
                   enum cf_stage_reason reason, int number)
{
    struct cf_stage_result *result = &stage->shared->results[i];
    if (!stage->keeping)
        *result = (struct cf_stage_result){ .outcome = (uint8_t)outcome,
                                            .reason = (uint8_t)reason,
                                            .number = number };
    return 0;
}

static int open_part(int base, const char *path, size_t length)
{
    char part[PATH_MAX];
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, path, length);
    part[length] = '\0';
    return cf_place_open(base, part, NULL);
}

int cf_view_open(struct cf_stage *stage, const char *path, size_t length)
{
    return open_part(stage->root, path, length);
}

int cf_view_host(struct cf_stage *stage, size_t i, size_t length)
{
    const struct cf_node *node = &stage->nodes[i];
    if (node->cover < 0)
        return cf_view_open(stage, node->op->path, length);
    const struct cf_node *cover = &stage->nodes[node->cover];
    /* A bind shows the host's own tree, so there is nothing beneath it to look for. */
    if (cover->op->kind == CF_STAGE_BIND)
        return cf_view_open(stage, node->op->path, length);
    if (cover->host < 0) {
        errno = ENOENT;
        return -1;
    }
    if (length < cover->length)
        length = cover->length;
    return open_part(cover->host, node->op->path + cover->length, length - cover->length);
}

/* Makes folders, and a node for anything else, in what is the stage's own. */
static void make_below(int inside, const char *path, bool folder)
{
    cf_autoclose int at = fcntl(inside, F_DUPFD_CLOEXEC, 3);
    for (;;) {
        char name[NAME_MAX + 1];
        while (*path == '/')
            path++;
        size_t length = strcspn(path, "/");
        if (at < 0 || length == 0 || length >= sizeof name)
            return;
        memcpy(name, path, length);
        name[length] = '\0';
        path += length;
        if (*path == '\0' && !folder) {
            mknodat(at, name, S_IFCHR | 0666, makedev(0, 0));
            return;
        }
        mkdirat(at, name, 0755);
        int next = cf_place_open(at, name, NULL);
        cf_close_fd(&at);
        at = next;
    }
}

int cf_view_place(struct cf_stage *stage, size_t i, bool folder)
{
    const struct cf_node *node = &stage->nodes[i];
    int place = cf_view_open(stage, node->op->path, node->length);
    if (place >= 0 || errno != ENOENT || node->cover < 0)
        return place;
    const struct cf_node *cover = &stage->nodes[node->cover];
    if (cover->inside < 0 || cover->by != CF_BY_TMPFS) {
        errno = ENOENT;
        return -1;
    }
    make_below(cover->inside, node->op->path + cover->length, folder);
    return cf_view_open(stage, node->op->path, node->length);
}

int cf_view_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    switch (stage->nodes[i].op->kind) {
    case CF_STAGE_ROOT:
        return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
    case CF_STAGE_SHADOW:
        return stage->nodes[i].by == CF_BY_OVERLAY ? cf_overlay_apply(stage, i, err)
                                                   : cf_shadow_apply(stage, i, err);
    case CF_STAGE_BIND:
        return cf_bind_apply(stage, i, err);
    case CF_STAGE_HIDE:
        return cf_hide_apply(stage, i, err);
    case CF_STAGE_PROTECT:
        return cf_protect_apply(stage, i, err);
    case CF_STAGE_SKELETON:
        return stage->keeping ? 0 : cf_skeleton_apply(stage, i, err);
    case CF_STAGE_PRIVATE:
        return stage->keeping ? 0 : cf_private_apply(stage, i, err);
    case CF_STAGE_PROCESSES:
        return cf_covers_apply(stage, i, err);
    case CF_STAGE_DEV:
        return cf_dev_apply(stage, i, err);
    case CF_STAGE_DEVICE:
        return cf_device_apply(stage, i, err);
    case CF_STAGE_LEFT:
        return cf_view_result(stage, i, CF_STAGE_BWRAP, CF_REASON_NONE, 0);
    }
    return 0;
}

static int make_readonly(struct cf_stage *stage, struct cf_error *err)
{
    /* nosuid is what bwrap would set: where it is, it remounts nothing, which took it 5 ms for 70
     * mounts. nodev it sets not, so that the devices of the stage's /dev can be opened. */
    uint64_t set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    if (cf_mount_change(stage->root, set, 0, true, "/", err) < 0)
        return -1;
    /* bwrap writes its id maps there, and the kernel mounts a fresh /proc in a user namespace
     * only where a writable one is seen. What may be written below is bwrap's to close. */
    cf_autoclose int proc = cf_place_open(stage->root, "/proc", NULL);
    struct cf_place place;
    if (proc >= 0 && cf_place_look(proc, &place) == 0 && place.is_mount)
        cf_mount_change(proc, 0, MOUNT_ATTR_RDONLY, false, "/proc", NULL);
    return 0;
}

/* Before the first sibling is kept: a name in one folder may be a refused one of another. */
static void note_refused(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        struct cf_node *node = &stage->nodes[i];
        struct cf_place place;
        if (node->op->kind == CF_STAGE_SHADOW)
            cf_shadow_note(stage, i);
        if (node->op->kind != CF_STAGE_HIDE)
            continue;
        cf_autoclose int fd = cf_view_open(stage, node->op->path, node->length);
        if (fd >= 0 && cf_place_look(fd, &place) == 0)
            cf_refused_note(stage, &place.id);
    }
}

/* A command that could read the records could lock them, and with them every other run. */
static int hide_records(struct cf_stage *stage, struct cf_error *err)
{
    const char *path = stage->placeholders.path;
    if (stage->placeholders.dir < 0)
        return 0;
    cf_autoclose int at = cf_view_open(stage, path, strlen(path));
    if (at < 0 && (cf_view_is_absent(errno) || cf_view_is_unsearchable(errno)))
        return 0;
    cf_autoclose int blank = at < 0 ? -1 : cf_mount_blank(0, err);
    if (at < 0)
        return cf_fail(err, errno, "open %s", path);
    return blank < 0 ? -1 : cf_mount_attach(blank, at, path, err);
}

int cf_view_build(struct cf_stage *stage, struct cf_error *err)
{
    stage->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (stage->root < 0)
        return cf_fail(err, errno, "open /");
    bool readonly = false;
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_stage_op *op = stage->nodes[i].op;
        readonly |= op->kind == CF_STAGE_ROOT;
        if (op->kind == CF_STAGE_BIND && cf_bind_prepare(stage, i, err) < 0)
            return -1;
        if (op->kind == CF_STAGE_PRIVATE && cf_private_prepare(stage, i, err) < 0)
            return -1;
    }
    if (readonly && make_readonly(stage, err) < 0)
        return -1;
    note_refused(stage);
    for (size_t i = 0; i < stage->count; i++)
        if (cf_view_apply(stage, i, err) < 0)
            return -1;
    if (hide_records(stage, err) < 0)
        return -1;
    /* Only now: a mount made while its neighbours are peers would be made several times. */
    return cf_mount_share(stage->root, err);
}
