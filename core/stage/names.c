/*
 * A name of a shadow by tmpfs is a bind of the host's, a copy of its link, or an inert node;
 * under overlay only what it cannot show is bound; under masks only the refused ones are
 * touched.
 */
#include "stage/names.h"

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
#include "stage/held.h"
#include "stage/listing.h"
#include "stage/lost.h"
#include "stage/overlay.h"
#include "stage/refused.h"
#include "stage/view.h"

static int compare_name(const void *key, const void *item)
{
    const struct cf_stage_entry *const *entry = item;
    return strcmp(key, (*entry)->name);
}

const struct cf_stage_entry *cf_names_entry(const struct cf_node *node, const char *name)
{
    const struct cf_stage_entry **found =
        node->exact == 0
            ? NULL
            : bsearch(name, node->entries, node->exact, sizeof *node->entries, compare_name);
    if (found != NULL)
        return *found;
    for (size_t e = node->exact; e < node->op->count; e++) {
        const char *pattern = node->entries[e]->name;
        if (cf_glob_match(pattern, strlen(pattern), name, strlen(name)))
            return node->entries[e];
    }
    return NULL;
}

/*
 * Sockets and secrets are often made under another name and then renamed over their own, which
 * may be a refused one. So a new name is put only when nothing has happened to it for a while.
 */
#define SETTLE_NS 50000000
#define SETTLED_NS 500000000

/* Whether the shadow has had something at that name before, which the host has replaced. */
static bool is_known(const struct cf_node *node, const char *name)
{
    struct cf_place place;
    if (node->by == CF_BY_TMPFS)
        return cf_place_look_at(node->inside, name, &place) == 0;
    return cf_place_look_at(node->view, name, &place) == 0 && place.is_mount;
}

static bool is_unsettled(struct cf_stage *stage, struct cf_node *node, const char *name,
                         const struct cf_place *place)
{
    struct timespec now;
    /* Overlay shows what it can by itself, and the moment that it is new. */
    bool is_shown = node->by == CF_BY_OVERLAY && !S_ISSOCK(place->mode);
    if (!stage->keeping || is_shown || is_known(node, name))
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t time = now.tv_sec * 1000000000 + now.tv_nsec;
    int64_t rest = time - place->changed, age = time - place->id.born;
    bool is_old = place->id.born != 0 && (age < 0 || age >= SETTLED_NS);
    if (rest < 0 || rest >= SETTLE_NS || is_old)
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

static void mask_in(struct cf_stage *stage, const struct cf_node *node, int folder,
                    const char *name)
{
    size_t i = (size_t)(node - stage->nodes);
    struct cf_place place;
    struct cf_error err;
    if (cf_place_look_at(folder, name, &place) < 0) {
        cf_fail(&err, errno, "stat %s, which is refused", name);
        cf_lost_note(stage, &err);
        return;
    }
    if (cf_mount_is_inert(&place))
        return;
    cf_autoclose int host = cf_place_open(folder, name, NULL);
    cf_autoclose int inert =
        S_ISDIR(place.mode) ? cf_mount_blank(0, &err) : cf_mount_inert(stage->root, &err);
    if (inert < 0 || cf_mount_attach_at(inert, folder, name, &err) < 0)
        cf_lost_note(stage, &err);
    else
        stage->shared->report.refused += stage->keeping;
    if (host >= 0)
        cf_held_watch(stage, i, name, host, true);
    stage->shared->results[i].replaced |= stage->keeping && node->by == CF_BY_MASK;
}

/*
 * Puts an inert node over what the command would see: for masks, and what overlay shows. A
 * folder that was bound on itself since it was opened for its masks is another place by now.
 */
static void mask_name(struct cf_stage *stage, struct cf_node *node, const char *name)
{
    struct cf_place place;
    mask_in(stage, node, node->view, name);
    if (node->by != CF_BY_MASK)
        return;
    cf_autoclose int now = cf_view_open(stage, node->op->path, node->length);
    if (now >= 0 && cf_place_look(now, &place) == 0 &&
        cf_identity_equal(&place.id, &node->host_id))
        mask_in(stage, node, now, name);
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

/* A read-only mount keeps neither from being written to. */
static bool is_writable_when_ro(mode_t mode)
{
    return S_ISSOCK(mode) || S_ISFIFO(mode);
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
    cf_autoclose int copy = cf_mount_clone(host, attributes, 0, name, NULL);
    if (copy < 0)
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

/*
 * The folder that masks lie in counts as refused, since under another name it would show what
 * they refuse; at its own it is no other name of anything.
 */
static bool is_masked_itself(const struct cf_stage *stage, const struct cf_node *node,
                             const char *name, const struct cf_identity *id)
{
    size_t length = node->length + 1 + strlen(name);
    for (size_t j = 0; j < stage->count; j++) {
        const struct cf_node *other = &stage->nodes[j];
        if (other->op->kind == CF_STAGE_SHADOW && other->by == CF_BY_MASK &&
            other->length == length && cf_identity_equal(&other->host_id, id) &&
            memcmp(other->op->path, node->op->path, node->length) == 0 &&
            other->op->path[node->length] == '/' &&
            strcmp(other->op->path + node->length + 1, name) == 0)
            return true;
    }
    return false;
}

static void sync_other(struct cf_stage *stage, struct cf_node *node, const char *name, int host,
                       const struct cf_place *place, bool listed)
{
    enum cf_stage_others others = node->op->others;
    if (cf_refused_has(stage, &place->id)) {
        if (!is_masked_itself(stage, node, name, &place->id))
            refuse_name(stage, node, name);
    } else if (!listed && others == CF_OTHERS_FILES && is_writable_when_ro(place->mode)) {
        /* Through overlay no socket answers that was not put there. */
        if (node->by != CF_BY_OVERLAY)
            refuse_name(stage, node, name);
    } else if (node->by == CF_BY_MASK || (!listed && others == CF_OTHERS_NONE)) {
        return;
    } else if (S_ISLNK(place->mode)) {
        if (node->by == CF_BY_TMPFS && keep_link(node, name) < 0)
            stage->shared->report.missing++;
    } else if (listed || !is_unsettled(stage, node, name, place)) {
        if (keep_name(stage, node, name, host, place) < 0)
            stage->shared->report.missing++;
    }
}

/*
 * Whether the name leads to a place where the command writes. That one stays what it was, though
 * the host renames it or what is above it: its mount would go with all that is pinned in it, and
 * leave the command, which still stands there, the bare folder.
 */
static bool leads_to_work(const struct cf_stage *stage, const struct cf_node *node,
                          const char *name)
{
    size_t above = node->op->path[1] == '\0' ? 0 : node->length, length = strlen(name);
    for (size_t j = 0; j < stage->count; j++) {
        const struct cf_node *other = &stage->nodes[j];
        bool is_work =
            (other->op->kind == CF_STAGE_BIND && other->op->writable && !other->op->pin) ||
            other->op->kind == CF_STAGE_PRIVATE;
        const char *rest = other->op->path + above + 1;
        if (is_work && other->length > above + length &&
            memcmp(other->op->path, node->op->path, above) == 0 && rest[-1] == '/' &&
            memcmp(rest, name, length) == 0 && (rest[length] == '/' || rest[length] == '\0'))
            return true;
    }
    return false;
}

void cf_names_sync(struct cf_stage *stage, size_t i, const char *name)
{
    struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_entry *entry = cf_names_entry(node, name);
    if (entry != NULL && entry->as == CF_AS_DIR)
        return;
    if (stage->keeping && leads_to_work(stage, node, name))
        return;
    struct cf_place place;
    if (entry != NULL && (entry->as == CF_AS_INERT || entry->as == CF_AS_ABSENT)) {
        /* What is there at the start was noted before any shadow was made. */
        if (node->by == CF_BY_TMPFS && !stage->keeping)
            return;
        bool exists = node->host >= 0 && cf_place_look_at(node->host, name, &place) == 0;
        /* A layer knows no patterns: what matches one shows through it until it is masked. */
        if (node->by == CF_BY_MASK || (node->by == CF_BY_OVERLAY && entry->glob && exists))
            mask_name(stage, node, name);
        if (exists && node->by != CF_BY_MASK)
            cf_refused_note(stage, &place.id);
        return;
    }
    /* Under masks all else shows by itself; only what may be refused needs opening. */
    if (node->by == CF_BY_MASK &&
        (cf_place_look_at(node->host, name, &place) < 0 ||
         !(cf_refused_has(stage, &place.id) ||
           (node->op->others == CF_OTHERS_FILES && is_writable_when_ro(place.mode)))))
        return;
    cf_autoclose int host = node->host < 0 ? -1 : cf_place_open(node->host, name, NULL);
    if (host >= 0 && cf_place_look(host, &place) == 0)
        sync_other(stage, node, name, host, &place, entry != NULL);
    else if (node->by != CF_BY_MASK)
        remove_name(stage, node, name);
}

bool cf_names_refuses(const struct cf_stage *stage, size_t i, const char *name)
{
    const struct cf_node *node = &stage->nodes[i];
    const struct cf_stage_entry *entry = cf_names_entry(node, name);
    struct cf_place place;
    if (entry != NULL)
        return entry->as != CF_AS_KEEP && entry->as != CF_AS_LINK;
    /* The only character device of a shadow that is no mount is the node of a refusal; where
     * unlisted sockets have one too, it says nothing. */
    return node->by == CF_BY_TMPFS && node->op->others == CF_OTHERS_KEEP &&
           cf_place_look_at(node->view, name, &place) == 0 && S_ISCHR(place.mode) &&
           !place.is_mount;
}

void cf_names_refuse(struct cf_stage *stage, size_t i, const char *name)
{
    struct cf_node *node = &stage->nodes[i];
    struct cf_place place;
    if (cf_names_entry(node, name) == NULL)
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
    if (!shown || cf_names_entry(node, name) != NULL)
        cf_names_sync(pass->stage, pass->i, name);
}

static void sync_gone(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct pass *pass = ctx;
    struct cf_node *node = &pass->stage->nodes[pass->i];
    struct cf_place place;
    if (cf_names_entry(node, name) == NULL &&
        (node->host < 0 || cf_place_look_at(node->host, name, &place) < 0))
        cf_names_sync(pass->stage, pass->i, name);
}

void cf_names_sync_all(struct cf_stage *stage, size_t i)
{
    struct cf_node *node = &stage->nodes[i];
    struct pass pass = { stage, i };
    /* Masks lie on what the command sees, which in a kept layer is more than the host has. */
    int folder = node->by == CF_BY_MASK ? node->view : node->host;
    if (folder >= 0 &&
        cf_listing_each(folder, stage->listing, CF_LISTING_SIZE, sync_listed, &pass) < 0)
        /* It may be searched but not read: then only what the plan knows by name is kept. */
        for (size_t e = 0; e < node->exact; e++)
            cf_names_sync(stage, i, node->entries[e]->name);
    if (node->by == CF_BY_TMPFS && stage->keeping && !node->op->writable)
        cf_listing_each(node->inside, stage->listing, CF_LISTING_SIZE, sync_gone, &pass);
}
