/*
 * A shadow by tmpfs: attached over the folder, populated through a writable copy of its mount,
 * read-only to the command. By masks it is the host's own folder.
 */
#include "stage/shadow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"
#include "stage/names.h"
#include "stage/refused.h"
#include "stage/view.h"

bool cf_shadow_joins(const struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    if (node->cover < 0 || node->op->writable || node->by == CF_BY_MASK)
        return false;
    const struct cf_node *cover = &stage->nodes[node->cover];
    const char *name = node->op->path + cover->length + 1;
    if (cover->op->kind != CF_STAGE_SHADOW || cover->op->writable || cover->by != node->by ||
        strchr(name, '/') != NULL)
        return false;
    const struct cf_stage_entry *entry = cf_names_entry(cover, name);
    return entry != NULL && entry->as == CF_AS_DIR;
}

int cf_shadow_make(int folder, const char *name, mode_t type, const char **first)
{
    if (*first != NULL && linkat(folder, *first, folder, name, 0) == 0)
        return 0;
    if (mknodat(folder, name, type | 0666, makedev(0, 0)) < 0)
        return errno == EEXIST ? 0 : -1;
    *first = name;
    return 0;
}

static int make_entries(struct cf_node *node, struct cf_error *err)
{
    const char *first = NULL;
    for (size_t e = 0; e < node->exact; e++) {
        const struct cf_stage_entry *entry = node->entries[e];
        int made = 0;
        if (entry->as == CF_AS_INERT)
            made = cf_shadow_make(node->inside, entry->name, S_IFCHR, &first);
        else if (entry->as == CF_AS_DIR)
            made = mkdirat(node->inside, entry->name, 0755);
        if (made < 0 && errno != EEXIST)
            return cf_fail(err, errno, "make %s in the shadow of %s", entry->name,
                           node->op->path);
    }
    return 0;
}

static mode_t mode_of(const struct cf_node *node)
{
    struct cf_place place;
    if (node->op->mode != CF_STAGE_MODE_OF_HOST)
        return node->op->mode;
    return node->host >= 0 && cf_place_look(node->host, &place) == 0 ? place.mode & 07777
                                                                     : 0755;
}

static int join(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    const struct cf_node *cover = &stage->nodes[node->cover];
    const char *name = node->op->path + cover->length + 1;
    if (mkdirat(cover->inside, name, 0755) < 0 && errno != EEXIST)
        return cf_fail(err, errno, "mkdir %s", node->op->path);
    node->inside = cf_place_open(cover->inside, name, err);
    node->view = cf_place_open(cover->view, name, err);
    node->own = cover->own;
    if (node->inside < 0 || node->view < 0)
        return -1;
    if (fchmodat(cover->inside, name, mode_of(node), 0) < 0)
        return cf_fail(err, errno, "chmod %s", node->op->path);
    return 0;
}

static int attach(struct cf_stage *stage, size_t i, int place, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place root;
    node->view = cf_mount_tmpfs(mode_of(node), node->op->size, err);
    if (node->view < 0 || cf_mount_attach(node->view, place, node->op->path, err) < 0)
        return -1;
    if (cf_place_look(node->view, &root) < 0)
        return cf_fail(err, errno, "stat %s", node->op->path);
    node->own = root.id.dev;
    node->inside = cf_mount_clone(node->view, 0, 0, node->op->path, err);
    if (node->inside < 0)
        return -1;
    if (node->op->writable)
        return 0;
    return cf_mount_change(node->view, MOUNT_ATTR_RDONLY, 0, false, node->op->path, err);
}

bool cf_shadow_over_host(const struct cf_stage *stage, size_t i)
{
    int cover = stage->nodes[i].cover;
    return cover < 0 || stage->nodes[cover].op->kind == CF_STAGE_BIND;
}

bool cf_shadow_refind(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    cf_autoclose int host = cf_view_host(stage, i, node->length);
    struct cf_place place = { 0 };
    if (host >= 0 && (cf_place_look(host, &place) < 0 || !S_ISDIR(place.mode)))
        cf_close_fd(&host);
    if (host < 0 && node->host < 0)
        return false;
    if (host >= 0 && node->host >= 0 && cf_identity_equal(&place.id, &node->host_id))
        return false;
    cf_close_fd(&node->host);
    node->host = cf_take_fd(&host);
    node->host_id = place.id;
    /* Renamed, the folder would show under its new name what this shadow refuses. */
    if (node->host >= 0)
        cf_refused_note(stage, &place.id);
    return true;
}

static int stand(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    cf_shadow_refind(stage, i);
    node->joined = cf_shadow_joins(stage, i) && stage->nodes[node->cover].stands;
    if (node->joined)
        return join(stage, i, err);
    cf_autoclose int place = cf_view_place(stage, i, true);
    struct cf_place look;
    if (place < 0 && cf_view_is_absent(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, 0);
    if (place < 0 && cf_view_is_unsearchable(errno))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_UNSEARCHABLE, errno);
    if (place < 0 || cf_place_look(place, &look) < 0)
        return cf_fail(err, errno, "open %s", node->op->path);
    if (!S_ISDIR(look.mode))
        return cf_view_result(stage, i, CF_STAGE_SKIPPED, CF_REASON_ABSENT, ENOTDIR);
    if (node->by != CF_BY_MASK)
        return attach(stage, i, place, err);
    node->view = cf_take_fd(&place);
    return 0;
}

int cf_shadow_build(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    if (stand(stage, i, err) < 0)
        return -1;
    if (node->view < 0)
        return 0;
    if (node->by == CF_BY_TMPFS && make_entries(node, err) < 0)
        return -1;
    node->stands = true;
    if (!node->op->writable || node->op->others != CF_OTHERS_NONE)
        cf_names_sync_all(stage, i);
    enum cf_stage_reason reason =
        node->by != node->op->by ? CF_REASON_NO_OVERLAY : CF_REASON_NONE;
    return cf_view_result(stage, i, CF_STAGE_DONE, reason, 0);
}

void cf_shadow_fall(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    cf_close_fd(&node->view);
    cf_close_fd(&node->inside);
    cf_close_fd(&node->host);
    node->stands = false;
    for (size_t j = i + 1; j < stage->count; j++)
        if (stage->nodes[j].joined && stage->nodes[j].cover == (int)i)
            cf_shadow_fall(stage, j);
}

bool cf_shadow_follow(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place look = { 0 };
    cf_autoclose int place = cf_view_open(stage, node->op->path, node->length);
    bool there = place >= 0 && cf_place_look(place, &look) == 0 && S_ISDIR(look.mode);
    bool bare = node->by == CF_BY_MASK ? !cf_identity_equal(&look.id, &node->host_id)
                                       : look.id.dev != node->own;
    if (there && bare) {
        cf_shadow_fall(stage, i);
        stage->shared->report.pinned++;
        return false;
    }
    if (!cf_shadow_over_host(stage, i) && cf_shadow_refind(stage, i))
        cf_names_sync_all(stage, i);
    return true;
}

int cf_shadow_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    if (stage->nodes[i].stands && cf_shadow_follow(stage, i))
        return 0;
    return cf_shadow_build(stage, i, err);
}

struct pass {
    struct cf_stage *stage;
    size_t i;
};

static void note_listed(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    struct cf_node *node = &pass->stage->nodes[pass->i];
    const struct cf_stage_entry *entry = cf_names_entry(node, name);
    struct cf_place place;
    if (entry != NULL && (entry->as == CF_AS_INERT || entry->as == CF_AS_ABSENT) &&
        cf_place_look_at(node->host, name, &place) == 0)
        cf_refused_note(pass->stage, &place.id);
}

/* Up to here asking for each refused name costs less than reading the folder, however large. */
#define ASK_EACH 16

void cf_shadow_note(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    struct pass pass = { stage, i };
    node->host = cf_view_open(stage, node->op->path, node->length);
    if (node->host < 0)
        return;
    if ((node->exact <= ASK_EACH && node->exact == node->op->count) ||
        cf_listing_each(node->host, stage->listing, CF_LISTING_SIZE, note_listed, &pass) < 0)
        for (size_t e = 0; e < node->exact; e++)
            note_listed(&pass, node->entries[e]->name, 0);
    cf_close_fd(&node->host);
}
