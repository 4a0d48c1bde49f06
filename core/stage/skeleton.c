/*
 * Go runs git for any .git that it finds, and fails with an empty one. What lies over it is made
 * by the stage, which knows whether the placeholder stands; bwrap would make the folder anew on
 * the host, where nobody sweeps it.
 */
#include "stage/skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/view.h"

/* What git takes for a repository. */
static int fill(int folder)
{
    static const char head[] = "ref: refs/heads/main\n";
    if (mkdirat(folder, "objects", 0755) < 0 || mkdirat(folder, "refs", 0755) < 0 ||
        mkdirat(folder, "refs/heads", 0755) < 0)
        return -1;
    cf_autoclose int fd = openat(folder, "HEAD", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    return fd < 0 ? -1 : cf_write_all(fd, head, sizeof head - 1, NULL);
}

/* Only what is protected already: a mount that is read-only. */
static bool stands(int fd)
{
    struct cf_place place;
    struct statvfs fs;
    return cf_place_look(fd, &place) == 0 && S_ISDIR(place.mode) && place.is_mount &&
           fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_RDONLY) != 0;
}

int cf_skeleton_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    const char *path = node->op->path;
    cf_autoclose int at = cf_view_open(stage, path, node->length);
    if (at < 0 || !stands(at))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, 0);
    cf_autoclose int mount = cf_mount_tmpfs(0755, 0, err);
    if (mount < 0)
        return -1;
    if (fill(mount) < 0)
        return cf_fail(err, errno, "make an empty repository for %s", path);
    if (cf_mount_change(mount, MOUNT_ATTR_RDONLY, 0, false, path, err) < 0 ||
        cf_mount_attach(mount, at, path, err) < 0)
        return -1;
    return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
}
