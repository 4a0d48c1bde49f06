/* What the installed bubblewrap can do, from its own words: distributions backport options. */
#ifndef CF_HOST_BWRAP_H
#define CF_HOST_BWRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"

struct cf_bwrap {
    char version[64];     /* "0.8.0": what --version prints after the program's name */
    bool setuid;          /* installed with root's set-user-id bit */
    const char **options; /* "--args", sorted, no doubles, ended by NULL */
    size_t option_count;
    struct cf_bytes text; /* what options points into */
};

/*
 * Asks `path --version` and `path --help`, or remembers what they answered in the folder
 * `cache` (NULL: none), keyed by the file's device, inode, size and modification time. The
 * folder is used only as cf_cache_open accepts it. -1 when the program cannot be executed,
 * fails, or its help names no option.
 */
int cf_bwrap_read(const char *path, const char *cache, struct cf_bwrap *bwrap,
                  struct cf_error *err);

/* Reads the options out of a help text: each line's first word that begins with "--". */
int cf_bwrap_parse(const char *help, size_t len, struct cf_bwrap *bwrap, struct cf_error *err);

bool cf_bwrap_has(const struct cf_bwrap *bwrap, const char *option);

void cf_bwrap_free(struct cf_bwrap *bwrap);

/* A line that names this very file for a cache key: device, inode, size, modification time. */
void cf_bwrap_identity(const struct stat *about, char *line, size_t size);

#endif
