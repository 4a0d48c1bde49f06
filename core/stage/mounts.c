/* Thin calls around the descriptor-based mount interface; nothing here knows a plan. */
#include "stage/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fds.h"

int cf_place_open(int base, const char *path, struct cf_error *err)
{
    struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    const char *relative = path;
    while (*relative == '/')
        relative++;
    int fd = (int)syscall(SYS_openat2, base, *relative ? relative : ".", &how, sizeof how);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", path);
    return fd;
}

static int64_t nanoseconds(struct statx_timestamp at)
{
    return at.tv_sec * 1000000000 + at.tv_nsec;
}

static int look(int fd, const char *name, int flags, struct cf_place *place)
{
    struct statx x;
    if (statx(fd, name, flags | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
              STATX_BASIC_STATS | STATX_BTIME, &x) < 0)
        return -1;
    *place = (struct cf_place){
        .id = { makedev(x.stx_dev_major, x.stx_dev_minor), x.stx_ino, 0 },
        .mode = x.stx_mode,
        .rdev = makedev(x.stx_rdev_major, x.stx_rdev_minor),
        .changed = nanoseconds(x.stx_ctime),
        .written = nanoseconds(x.stx_mtime),
        .size = x.stx_size,
        .is_mount = (x.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
    };
    if (x.stx_mask & STATX_BTIME)
        place->id.born = nanoseconds(x.stx_btime);
    return 0;
}

int cf_place_look(int fd, struct cf_place *place)
{
    return look(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, place);
}

int cf_place_look_at(int dir, const char *name, struct cf_place *place)
{
    return look(dir, name, AT_STATX_DONT_SYNC, place);
}

int cf_place_look_again(int dir, const char *name, struct cf_place *place)
{
    return look(dir, name, AT_STATX_FORCE_SYNC, place);
}

bool cf_identity_equal(const struct cf_identity *a, const struct cf_identity *b)
{
    return a->ino == b->ino && a->dev == b->dev &&
           (a->born == b->born || a->born == 0 || b->born == 0);
}

int cf_mount_clone(int fd, uint64_t set, uint64_t clear, const char *subject,
                   struct cf_error *err)
{
    /* Without AT_RECURSIVE the kernel answers EINVAL over mounts that came locked. */
    cf_autoclose int copy =
        open_tree(fd, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (copy < 0)
        return cf_fail(err, errno, "open_tree %s", subject);
    /* As a peer of its source it would receive every mount made there once more. */
    struct mount_attr attr = { .attr_set = set, .attr_clr = clear, .propagation = MS_PRIVATE };
    if (mount_setattr(copy, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0)
        return cf_fail(err, errno, "mount_setattr of the copy of %s", subject);
    return cf_take_fd(&copy);
}

int cf_mount_tmpfs(mode_t mode, uint64_t size, struct cf_error *err)
{
    char text[24];
    cf_autoclose int context = fsopen("tmpfs", FSOPEN_CLOEXEC);
    if (context < 0)
        return cf_fail(err, errno, "fsopen tmpfs");
    snprintf(text, sizeof text, "%o", (unsigned)(mode & 07777));
    if (fsconfig(context, FSCONFIG_SET_STRING, "mode", text, 0) < 0)
        return cf_fail(err, errno, "fsconfig tmpfs mode %s", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)size);
    if (size > 0 && fsconfig(context, FSCONFIG_SET_STRING, "size", text, 0) < 0)
        return cf_fail(err, errno, "fsconfig tmpfs size %s", text);
    if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return cf_fail(err, errno, "create tmpfs");
    int mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (mount < 0)
        return cf_fail(err, errno, "fsmount tmpfs");
    return mount;
}

int cf_mount_devpts(struct cf_error *err)
{
    cf_autoclose int context = fsopen("devpts", FSOPEN_CLOEXEC);
    if (context < 0)
        return cf_fail(err, errno, "fsopen devpts");
    if (fsconfig(context, FSCONFIG_SET_STRING, "ptmxmode", "0666", 0) < 0 ||
        fsconfig(context, FSCONFIG_SET_STRING, "mode", "620", 0) < 0 ||
        fsconfig(context, FSCONFIG_SET_FLAG, "newinstance", NULL, 0) < 0)
        return cf_fail(err, errno, "fsconfig devpts");
    if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return cf_fail(err, errno, "create devpts");
    int mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    if (mount < 0)
        return cf_fail(err, errno, "fsmount devpts");
    return mount;
}

int cf_mount_blank(mode_t mode, struct cf_error *err)
{
    cf_autoclose int mount = cf_mount_tmpfs(mode, 0, err);
    if (mount < 0 || cf_mount_change(mount, MOUNT_ATTR_RDONLY, 0, false, "tmpfs", err) < 0)
        return -1;
    return cf_take_fd(&mount);
}

int cf_mount_overlay(const char *const *options, const char *subject, struct cf_error *err)
{
    cf_autoclose int context = fsopen("overlay", FSOPEN_CLOEXEC);
    if (context < 0)
        return cf_fail(err, errno, "fsopen overlay");
    for (const char *const *at = options; *at != NULL; at += 2)
        if (fsconfig(context, FSCONFIG_SET_STRING, at[0], at[1], 0) < 0)
            return cf_fail(err, errno, "fsconfig overlay %s for %s", at[0], subject);
    /* In a user namespace only user.* attributes can say what a layer means. */
    if (fsconfig(context, FSCONFIG_SET_FLAG, "userxattr", NULL, 0) < 0)
        return cf_fail(err, errno, "fsconfig overlay userxattr for %s", subject);
    if (fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return cf_fail(err, errno, "create overlay of %s", subject);
    int mount = fsmount(context, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    if (mount < 0)
        return cf_fail(err, errno, "fsmount overlay of %s", subject);
    return mount;
}

int cf_mount_inert(int root, struct cf_error *err)
{
    cf_autoclose int null = cf_place_open(root, "/dev/null", err);
    if (null < 0)
        return -1;
    uint64_t set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID;
    return cf_mount_clone(null, set, 0, "/dev/null", err);
}

bool cf_mount_is_inert(const struct cf_place *place)
{
    bool is_null = S_ISCHR(place->mode) && place->rdev == makedev(1, 3);
    bool is_blank = S_ISDIR(place->mode) && (place->mode & 07777) == 0;
    return place->is_mount && (is_null || is_blank);
}

int cf_mount_attach(int mount, int at, const char *subject, struct cf_error *err)
{
    if (move_mount(mount, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return cf_fail(err, errno, "move_mount to %s", subject);
    return 0;
}

int cf_mount_attach_at(int mount, int dir, const char *name, struct cf_error *err)
{
    if (move_mount(mount, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return cf_fail(err, errno, "move_mount to %s", name);
    return 0;
}

int cf_mount_change(int fd, uint64_t set, uint64_t clear, bool tree, const char *subject,
                    struct cf_error *err)
{
    struct mount_attr attr = { .attr_set = set, .attr_clr = clear };
    unsigned flags = AT_EMPTY_PATH | (tree ? AT_RECURSIVE : 0);
    if (mount_setattr(fd, "", flags, &attr, sizeof attr) < 0)
        return cf_fail(err, errno, "mount_setattr %s", subject);
    return 0;
}

int cf_mount_share(int fd, struct cf_error *err)
{
    struct mount_attr attr = { .propagation = MS_SHARED };
    if (mount_setattr(fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr) < 0)
        return cf_fail(err, errno, "make shared");
    return 0;
}

void cf_mount_drop(int dir, const char *name)
{
    /* Nothing here stacks more than a few; the bound only keeps a surprise from looping. */
    for (int layer = 0; layer < 16; layer++) {
        struct cf_place place;
        if (cf_place_look_at(dir, name, &place) < 0 || !place.is_mount)
            return;
        char path[32 + 256];
        snprintf(path, sizeof path, "/proc/self/fd/%d/%s", dir, name);
        if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
            return;
    }
}

int cf_mount_detach(int fd, const char *subject, struct cf_error *err)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (umount2(path, MNT_DETACH) < 0)
        return cf_fail(err, errno, "umount %s", subject);
    return 0;
}
