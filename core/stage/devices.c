/* The host's /dev stays open beneath the new one, and devices are bound from it by descriptor. */
#include "stage/devices.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/view.h"

static const char *const harmless[] = { "null", "zero", "full", "random", "urandom", "tty" };

static const char *const links[][2] = {
    { "stdin", "/proc/self/fd/0" },  { "stdout", "/proc/self/fd/1" },
    { "stderr", "/proc/self/fd/2" }, { "fd", "/proc/self/fd" },
    { "core", "/proc/kcore" },       { "ptmx", "pts/ptmx" },
};

/* A device is on the host or it is not: what is absent there is absent here. */
static int bind_device(int host, int at, const char *name, uint64_t set, struct cf_error *err)
{
    cf_autoclose int copy =
        cf_mount_clone(host, set | MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, name, err);
    if (copy < 0)
        return -1;
    cf_autoclose int made = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
    if (made < 0)
        return cf_fail(err, errno, "make %s in /dev", name);
    return cf_mount_attach_at(copy, at, name, err);
}

static int bind_harmless(const struct cf_node *node, struct cf_error *err)
{
    for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++) {
        cf_autoclose int host = cf_place_open(node->host, harmless[k], NULL);
        if (host >= 0 &&
            bind_device(host, node->inside, harmless[k], MOUNT_ATTR_RDONLY, err) < 0)
            return -1;
    }
    return 0;
}

static int bind_console(const struct cf_node *node, struct cf_error *err)
{
    const char *terminal = node->op->console;
    if (terminal == NULL)
        return 0;
    cf_autoclose int host = cf_place_open(node->host, terminal + node->length, NULL);
    return host < 0 ? 0 : bind_device(host, node->inside, "console", MOUNT_ATTR_RDONLY, err);
}

static int make_rest(const struct cf_node *node, struct cf_error *err)
{
    for (size_t k = 0; k < sizeof links / sizeof *links; k++)
        if (symlinkat(links[k][1], node->inside, links[k][0]) < 0)
            return cf_fail(err, errno, "link %s in /dev", links[k][0]);
    if (mkdirat(node->inside, "shm", 0755) < 0 || mkdirat(node->inside, "pts", 0755) < 0)
        return cf_fail(err, errno, "mkdir in /dev");
    cf_autoclose int pts = cf_mount_devpts(err);
    return pts < 0 ? -1 : cf_mount_attach_at(pts, node->inside, "pts", err);
}

int cf_dev_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    if (stage->keeping)
        return 0;
    node->host = cf_view_open(stage, node->op->path, node->length);
    if (node->host < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    node->inside = cf_mount_tmpfs(0755, 0, err);
    if (node->inside < 0 ||
        cf_mount_attach(node->inside, node->host, node->op->path, err) < 0 ||
        bind_harmless(node, err) < 0 || bind_console(node, err) < 0 || make_rest(node, err) < 0)
        return -1;
    node->stands = true;
    return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
}

/* Below the new /dev the host's is still open. */
static int open_device(struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    const char *source = node->op->source;
    if (source == NULL)
        return cf_view_host(stage, i, node->length);
    for (size_t j = 0; j < i; j++) {
        const struct cf_node *dev = &stage->nodes[j];
        if (dev->op->kind == CF_STAGE_DEV && strncmp(source, dev->op->path, dev->length) == 0 &&
            source[dev->length] == '/')
            return cf_place_open(dev->host, source + dev->length, NULL);
    }
    return cf_view_open(stage, source, strlen(source));
}

int cf_device_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    if (stage->keeping)
        return 0;
    cf_autoclose int host = open_device(stage, i);
    if (host < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    cf_autoclose int at = cf_view_place(stage, i, false);
    if (at < 0)
        return cf_fail(err, errno, "make %s", node->op->path);
    cf_autoclose int copy =
        cf_mount_clone(host, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV, node->op->path, err);
    if (copy < 0 || cf_mount_attach(copy, at, node->op->path, err) < 0)
        return -1;
    return cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
}
