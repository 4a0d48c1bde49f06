/*
 * A shadow by tmpfs: attached over the folder, populated through a writable copy of its mount,
 * read-only to the command. A kept name is a bind of the host's; over masks see mask_name.
 */
#include "stage/shadow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/glob.h"
#include "stage/listing.h"
#include "stage/overlay.h"
#include "stage/refused.h"
#include "stage/view.h"

static int compare_name(const void *key, const void *item)
{
    const struct cf_stage_entry *const *entry = item;
    return strcmp(key, (*entry)->name);
}

const struct cf_stage_entry *cf_shadow_entry(const struct cf_node *node, const char *name)
{
    const struct cf_stage_entry **found =
        node->exact == 0 ? NULL
                         : bsearch(name, node->entries, node->exact, sizeof *node->entries,
                                   compare_name);
    if (found != NULL)
        return *found;
    for (size_t e = node->exact; e < node->op->count; e++) {
        const char *pattern = node->entries[e]->name;
        if (cf_glob_match(pattern, strlen(pattern), name, strlen(name)))
            return node->entries[e];
    }
    return NULL;
}

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
    const struct cf_stage_entry *entry = cf_shadow_entry(cover, name);
    return entry != NULL && entry->as == CF_AS_DIR;
}

/* A listening socket is often bound under another name first and then renamed over its own. */
#define SETTLE_NS 50000000

static bool is_unsettled(struct cf_stage *stage, struct cf_node *node,
                         const struct cf_place *place)
{
    struct timespec now;
    if (!stage->keeping || !S_ISSOCK(place->mode))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = now.tv_sec * 1000000000 + now.tv_nsec - place->changed;
    if (age < 0 || age >= SETTLE_NS)
        return false;
    node->due = cf_stage_now() + SETTLE_NS;
    return true;
}

static void remove_name(struct cf_stage *stage, struct cf_node *node, const char *name)
{
    cf_mount_drop(node->view, name);
    if (node->by != CF_BY_TMPFS)
        return;
    if (unlinkat(node->inside, name, 0) < 0 && errno == EISDIR)
        unlinkat(node->inside, name, AT_REMOVEDIR);
    stage->shared->report.dropped += stage->keeping;
}

/* Puts an inert node over what the command would see: for masks, and names overlay has shown. */
static void mask_name(struct cf_stage *stage, struct cf_node *node, const char *name)
{
    struct cf_place place;
    if (cf_place_look_at(node->view, name, &place) < 0 || cf_mount_is_inert(&place) ||
        (S_ISLNK(place.mode) && !stage->keeping))
        return;
    cf_autoclose int inert =
        S_ISDIR(place.mode) ? cf_mount_blank(0, NULL) : cf_mount_inert(stage->root, NULL);
    if (inert >= 0 && cf_mount_attach_at(inert, node->view, name, NULL) == 0)
        stage->shared->report.refused += stage->keeping;
}

static void refuse_name(struct cf_stage *stage, struct cf_node *node, const char *name)
{
    if (node->by != CF_BY_TMPFS) {
        if (node->by == CF_BY_OVERLAY)
            mknodat(node->inside, name, S_IFSOCK | 0666, 0);
        mask_name(stage, node, name);
        return;
    }
    struct cf_place place;
    if (cf_place_look_at(node->view, name, &place) == 0) {
        if (!place.is_mount && S_ISCHR(place.mode))
            return;
        remove_name(stage, node, name);
    }
    if (mknodat(node->inside, name, S_IFCHR | 0666, makedev(0, 0)) == 0)
        stage->shared->report.refused += stage->keeping;
}

static int keep_link(struct cf_node *node, const char *name)
{
    char wanted[4096], present[4096];
    ssize_t length = readlinkat(node->host, name, wanted, sizeof wanted - 1);
    if (length < 0)
        return -1;
    wanted[length] = '\0';
    ssize_t known = readlinkat(node->inside, name, present, sizeof present);
    if (known == length && memcmp(wanted, present, (size_t)length) == 0)
        return 0;
    cf_mount_drop(node->view, name);
    if (unlinkat(node->inside, name, 0) < 0 && errno == EISDIR)
        unlinkat(node->inside, name, AT_REMOVEDIR);
    return symlinkat(wanted, node->inside, name);
}

/* Binds what `host` is at the name; the descriptor was judged, so nothing else can slip in. */
static int keep_name(struct cf_stage *stage, struct cf_node *node, const char *name, int host,
                     const struct cf_place *place)
{
    struct cf_place present;
    bool seen = cf_place_look_at(node->view, name, &present) == 0;
    if (seen && present.is_mount && cf_identity_equal(&present.id, &place->id))
        return 0;
    if (node->by == CF_BY_OVERLAY) {
        if (!cf_overlay_wants(node, seen ? &present : NULL, place))
            return 0;
        cf_mount_drop(node->view, name);
        node->bound++;
    } else if (seen) {
        remove_name(stage, node, name);
    }
    uint64_t attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    cf_autoclose int copy = cf_mount_clone(host, name, NULL);
    if (copy < 0 || cf_mount_change(copy, attributes, 0, true, name, NULL) < 0)
        return -1;
    if (node->by == CF_BY_TMPFS) {
        if (S_ISDIR(place->mode))
            mkdirat(node->inside, name, 0755);
        else
            mknodat(node->inside, name, S_IFCHR | 0666, makedev(0, 0));
    }
    if (cf_mount_attach_at(copy, node->view, name, NULL) < 0)
        return -1;
    stage->shared->report.put += stage->keeping;
    stage->shared->report.kept += !stage->keeping;
    return 0;
}

static void sync_other(struct cf_stage *stage, struct cf_node *node, const char *name, int host,
                       const struct cf_place *place, bool listed)
{
    enum cf_stage_others others = node->op->others;
    if (cf_refused_has(stage, &place->id)) {
        refuse_name(stage, node, name);
    } else if (node->by == CF_BY_MASK) {
        return;
    } else if (!listed && others == CF_OTHERS_NONE) {
        return;
    } else if (!listed && others == CF_OTHERS_FILES && S_ISSOCK(place->mode)) {
        /* Through overlay no socket answers that was not put there. */
        if (node->by == CF_BY_TMPFS)
            refuse_name(stage, node, name);
    } else if (S_ISLNK(place->mode)) {
        if (node->by == CF_BY_TMPFS && keep_link(node, name) < 0)
            stage->shared->report.missing++;
    } else if (listed || !is_unsettled(stage, node, place)) {
        if (keep_name(stage, node, name, host, place) < 0)
            stage->shared->report.missing++;
    }
}

void cf_shadow_sync(struct cf_stage *stage, size_t i, const char *name)
{
    struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_entry *entry = cf_shadow_entry(node, name);
    if (entry != NULL && entry->as == CF_AS_DIR)
        return;
    struct cf_place place;
    cf_autoclose int host = node->host < 0 ? -1 : cf_place_open(node->host, name, NULL);
    bool exists = host >= 0 && cf_place_look(host, &place) == 0;
    if (entry != NULL && (entry->as == CF_AS_INERT || entry->as == CF_AS_ABSENT)) {
        /* A layer knows no patterns, so what matches one shows through it until it is masked. */
        if (node->by == CF_BY_MASK || (node->by == CF_BY_OVERLAY && entry->glob && exists))
            mask_name(stage, node, name);
        else if (exists)
            cf_refused_note(stage, &place.id);
        return;
    }
    if (exists)
        sync_other(stage, node, name, host, &place, entry != NULL);
    else if (node->by != CF_BY_MASK)
        remove_name(stage, node, name);
}

bool cf_shadow_refuses(const struct cf_stage *stage, size_t i, const char *name)
{
    const struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_entry *entry = cf_shadow_entry(node, name);
    struct cf_place place;
    if (entry != NULL)
        return entry->as != CF_AS_KEEP && entry->as != CF_AS_LINK;
    /* The only character device of a shadow that is no mount is the node of a refusal; where
     * unlisted sockets have one too, it says nothing. */
    return node->by == CF_BY_TMPFS && node->op->others == CF_OTHERS_KEEP &&
           cf_place_look_at(node->view, name, &place) == 0 && S_ISCHR(place.mode) &&
           !place.is_mount;
}

void cf_shadow_refuse(struct cf_stage *stage, size_t i, const char *name)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place place;
    if (cf_shadow_entry(node, name) == NULL)
        refuse_name(stage, node, name);
    if (node->host >= 0 && cf_place_look_at(node->host, name, &place) == 0)
        cf_refused_note(stage, &place.id);
}

struct pass {
    struct cf_stage *stage;
    size_t i;
};

static void sync_listed(void *ctx, const char *name, unsigned char type)
{
    struct pass *pass = ctx;
    struct cf_node *node = &pass->stage->nodes[pass->i];
    /* Overlay shows all but sockets by itself; what was replaced is told by inotify. */
    bool shown = node->by == CF_BY_OVERLAY && type != DT_SOCK && type != DT_UNKNOWN;
    if (!shown || cf_shadow_entry(node, name) != NULL)
        cf_shadow_sync(pass->stage, pass->i, name);
}

static void sync_gone(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    struct cf_node *node = &pass->stage->nodes[pass->i];
    struct cf_place place;
    if (cf_shadow_entry(node, name) == NULL &&
        (node->host < 0 || cf_place_look_at(node->host, name, &place) < 0))
        cf_shadow_sync(pass->stage, pass->i, name);
}

void cf_shadow_sync_all(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    struct pass pass = { stage, i };
    if (node->host >= 0 &&
        cf_listing_each(node->host, stage->listing, CF_LISTING_SIZE, sync_listed, &pass) < 0)
        /* It may be searched but not read: then only what the plan knows by name is kept. */
        for (size_t e = 0; e < node->exact; e++)
            cf_shadow_sync(stage, i, node->entries[e]->name);
    if (node->by == CF_BY_TMPFS && stage->keeping && !node->op->writable)
        cf_listing_each(node->inside, stage->listing, CF_LISTING_SIZE, sync_gone, &pass);
}

static int make_entries(struct cf_node *node, struct cf_error *err)
{
    for (size_t e = 0; e < node->exact; e++) {
        const struct cf_stage_entry *entry = node->entries[e];
        int made = 0;
        if (entry->as == CF_AS_INERT)
            made = mknodat(node->inside, entry->name, S_IFCHR | 0666, makedev(0, 0));
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
    return node->host >= 0 && cf_place_look(node->host, &place) == 0 ? place.mode & 07777 : 0755;
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
    node->inside = cf_mount_clone(node->view, node->op->path, err);
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
        cf_shadow_sync_all(stage, i);
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
    struct cf_place look;
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
        cf_shadow_sync_all(stage, i);
    return true;
}

int cf_shadow_apply(struct cf_stage *stage, size_t i, struct cf_error *err)
{
    if (stage->nodes[i].stands && cf_shadow_follow(stage, i))
        return 0;
    return cf_shadow_build(stage, i, err);
}

static void note_listed(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    struct cf_node *node = &pass->stage->nodes[pass->i];
    const struct cf_stage_entry *entry = cf_shadow_entry(node, name);
    struct cf_place place;
    if (entry != NULL && (entry->as == CF_AS_INERT || entry->as == CF_AS_ABSENT) &&
        cf_place_look_at(node->host, name, &place) == 0)
        cf_refused_note(pass->stage, &place.id);
}

/* Up to here asking for each refused name costs less than reading the folder. */
#define ASK_EACH 256

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
