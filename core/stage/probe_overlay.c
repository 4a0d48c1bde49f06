/* Lays the two overlays that a view may hold over a folder of the host, in a child. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/mounts.h"
#include "stage/namespaces.h"
#include "stage/probe.h"
#include "stage/stage.h"

/* A name that is on every machine, in a folder that nothing is mounted below: containers have
 * mounts below /etc. And a place that is on every machine and not /proc. */
#define HOST "/usr/bin"
#define NAME "env"
#define PLACE "/dev"

/* Enters namespaces, attaches an empty tmpfs at the place and opens the host's folder. */
static int prepare(int *layer, int *host, struct cf_error *err)
{
    if (cf_namespaces_enter(err) < 0)
        return -1;
    cf_autoclose int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    cf_autoclose int place = cf_place_open(root, PLACE, err);
    if (root < 0 || place < 0)
        return -1;
    *host = cf_place_open(root, HOST, err);
    *layer = cf_mount_tmpfs(0755, 0, err);
    if (*host < 0 || *layer < 0)
        return -1;
    return cf_mount_attach(*layer, place, PLACE, err);
}

static int try_shadow(struct cf_error *err)
{
    cf_autoclose int layer = -1, host = -1;
    char lower[64];
    struct stat st;
    if (prepare(&layer, &host, err) < 0)
        return -1;
    if (mknodat(layer, NAME, S_IFCHR, makedev(0, 0)) < 0)
        return cf_fail(err, errno, "mknod in a tmpfs");
    snprintf(lower, sizeof lower, "/proc/self/fd/%d:/proc/self/fd/%d", layer, host);
    const char *const options[] = { "lowerdir", lower, NULL };
    cf_autoclose int overlay = cf_mount_overlay(options, HOST, err);
    if (overlay < 0)
        return -1;
    if (fstatat(overlay, NAME, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return cf_fail(err, 0, "a whiteout in an overlay of %s hides nothing", HOST);
    return 0;
}

static int try_layer(struct cf_error *err)
{
    cf_autoclose int layer = -1, host = -1;
    char lower[32], upper[48], work[48];
    if (prepare(&layer, &host, err) < 0)
        return -1;
    if (mkdirat(layer, "upper", 0755) < 0 || mkdirat(layer, "work", 0700) < 0)
        return cf_fail(err, errno, "mkdir in a tmpfs");
    snprintf(lower, sizeof lower, "/proc/self/fd/%d", host);
    snprintf(upper, sizeof upper, "/proc/self/fd/%d/upper", layer);
    snprintf(work, sizeof work, "/proc/self/fd/%d/work", layer);
    if (setxattr(upper, "user.overlay.confine", "y", 1, 0) < 0)
        return cf_fail(err, errno, "set an attribute in a tmpfs");
    removexattr(upper, "user.overlay.confine");
    const char *const options[] = {
        "lowerdir", lower, "upperdir", upper, "workdir", work, NULL
    };
    cf_autoclose int overlay = cf_mount_overlay(options, HOST, err);
    if (overlay < 0)
        return -1;
    cf_autoclose int made =
        openat(overlay, "made", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return made < 0 ? cf_fail(err, errno, "write to an overlay of %s", HOST) : 0;
}

int cf_stage_probe_shadow(struct cf_error *err)
{
    return cf_stage_try(try_shadow, err);
}

int cf_stage_probe_layer(struct cf_error *err)
{
    return cf_stage_try(try_layer, err);
}
