/* Expands globs folder by folder; every look goes through the one walk. */
#include "host/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "host/folder.h"
#include "host/glob.h"

/* Each level keeps one folder open and its names in memory. */
#define GLOB_DEPTH_MAX 16

struct search {
    struct cf_walk *walk;
    struct cf_survey *survey;
    struct cf_error *err;
    int depth;
};

void cf_survey_free(struct cf_survey *survey)
{
    for (size_t at = 0; at < survey->len; at++)
        cf_look_free(&survey->looks[at]);
    free(survey->looks);
    free(survey->ends);
    *survey = (struct cf_survey){ .len = 0 };
}

/* Takes the look over. */
static int add(struct search *search, struct cf_look *look)
{
    struct cf_survey *survey = search->survey;
    void *looks = NULL;
    if (survey->len >= CF_SURVEY_MAX)
        cf_fail(search->err, E2BIG, "look at more than %d paths", CF_SURVEY_MAX);
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

static int look_at_match(struct search *search, const struct cf_bytes *path)
{
    struct cf_look look;
    if (path->len >= PATH_MAX)
        return add_too_long(search, path->data);
    if (cf_walk_look(search->walk, path->data, true, &look, search->err) < 0)
        return -1;
    if (look.type == CF_PATH_ABSENT && look.link_count == 0) {
        cf_look_free(&look);
        return 0;
    }
    return add(search, &look);
}

static int expand(struct search *search, struct cf_bytes *prefix, const char *rest);

/* For each name of the folder that matches the first component of rest. */
static int expand_names(struct search *search, const struct cf_folder *folder,
                        struct cf_bytes *prefix, const char *rest)
{
    size_t pattern_len = strcspn(rest, "/");
    size_t start = prefix->len;
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

static int expand_folder(struct search *search, struct cf_bytes *prefix, const char *rest)
{
    struct cf_look look;
    if (prefix->len >= PATH_MAX)
        return add_too_long(search, prefix->data);
    if (cf_walk_look(search->walk, prefix->data, true, &look, search->err) < 0)
        return -1;
    if (look.type == CF_PATH_UNKNOWN)
        return add(search, &look);
    int done = 0;
    if (look.type == CF_PATH_DIR) {
        cf_autofolder struct cf_folder folder = CF_FOLDER_CLOSED;
        struct cf_error why;
        if (cf_folder_read(AT_FDCWD, look.path, look.path, &folder, &why) < 0)
            done = add_unknown(search, look.path, rest, &why);
        else
            done = expand_names(search, &folder, prefix, rest);
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
        if (cf_bytes_append(prefix, rest, len, search->err) < 0)
            return -1;
        rest += len;
    }
    if (search->depth >= GLOB_DEPTH_MAX)
        return cf_fail(search->err, E2BIG, "expand more than %d patterns in %s/%s",
                       GLOB_DEPTH_MAX, prefix->data, rest);
    search->depth++;
    int done = expand_folder(search, prefix, rest);
    search->depth--;
    return done;
}

static int survey_one(struct search *search, const char *pattern)
{
    struct cf_look look;
    size_t len = strlen(pattern);
    if (!cf_glob_is_pattern(pattern, len)) {
        if (cf_walk_look(search->walk, pattern, true, &look, search->err) < 0)
            return -1;
        return add(search, &look);
    }
    if (*pattern != '/')
        return cf_fail(search->err, EINVAL, "look at %s: not an absolute path", pattern);
    if (len >= PATH_MAX)
        return cf_fail(search->err, ENAMETOOLONG, "look at %.64s...", pattern);
    struct cf_bytes prefix = CF_BYTES_EMPTY;
    int done = cf_bytes_reserve(&prefix, len, search->err);
    if (done == 0)
        done = expand(search, &prefix, pattern);
    cf_bytes_free(&prefix);
    return done;
}

int cf_survey_paths(const char *const *patterns, size_t count, struct cf_survey *survey,
                    struct cf_error *err)
{
    *survey = (struct cf_survey){ .len = 0 };
    cf_autowalk struct cf_walk *walk = cf_walk_new(err);
    if (walk == NULL)
        return -1;
    survey->ends = calloc(count + 1, sizeof *survey->ends);
    if (survey->ends == NULL)
        return cf_fail(err, ENOMEM, "look at %zu paths", count);
    struct search search = { .walk = walk, .survey = survey, .err = err };
    for (; survey->pattern_count < count; survey->pattern_count++) {
        if (survey_one(&search, patterns[survey->pattern_count]) < 0) {
            cf_survey_free(survey);
            return -1;
        }
        survey->ends[survey->pattern_count] = survey->len;
    }
    return 0;
}
