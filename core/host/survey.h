/* Many paths and globs looked at in one walk, which is what makes hundreds of them cheap. */
#ifndef CF_HOST_SURVEY_H
#define CF_HOST_SURVEY_H

#include <stddef.h>

#include "base/error.h"
#include "host/walk.h"

struct cf_survey {
    struct cf_look *looks; /* all results, those of one pattern after those of the last */
    size_t len;
    size_t cap;
    size_t *ends; /* for each pattern, the index behind its last result */
    size_t pattern_count;
};

/* More names than this for all patterns together is an error: a mistake, or an attack. */
#define CF_SURVEY_MAX 100000

/*
 * Looks at each absolute pattern. One that is a plain name (cf_glob_is_pattern) gives exactly
 * one result, which may be absent or unknown; one too long to be looked up is absent. Another,
 * one for each name that exists and matches, sorted by byte within each folder, links followed
 * (so a dangling link gives its absent target); a folder that cannot be listed gives one unknown
 * result. What a pattern that does not begin with them finds in /proc and /dev is passed over:
 * these are the run's own. The first misuse ends the survey: -1 with EINVAL, ENAMETOOLONG, E2BIG
 * (more than CF_SURVEY_MAX results, or patterns held against more than `most` names) or ENOMEM,
 * and survey->pattern_count is the index of its pattern.
 */
int cf_survey_paths(const char *const *patterns, size_t count, size_t most,
                    struct cf_survey *survey, struct cf_error *err);

void cf_survey_free(struct cf_survey *survey);

#endif
