/*
 * A mount point can be neither renamed nor removed in the namespace it is mounted in, so every
 * folder on the way is bound on itself and the name is bound read-only. The host can still
 * replace the name, which drops the mount; then the keeper calls this again.
 */
#include "stage/protect.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/held.h"
#include "stage/view.h"

static int bind_on_itself(struct cf_stage *stage, int fd, uint64_t attributes, const char *path,
                          struct cf_error *err)
{
    /* On a symbolic link bwrap would set them itself, follow it and fail. */
    attributes |= MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    cf_autoclose int copy = cf_mount_clone(fd, attributes, 0, path, err);
    if (copy < 0 || cf_mount_attach(copy, fd, path, err) < 0)
        return -1;
    stage->shared->report.pinned += stage->keeping;
    return 0;
}

static int pin(struct cf_stage *stage, int fd, const char *path, struct cf_error *err)
{
    struct cf_place place;
    if (cf_place_look(fd, &place) < 0)
        return cf_fail(err, errno, "stat %s", path);
    return place.is_mount ? 0 : bind_on_itself(stage, fd, 0, path, err);
}

int cf_protect_pin(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    cf_autoclose int fd = cf_view_open(stage, node->op->path, node->length);
    if (fd < 0 && (cf_view_is_absent(errno) || cf_view_is_unsearchable(errno)))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, errno);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
    return pin(stage, fd, node->op->path, err);
}

/* The first `length` bytes of the path as a text; -1 with ENAMETOOLONG. */
static int copy_part(char part[PATH_MAX], const char *path, size_t length)
{
    if (length >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(part, path, length);
    part[length] = '\0';
    return 0;
}

/* What stands for that part of the path: on the way to a name, a folder. */
static enum cf_placeholder kind_at(const struct cf_node *node, size_t length)
{
    if (length < node->length || node->op->folder)
        return CF_PLACEHOLDER_FOLDER;
    return node->op->socket ? CF_PLACEHOLDER_SOCKET : CF_PLACEHOLDER_FILE;
}

/* PATH/.gitignore; -1 with ENAMETOOLONG. */
static int name_ignored(char file[PATH_MAX], const char *path)
{
    int length = snprintf(file, PATH_MAX, "%s/.gitignore", path);
    if (length >= 0 && length < PATH_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return -1;
}

/* A folder with a file that says what git is not to see in it: an empty one it would remove. */
static int make_ignored(struct cf_stage *stage, const char *path, const char *content)
{
    char file[PATH_MAX];
    cf_autoclose int folder = cf_view_open(stage, path, strlen(path));
    if (folder < 0 || name_ignored(file, path) < 0)
        return -1;
    return cf_placeholders_make(&stage->placeholders, folder, ".gitignore", file,
                                CF_PLACEHOLDER_FILE, content);
}

/* Makes the last component of that part of the path; -1 with errno. */
static int make_placeholder(struct cf_stage *stage, const struct cf_node *node, size_t length)
{
    char path[PATH_MAX];
    if (copy_part(path, node->op->path, length) < 0)
        return -1;
    const char *name = strrchr(path, '/') + 1;
    cf_autoclose int parent = cf_view_open(stage, path, (size_t)(name - path));
    if (parent < 0)
        return -1;
    int made = cf_placeholders_make(&stage->placeholders, parent, name, path,
                                    kind_at(node, length), node->op->content);
    stage->shared->report.placeholders += made > 0;
    bool is_ignored = length == node->length && node->op->folder && node->op->content != NULL;
    if (made > 0 && is_ignored)
        made = make_ignored(stage, path, node->op->content);
    return made < 0 ? -1 : 0;
}

/* What is made in a private layer goes away with it; outside of both nothing can be made. */
static bool is_hosts(const struct cf_stage *stage, const struct cf_node *node)
{
    return node->cover >= 0 && stage->nodes[node->cover].op->kind == CF_STAGE_BIND;
}

/* O_PATH of that part of the path, made where it is absent on the host; -1 with errno. */
static int find(struct cf_stage *stage, const struct cf_node *node, size_t length)
{
    int fd = cf_view_open(stage, node->op->path, length);
    if (fd >= 0 || errno != ENOENT || !is_hosts(stage, node) ||
        make_placeholder(stage, node, length) < 0)
        return fd;
    return cf_view_open(stage, node->op->path, length);
}

/* Why a name that is not there cannot be held: 0 when the command cannot make it either. */
static int give_up(struct cf_stage *stage, size_t i, int number, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    int failed = cf_placeholders_why(&stage->placeholders);
    if (failed == EWOULDBLOCK)
        return cf_fail(err, failed, "protect %s: the records of other runs in %s are locked",
                       node->op->path, stage->placeholders.path);
    if (failed != 0)
        return cf_fail(err, failed, "protect %s: the records in %s cannot be kept",
                       node->op->path, stage->placeholders.path);
    if (number == EROFS || number == ENOTDIR || cf_view_is_unsearchable(number) ||
        !is_hosts(stage, node))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_COVERED, number);
    if (stage->placeholders.dir < 0)
        return cf_view_result(stage, i, CF_STAGE_WEAKER, CF_REASON_NO_RECORD, number);
    return cf_fail(err, number, "protect %s", node->op->path);
}

static bool is_writable_place(const struct cf_stage *stage, const struct cf_node *node)
{
    if (node->cover < 0)
        return false;
    const struct cf_node *cover = &stage->nodes[node->cover];
    if (cover->op->kind == CF_STAGE_PRIVATE)
        return true;
    /* One that was not there when the root became read-only is not writable either. */
    return cover->op->writable && cover->stands;
}

static int protect_name(struct cf_stage *stage, size_t i, int fd, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    struct cf_place place;
    struct statvfs fs;
    if (cf_place_look(fd, &place) < 0 || fstatvfs(fd, &fs) < 0)
        return cf_fail(err, errno, "stat %s", node->op->path);
    cf_view_result(stage, i, CF_STAGE_DONE, CF_REASON_NONE, 0);
    bool stands = place.is_mount && (fs.f_flag & ST_RDONLY);
    if (!stands && bind_on_itself(stage, fd, MOUNT_ATTR_RDONLY, node->op->path, err) < 0)
        return -1;
    /* The command need not wait for that. */
    if (stage->keeping)
        cf_held_watch(stage, i, NULL, fd, !stands);
    if (stage->keeping && !stands)
        stage->shared->results[i].replaced = 1;
    return 0;
}

/* The end of the next component of the path after `at`. */
static size_t next_part(const struct cf_node *node, size_t at)
{
    const char *slash = strchr(node->op->path + at + 1, '/');
    return slash == NULL ? node->length : (size_t)(slash - node->op->path);
}

/* Takes a share in what is at that part of the path, if it is another run's; -1 with errno. */
static int join(struct cf_stage *stage, const char *path, int fd)
{
    struct cf_placeholders *p = &stage->placeholders;
    struct cf_place place;
    char file[PATH_MAX];
    if (cf_place_look(fd, &place) < 0)
        return -1;
    int joined = cf_placeholders_join(p, path, &place);
    if (joined <= 0 || !S_ISDIR(place.mode) || name_ignored(file, path) < 0)
        return joined;
    /* Without its .gitignore git would list the folder, or remove it. */
    if (cf_place_look_at(fd, ".gitignore", &place) < 0)
        return errno == ENOENT ? 0 : -1;
    return cf_placeholders_join(p, file, &place);
}

static int prepare(struct cf_stage *stage, const struct cf_node *node, size_t at)
{
    /* From before it is looked for: what another run sweeps meanwhile could not be joined. */
    if (cf_placeholders_hold(&stage->placeholders) < 0)
        return -1;
    while (at < node->length) {
        at = next_part(node, at);
        char part[PATH_MAX];
        cf_autoclose int fd = find(stage, node, at);
        if (fd < 0 || copy_part(part, node->op->path, at) < 0 || join(stage, part, fd) < 0)
            return -1;
    }
    return 0;
}

static bool lies_in(const struct cf_node *node, const struct cf_node *above)
{
    return above != NULL && node->length > above->length &&
           node->op->path[above->length] == '/' &&
           memcmp(node->op->path, above->op->path, above->length) == 0;
}

int cf_protect_prepare(struct cf_stage *stage, size_t cover, struct cf_error *err)
{
    const struct cf_node *top = NULL;
    for (size_t i = cover + 1; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        /* Nothing can be made in what will be read-only as a whole. */
        if (node->op->kind != CF_STAGE_PROTECT || node->cover != (int)cover ||
            lies_in(node, top))
            continue;
        top = node;
        if (prepare(stage, node, stage->nodes[cover].length) < 0 &&
            give_up(stage, i, errno, err) < 0)
            return -1;
    }
    cf_placeholders_settle(&stage->placeholders);
    return 0;
}

int cf_protect_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    const struct cf_node *node = &stage->nodes[i];
    if (!is_writable_place(stage, node))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_COVERED, 0);
    for (size_t at = stage->nodes[node->cover].length;;) {
        at = next_part(node, at);
        cf_autoclose int fd = find(stage, node, at);
        if (fd < 0)
            return give_up(stage, i, errno, err);
        if (at == node->length)
            return protect_name(stage, i, fd, err);
        if (pin(stage, fd, node->op->path, err) < 0)
            return -1;
    }
}

static int open_parent(void *ctx, const char *path, size_t length)
{
    struct cf_stage *stage = ctx;
    const struct cf_node *best = NULL;
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        if (node->op->kind == CF_STAGE_BIND && node->op->writable && node->view >= 0 &&
            node->length <= length && memcmp(path, node->op->path, node->length) == 0 &&
            (path[node->length] == '/' || path[node->length] == '\0') &&
            (best == NULL || best->length < node->length))
            best = node;
    }
    char part[PATH_MAX];
    if (best == NULL) {
        errno = EBADF;
        return -1;
    }
    if (copy_part(part, path + best->length, length - best->length) < 0)
        return -1;
    return cf_place_open(best->view, part, NULL);
}

/*
 * What is a mount point in our own namespace cannot be removed from it. When the host has
 * renamed a folder above the tree and back, the names are protected in a second mount of it,
 * which went into the shadow above: so that goes as a whole.
 */
static void detach_tree(struct cf_stage *stage, const struct cf_node *node)
{
    const struct cf_node *top = node;
    for (int i = node->cover; i >= 0; i = stage->nodes[i].cover)
        if (stage->nodes[i].view >= 0)
            top = &stage->nodes[i];
    cf_mount_detach(top->view, top->op->path, NULL);
    if (top != node)
        cf_mount_detach(node->view, node->op->path, NULL);
}

void cf_protect_end(struct cf_stage *stage)
{
    if (stage->placeholders.record < 0)
        return;
    /* What was opened for the view must not lack now, where only few can be open. */
    for (size_t i = 0; i < stage->count; i++) {
        cf_close_fd(&stage->nodes[i].host);
        cf_close_fd(&stage->nodes[i].inside);
        cf_close_fd(&stage->nodes[i].prepared);
    }
    for (size_t i = stage->count; i-- > 0;) {
        const struct cf_node *node = &stage->nodes[i];
        if (node->op->kind == CF_STAGE_BIND && node->op->writable && node->view >= 0)
            detach_tree(stage, node);
    }
    struct cf_stage_report *report = &stage->shared->report;
    struct cf_placeholders_left left;
    if (cf_placeholders_end(&stage->placeholders, open_parent, stage, &left) < 0)
        left.waiting = report->placeholders;
    report->left += left.changed;
    report->waiting += left.waiting;
}
