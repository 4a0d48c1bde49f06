/* Expands globs folder by folder; every look goes through the one walk. */
#include "host/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fds.h"
#include "host/folder.h"
#include "host/glob.h"

/* Each level keeps the names of one folder in memory. */
#define GLOB_DEPTH_MAX 16

/* Most patterns of a policy lie in a few folders, each of which is read once for all of them. */
#define LISTINGS_KEPT (2 * GLOB_DEPTH_MAX)

struct listing {
    char *path; /* canonical; NULL while free */
    struct cf_folder folder;
    bool busy; /* a level above goes through its names */
};

struct search {
    struct cf_walk *walk;
    struct cf_survey *survey;
    struct cf_error *err;
    const char *pattern; /* the one that is being expanded */
    int depth;
    size_t names; /* that patterns were held against, and how many may be */
    size_t most;
    struct listing listings[LISTINGS_KEPT];
    size_t next_listing;
};

void cf_survey_free(struct cf_survey *survey)
{
    for (size_t at = 0; at < survey->len; at++)
        cf_look_free(&survey->looks[at]);
    free(survey->looks);
    free(survey->ends);
    *survey = (struct cf_survey){ .len = 0 };
}

static int too_much(struct search *search, size_t most, const char *what)
{
    cf_fail(search->err, 0, "more than %zu %s", most, what);
    search->err->number = E2BIG;
    return -1;
}

/* Takes the look over. */
static int add(struct search *search, struct cf_look *look)
{
    struct cf_survey *survey = search->survey;
    void *looks = NULL;
    if (survey->len >= CF_SURVEY_MAX)
        too_much(search, CF_SURVEY_MAX, "names are found");
    else
        looks = cf_array_grow(survey->looks, &survey->cap, survey->len + 1, sizeof *look,
                              search->err);
    if (looks == NULL) {
        cf_look_free(look);
        return -1;
    }
    survey->looks = looks;
    survey->looks[survey->len++] = *look;
    return 0;
}

/* What would be found at path/rest could not be found out. */
static int add_unknown(struct search *search, const char *path, const char *rest,
                       const struct cf_error *why)
{
    struct cf_look look = { .type = CF_PATH_UNKNOWN };
    if (cf_is_want(why->number)) {
        *search->err = *why;
        return -1;
    }
    if (asprintf(&look.path, "%s/%s", strcmp(path, "/") == 0 ? "" : path, rest) < 0)
        look.path = NULL;
    look.unknown = strdup(why->message);
    if (look.path == NULL || look.unknown == NULL) {
        cf_look_free(&look);
        return cf_fail(search->err, ENOMEM, "look at %s", path);
    }
    return add(search, &look);
}

/* A match whose absolute name is too long to be looked up is there all the same. */
static int add_too_long(struct search *search, const char *path)
{
    struct cf_error why;
    cf_fail(&why, ENAMETOOLONG, "look at %.64s...", path);
    return add_unknown(search, path, "", &why);
}

static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/*
 * What a pattern comes to in /proc and /dev that does not name them itself. Each run has its own
 * of both, and a link there, such as /dev/stdin, leads to what belongs to no policy.
 */
static bool is_passed_over(const struct search *search, const char *path)
{
    static const char *const made[] = { "/proc", "/dev" };
    for (size_t at = 0; at < sizeof made / sizeof *made; at++)
        if (is_within(path, made[at]) && !is_within(search->pattern, made[at]))
            return true;
    return false;
}

static int look_at_match(struct search *search, const struct cf_bytes *path)
{
    struct cf_look look;
    if (path->len >= PATH_MAX)
        return add_too_long(search, path->data);
    if (cf_walk_look(search->walk, path->data, true, &look, search->err) < 0)
        return -1;
    /* A link that leads nowhere matches; what is not there behind one that does, or behind a
     * file, does not. */
    if ((look.type == CF_PATH_ABSENT && !look.dangling && !look.loop) ||
        is_passed_over(search, look.path)) {
        cf_look_free(&look);
        return 0;
    }
    return add(search, &look);
}

static int append_plain(struct search *search, struct cf_bytes *path, const char *text,
                        size_t len)
{
    if (cf_bytes_reserve(path, len, search->err) < 0)
        return -1;
    path->len += cf_glob_plain(text, len, path->data + path->len);
    path->data[path->len] = '\0';
    return 0;
}

static int expand(struct search *search, struct cf_bytes *prefix, const char *rest);

/* For each name of the folder that matches the first component of rest. */
static int expand_names(struct search *search, const struct cf_folder *folder,
                        struct cf_bytes *prefix, const char *rest)
{
    size_t pattern_len = strcspn(rest, "/");
    size_t start = prefix->len;
    search->names += folder->len;
    if (search->names > search->most)
        return too_much(search, search->most, "names are looked at");
    for (size_t at = 0; at < folder->len; at++) {
        const char *name = folder->names[at];
        size_t len = strlen(name);
        if (!cf_glob_match(rest, pattern_len, name, len))
            continue;
        prefix->len = start;
        if (cf_bytes_append(prefix, name, len, search->err) < 0 ||
            expand(search, prefix, rest + pattern_len) < 0)
            return -1;
    }
    return 0;
}

static void listing_free(struct listing *listing)
{
    if (listing->path != NULL)
        cf_folder_close(&listing->folder);
    free(listing->path);
    *listing = (struct listing){ .path = NULL };
}

/* The listing of a canonical folder, read now or before; NULL with *why filled. */
static struct listing *find_listing(struct search *search, const char *path,
                                    struct cf_error *why)
{
    for (size_t at = 0; at < LISTINGS_KEPT; at++) {
        struct listing *known = &search->listings[at];
        if (known->path != NULL && strcmp(known->path, path) == 0)
            return known;
    }
    struct listing *listing;
    do
        listing = &search->listings[search->next_listing++ % LISTINGS_KEPT];
    while (listing->busy);
    listing_free(listing);
    struct cf_folder folder = CF_FOLDER_CLOSED;
    if (cf_folder_read(AT_FDCWD, path, path, &folder, why) < 0) {
        cf_folder_close(&folder);
        return NULL;
    }
    cf_close_fd(&folder.fd);
    *listing = (struct listing){ strdup(path), folder, false };
    if (listing->path == NULL) {
        cf_folder_close(&folder);
        cf_fail(why, ENOMEM, "list %s", path);
        return NULL;
    }
    return listing;
}

static int expand_folder(struct search *search, struct cf_bytes *prefix, const char *rest)
{
    struct cf_look look;
    if (prefix->len >= PATH_MAX)
        return add_too_long(search, prefix->data);
    if (cf_walk_look(search->walk, prefix->data, true, &look, search->err) < 0)
        return -1;
    bool is_passed = is_passed_over(search, look.path);
    if (look.type == CF_PATH_UNKNOWN && !is_passed)
        return add(search, &look);
    int done = 0;
    if (look.type == CF_PATH_DIR && !is_passed) {
        struct cf_error why;
        struct listing *listing = find_listing(search, look.path, &why);
        if (listing == NULL) {
            done = add_unknown(search, look.path, rest, &why);
        } else {
            bool was_busy = listing->busy;
            listing->busy = true;
            done = expand_names(search, &listing->folder, prefix, rest);
            listing->busy = was_busy;
        }
    }
    cf_look_free(&look);
    return done;
}

/* Moves plain components from rest to prefix; at the first pattern, lists the folder. */
static int expand(struct search *search, struct cf_bytes *prefix, const char *rest)
{
    for (;;) {
        size_t slashes = strspn(rest, "/");
        rest += slashes;
        size_t len = strcspn(rest, "/");
        if (slashes > 0 && cf_bytes_append(prefix, "/", 1, search->err) < 0)
            return -1;
        if (len == 0)
            return look_at_match(search, prefix);
        if (cf_glob_is_pattern(rest, len))
            break;
        if (append_plain(search, prefix, rest, len) < 0)
            return -1;
        rest += len;
    }
    if (search->depth >= GLOB_DEPTH_MAX)
        return too_much(search, GLOB_DEPTH_MAX, "stars come one behind the other");
    search->depth++;
    int done = expand_folder(search, prefix, rest);
    search->depth--;
    return done;
}

/* A name that nobody can look up has one answer too: what the policy says is not at fault. */
static int add_never(struct search *search, const char *name)
{
    struct cf_look look = { .type = CF_PATH_ABSENT, .too_long = true };
    look.path = strdup(name);
    look.exists_to = strdup("/");
    if (look.path == NULL || look.exists_to == NULL) {
        cf_look_free(&look);
        return cf_fail(search->err, ENOMEM, "look at a name");
    }
    return add(search, &look);
}

static int survey_one(struct search *search, const char *pattern)
{
    struct cf_look look;
    size_t len = strlen(pattern);
    if (!cf_glob_is_pattern(pattern, len)) {
        cf_autobytes struct cf_bytes name = CF_BYTES_EMPTY;
        if (memchr(pattern, '[', len) != NULL) {
            if (append_plain(search, &name, pattern, len) < 0)
                return -1;
            pattern = name.data;
        }
        if (*pattern == '/' && strlen(pattern) >= PATH_MAX)
            return add_never(search, pattern);
        if (cf_walk_look(search->walk, pattern, true, &look, search->err) < 0)
            return -1;
        return add(search, &look);
    }
    if (*pattern != '/')
        return cf_fail(search->err, EINVAL, "look at %s: not an absolute path", pattern);
    if (len >= PATH_MAX)
        return cf_fail(search->err, ENAMETOOLONG, "look at %.64s...", pattern);
    search->pattern = pattern;
    struct cf_bytes prefix = CF_BYTES_EMPTY;
    int done = cf_bytes_reserve(&prefix, len, search->err);
    if (done == 0)
        done = expand(search, &prefix, pattern);
    cf_bytes_free(&prefix);
    return done;
}

int cf_survey_paths(const char *const *patterns, size_t count, size_t most,
                    struct cf_survey *survey, struct cf_error *err)
{
    *survey = (struct cf_survey){ .len = 0 };
    cf_autowalk struct cf_walk *walk = cf_walk_new(err);
    if (walk == NULL)
        return -1;
    survey->ends = calloc(count + 1, sizeof *survey->ends);
    if (survey->ends == NULL)
        return cf_fail(err, ENOMEM, "look at %zu paths", count);
    struct search search = { .walk = walk, .survey = survey, .most = most, .err = err };
    int done = 0;
    for (; survey->pattern_count < count; survey->pattern_count++) {
        if (survey_one(&search, patterns[survey->pattern_count]) < 0) {
            size_t failed = survey->pattern_count;
            cf_survey_free(survey);
            survey->pattern_count = failed;
            done = -1;
            break;
        }
        survey->ends[survey->pattern_count] = survey->len;
    }
    for (size_t at = 0; at < LISTINGS_KEPT; at++)
        listing_free(&search.listings[at]);
    return done;
}
