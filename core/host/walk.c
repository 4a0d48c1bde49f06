/* The walk over a path: one component at a time, from the folder reached so far. */
#include "host/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/walk_folders.h"

#define LINKS_MAX 40 /* MAXSYMLINKS of the kernel */

/* Where the walk stands: `at` exists; `missing` is what lies beyond it and does not. */
struct step {
    struct cf_walk *walk;
    struct cf_walk_folder *at;
    struct cf_bytes missing;
    struct cf_bytes rest; /* the text that is being walked, rewritten at each link */
    size_t rest_at;
    size_t after_link; /* bytes of the rest that come after the text of the last link */
    bool in_link;      /* a link was followed */
    bool follow;
    bool done;
    struct cf_look *look;
    struct cf_error *err;
};

/* `folder`/`name`, owned, or NULL with *err filled. */
static char *join(const char *folder, const char *name, size_t len, struct cf_error *err)
{
    size_t start = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    char *path = malloc(start + 1 + len + 1);
    if (path == NULL) {
        cf_fail(err, ENOMEM, "name %s", folder);
        return NULL;
    }
    memcpy(path, folder, start);
    path[start] = '/';
    memcpy(path + start + 1, name, len);
    path[start + 1 + len] = '\0';
    return path;
}

static int keep_text(char **field, const char *text, struct cf_error *err)
{
    *field = strdup(text);
    return *field == NULL ? cf_fail(err, ENOMEM, "look at %s", text) : 0;
}

static int go_missing(struct step *step, const char *name, size_t len)
{
    if (cf_bytes_append(&step->missing, "/", 1, step->err) < 0)
        return -1;
    return cf_bytes_append(&step->missing, name, len, step->err);
}

/* Nothing is there by that name. */
static int lose(struct step *step, const char *name, size_t len)
{
    step->look->dangling = step->in_link && step->rest.len - step->rest_at >= step->after_link;
    return go_missing(step, name, len);
}

/* The file system takes no name of that length: nothing can be there, now or later. */
static int lose_long(struct step *step, const char *name, size_t len)
{
    step->look->too_long = true;
    return lose(step, name, len);
}

static void go_up(struct step *step)
{
    if (step->missing.len > 0) {
        while (step->missing.data[--step->missing.len] != '/')
            continue;
        step->missing.data[step->missing.len] = '\0';
        if (step->missing.len == 0)
            step->look->dangling = step->look->blocked = step->look->too_long = false;
        return;
    }
    step->at = cf_walk_folder_parent(step->at);
}

/* The rest of the text can only be taken by its letters: what it means is not known. */
static int append_rest(struct step *step, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "/");
        if (len == 2 && text[0] == '.' && text[1] == '.')
            go_up(step);
        else if (len > 0 && !(len == 1 && *text == '.') && go_missing(step, text, len) < 0)
            return -1;
        text += len + (text[len] == '/');
    }
    return 0;
}

/* The canonical folder and what is missing below it. */
static int keep_path(struct step *step)
{
    const char *start = cf_walk_folder_path(step->at);
    if (step->missing.len == 0)
        return keep_text(&step->look->path, start, step->err);
    step->look->path = join(start, step->missing.data + 1, step->missing.len - 1, step->err);
    return step->look->path == NULL ? -1 : 0;
}

static int end_absent(struct step *step)
{
    step->done = true;
    step->look->type = CF_PATH_ABSENT;
    if (keep_path(step) < 0)
        return -1;
    /* The text of a link may be as long as a path, and comes behind the link's folder. */
    if (strlen(step->look->path) >= PATH_MAX)
        step->look->too_long = true;
    return keep_text(&step->look->exists_to, cf_walk_folder_path(step->at), step->err);
}

/* Ends at a name that could not be looked at, for the reason `number`. */
static int end_unknown(struct step *step, const char *name, size_t len, const char *operation,
                       int number)
{
    struct cf_error reason;
    char *subject = join(cf_walk_folder_path(step->at), name, len, step->err);
    if (subject == NULL)
        return -1;
    cf_fail(&reason, number, "%s %s", operation, subject);
    free(subject);
    /* What is there would count as out of the command's reach. */
    if (cf_is_want(number)) {
        *step->err = reason;
        return -1;
    }
    step->done = true;
    step->look->type = CF_PATH_UNKNOWN;
    if (go_missing(step, name, len) < 0 ||
        append_rest(step, step->rest.data + step->rest_at) < 0 || keep_path(step) < 0)
        return -1;
    return keep_text(&step->look->unknown, reason.message, step->err);
}

static int end_found(struct step *step, const char *name, size_t len, const struct stat *about)
{
    step->done = true;
    step->look->type = cf_path_type_of(about->st_mode);
    step->look->about = *about;
    step->look->path = join(cf_walk_folder_path(step->at), name, len, step->err);
    return step->look->path == NULL ? -1 : 0;
}

static int end_at_folder(struct step *step)
{
    struct stat about;
    int fd = cf_walk_folder_fd(step->walk, step->at);
    if (fd < 0 || fstat(fd, &about) < 0)
        return end_unknown(step, "", 0, "open", errno);
    step->done = true;
    step->look->type = CF_PATH_DIR;
    step->look->about = about;
    return keep_path(step);
}

static int keep_link(struct step *step, const char *name, size_t len)
{
    struct cf_look *look = step->look;
    char *path = join(cf_walk_folder_path(step->at), name, len, step->err);
    if (path == NULL)
        return -1;
    size_t cap = look->link_count;
    char **links = look->links;
    if (cap % 8 == 0)
        links = realloc(links, (cap + 8) * sizeof *links);
    if (links == NULL) {
        free(path);
        return cf_fail(step->err, ENOMEM, "follow a link");
    }
    look->links = links;
    look->links[look->link_count++] = path;
    return 0;
}

/* Puts the link's text in front of what is left to walk. */
static int follow_link(struct step *step, const char *name, size_t len, const char *target)
{
    if (step->look->link_count >= LINKS_MAX) {
        step->look->loop = true;
        if (go_missing(step, name, len) < 0 ||
            append_rest(step, step->rest.data + step->rest_at) < 0)
            return -1;
        return end_absent(step);
    }
    if (keep_link(step, name, len) < 0)
        return -1;
    /* In the text of another link it is that one which leads nowhere. */
    size_t after = step->rest.len - step->rest_at;
    if (!step->in_link || after < step->after_link)
        step->after_link = after;
    step->in_link = true;
    struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_bytes_text(&text, target, step->err) < 0 ||
        cf_bytes_append(&text, "/", 1, step->err) < 0 ||
        cf_bytes_text(&text, step->rest.data + step->rest_at, step->err) < 0) {
        cf_bytes_free(&text);
        return -1;
    }
    cf_bytes_free(&step->rest);
    step->rest = text;
    step->rest_at = 0;
    if (*target == '/')
        step->at = cf_walk_root(step->walk);
    return 0;
}

static int take_link(struct step *step, const char *name, size_t len,
                     const struct cf_walk_name *link)
{
    /* follow_link replaces the text that `name` points into. */
    char kept[PATH_MAX];
    memcpy(kept, name, len);
    return follow_link(step, kept, len, link->target);
}

/* A folder in the middle of the path, or whatever stands in its place. */
static int enter(struct step *step, const char *name, size_t len)
{
    const struct cf_walk_name *found = cf_walk_name(step->walk, step->at, name, len, step->err);
    if (found == NULL)
        return -1;
    switch (found->kind) {
    case CF_WALK_FOLDER:
        step->at = found->folder;
        return 0;
    case CF_WALK_LINK:
        return take_link(step, name, len, found);
    case CF_WALK_ABSENT:
        return lose(step, name, len);
    case CF_WALK_FILE:
        step->look->blocked = true;
        return go_missing(step, name, len);
    default:
        if (found->number == ENAMETOOLONG)
            return lose_long(step, name, len);
        return end_unknown(step, name, len, found->operation, found->number);
    }
}

/* The last component, whose identity is the answer. */
static int arrive(struct step *step, const char *name, size_t len)
{
    struct stat about;
    int number = cf_walk_stat(step->walk, step->at, name, len, &about);
    if (number == ENOENT)
        return lose(step, name, len);
    if (number == ENOTDIR)
        return go_missing(step, name, len);
    if (number == ENAMETOOLONG)
        return lose_long(step, name, len);
    if (number != 0)
        return end_unknown(step, name, len, "lstat", number);
    if (S_ISLNK(about.st_mode) && step->follow)
        return enter(step, name, len);
    return end_found(step, name, len, &about);
}

static int take_component(struct step *step)
{
    const char *name = step->rest.data + step->rest_at;
    size_t len = strcspn(name, "/");
    size_t after = len + strspn(name + len, "/");
    step->rest_at += after;
    if (len == 0 || (len == 1 && name[0] == '.'))
        return 0;
    if (len == 2 && name[0] == '.' && name[1] == '.') {
        go_up(step);
        return 0;
    }
    if (step->missing.len > 0)
        return go_missing(step, name, len);
    if (len >= PATH_MAX)
        return lose_long(step, name, len);
    return name[after] == '\0' ? arrive(step, name, len) : enter(step, name, len);
}

static int walk_all(struct step *step)
{
    while (!step->done && step->rest.data[step->rest_at] != '\0')
        if (take_component(step) < 0)
            return -1;
    if (step->done)
        return 0;
    return step->missing.len > 0 ? end_absent(step) : end_at_folder(step);
}

int cf_walk_look(struct cf_walk *walk, const char *path, bool follow, struct cf_look *look,
                 struct cf_error *err)
{
    *look = (struct cf_look){ .type = CF_PATH_ABSENT };
    if (*path != '/')
        return cf_fail(err, EINVAL, "look at %s: not an absolute path", path);
    if (strlen(path) >= PATH_MAX)
        return cf_fail(err, ENAMETOOLONG, "look at %.64s...", path);
    struct step step = {
        .walk = walk, .at = cf_walk_root(walk), .follow = follow, .look = look, .err = err
    };
    int done = cf_bytes_text(&step.rest, path, err);
    if (done == 0)
        done = walk_all(&step);
    cf_bytes_free(&step.rest);
    cf_bytes_free(&step.missing);
    if (done < 0)
        cf_look_free(look);
    return done;
}
