/* Checks what the plan says before any of it is done; after the fork nothing is allocated. */
#include "stage/nodes.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "stage/held.h"
#include "stage/watch.h"

static bool is_canonical(const char *path)
{
    if (path == NULL || path[0] != '/' || strlen(path) >= PATH_MAX)
        return false;
    for (const char *at = path; *at == '/';) {
        size_t length = strcspn(++at, "/");
        bool dots =
            (length == 1 && at[0] == '.') || (length == 2 && at[0] == '.' && at[1] == '.');
        if (length == 0 || length > NAME_MAX || dots)
            return false;
        at += length;
    }
    return true;
}

static bool is_component(const char *name)
{
    return name != NULL && name[0] != '\0' && strlen(name) <= NAME_MAX &&
           strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int check_op(const struct cf_stage_op *op, struct cf_error *err)
{
    if (op->kind == CF_STAGE_ROOT || op->kind == CF_STAGE_LEFT)
        return 0;
    if (!is_canonical(op->path))
        return cf_fail(err, EINVAL, "stage path %s", op->path == NULL ? "(none)" : op->path);
    size_t length = strlen(op->path);
    bool is_below = op->console == NULL ||
                    (is_canonical(op->console) && strncmp(op->console, op->path, length) == 0 &&
                     op->console[length] == '/');
    if (op->source != NULL && !is_canonical(op->source))
        return cf_fail(err, EINVAL, "device %s", op->source);
    if (!is_below)
        return cf_fail(err, EINVAL, "console %s is not below %s", op->console, op->path);
    for (size_t e = 0; e < op->count; e++)
        if (!is_component(op->entries[e].name))
            return cf_fail(err, EINVAL, "entry of the shadow of %s", op->path);
    if (op->kind == CF_STAGE_SHADOW && op->by != CF_BY_TMPFS &&
        (op->writable || op->others == CF_OTHERS_NONE))
        return cf_fail(err, EINVAL, "shadow of %s: only a tmpfs can be writable or empty",
                       op->path);
    return 0;
}

static int compare_entries(const void *left, const void *right)
{
    const struct cf_stage_entry *const *a = left, *const *b = right;
    if ((*a)->glob != (*b)->glob)
        return (*a)->glob ? 1 : -1;
    return strcmp((*a)->name, (*b)->name);
}

/* The last operation before `i` that the path of `i` lies in; ancestors come first. */
static int find_cover(const struct cf_stage *stage, size_t i)
{
    const struct cf_node *node = &stage->nodes[i];
    for (size_t j = i; j-- > 0;) {
        const struct cf_node *above = &stage->nodes[j];
        enum cf_stage_kind kind = above->op->kind;
        bool covers = (kind == CF_STAGE_SHADOW && above->op->by != CF_BY_MASK) ||
                      kind == CF_STAGE_PRIVATE || kind == CF_STAGE_DEV ||
                      (kind == CF_STAGE_BIND && !above->op->pin);
        if (covers && above->length < node->length && node->op->path[above->length] == '/' &&
            memcmp(above->op->path, node->op->path, above->length) == 0)
            return (int)j;
    }
    return -1;
}

/* A copy of the operation and all it points to, in the arena; NULL when that is full. */
static const struct cf_stage_op *copy_op(struct cf_arena *arena, const struct cf_stage_op *op)
{
    struct cf_stage_op *copy = cf_arena_take(arena, 1, sizeof *copy);
    struct cf_stage_entry *entries = cf_arena_take(arena, op->count, sizeof *entries);
    if (copy == NULL || entries == NULL)
        return NULL;
    *copy = *op;
    copy->path = cf_arena_text(arena, op->path);
    copy->content = cf_arena_text(arena, op->content);
    copy->keep = cf_arena_text(arena, op->keep);
    copy->console = cf_arena_text(arena, op->console);
    copy->source = cf_arena_text(arena, op->source);
    copy->entries = entries;
    bool full = (op->path != NULL && copy->path == NULL) ||
                (op->content != NULL && copy->content == NULL) ||
                (op->keep != NULL && copy->keep == NULL) ||
                (op->console != NULL && copy->console == NULL) ||
                (op->source != NULL && copy->source == NULL);
    for (size_t e = 0; e < op->count && !full; e++) {
        entries[e] = op->entries[e];
        entries[e].name = cf_arena_text(arena, op->entries[e].name);
        full = entries[e].name == NULL;
    }
    return full ? NULL : copy;
}

static int make_node(struct cf_stage *stage, size_t i, const struct cf_stage_op *given,
                     struct cf_error *err)
{
    struct cf_node *node = &stage->nodes[i];
    if (check_op(given, err) < 0)
        return -1;
    const struct cf_stage_op *op = copy_op(&stage->arena, given);
    node->entries = cf_arena_take(&stage->arena, given->count, sizeof *node->entries);
    if (op == NULL || node->entries == NULL)
        return cf_fail(err, ENOMEM, "stage");
    node->op = op;
    node->by = op->by;
    node->host = node->view = node->inside = node->prepared = node->lock = node->cover = -1;
    node->length = op->path == NULL ? 0 : strlen(op->path);
    if (op->kind != CF_STAGE_LEFT)
        node->cover = find_cover(stage, i);
    node->first_watch = stage->watch_count;
    node->watches = cf_watch_places(op);
    stage->watch_count += node->watches;
    node->first_held = stage->held_count;
    node->helds = cf_held_places(op);
    stage->held_count += node->helds;
    stage->refused_cap += op->count + 1;
    for (size_t e = 0; e < op->count; e++) {
        node->entries[e] = &op->entries[e];
        node->exact += !op->entries[e].glob;
    }
    qsort(node->entries, op->count, sizeof *node->entries, compare_entries);
    return 0;
}

static void place_watches(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        struct cf_watch *watch = &stage->watches[node->first_watch];
        for (size_t at = 0; node->watches > 0 && at < node->length; at++)
            if (node->op->path[at] == '/')
                *watch++ = (struct cf_watch){ -1, (uint32_t)i, (uint32_t)at };
        if (node->op->kind == CF_STAGE_SHADOW)
            *watch = (struct cf_watch){ -1, (uint32_t)i, (uint32_t)node->length };
    }
}

static void place_helds(struct cf_stage *stage)
{
    for (size_t i = 0; i < stage->count; i++) {
        const struct cf_node *node = &stage->nodes[i];
        for (size_t k = 0; k < node->helds; k++) {
            const char *name =
                node->op->kind == CF_STAGE_SHADOW ? node->entries[k]->name : NULL;
            stage->helds[node->first_held + k] = (struct cf_held){ -1, (uint32_t)i, name };
        }
    }
}

int cf_nodes_make(struct cf_stage *stage, const struct cf_stage_op *ops, size_t count,
                  struct cf_error *err)
{
    struct cf_arena *arena = &stage->arena;
    stage->nodes = cf_arena_take(arena, count, sizeof *stage->nodes);
    if (stage->nodes == NULL)
        return cf_fail(err, ENOMEM, "stage");
    for (; stage->count < count; stage->count++)
        if (make_node(stage, stage->count, &ops[stage->count], err) < 0)
            return -1;
    stage->refused_cap += CF_REFUSED_SPARE;
    stage->watches = cf_arena_take(arena, stage->watch_count, sizeof *stage->watches);
    stage->helds = cf_arena_take(arena, stage->held_count, sizeof *stage->helds);
    stage->refused = cf_arena_take(arena, stage->refused_cap, sizeof *stage->refused);
    stage->refused_next = cf_arena_take(arena, stage->refused_cap, sizeof(uint32_t));
    for (stage->refused_chain_count = 1; stage->refused_chain_count < stage->refused_cap;)
        stage->refused_chain_count *= 2;
    stage->refused_chains = cf_arena_take(arena, stage->refused_chain_count, sizeof(uint32_t));
    stage->listing = cf_arena_take(arena, CF_LISTING_SIZE, 1);
    if (stage->watches == NULL || stage->helds == NULL || stage->refused == NULL ||
        stage->refused_next == NULL || stage->refused_chains == NULL || stage->listing == NULL)
        return cf_fail(err, ENOMEM, "stage");
    place_watches(stage);
    place_helds(stage);
    return 0;
}
