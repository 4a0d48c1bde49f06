/* Small texts remembered between runs in a folder that only the caller may enter. */
#ifndef CF_HOST_CACHE_H
#define CF_HOST_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

/*
 * Opens the folder, making it (mode 0700) when it is absent; the folder above must be there.
 * An owned descriptor, or -1: not ours, open to others, or a symbolic link (EPERM, ELOOP).
 */
int cf_cache_open(const char *path, struct cf_error *err);

/* As cf_cache_open, but the folders above are made as well (mode 0700) where they are absent. */
int cf_cache_make(const char *path, struct cf_error *err);

/*
 * Appends what was remembered under `name` if its first line is `key`, without that line.
 * Returns 1, or 0 when there is no such thing: a cache that cannot be read is an empty one.
 */
int cf_cache_get(int cache, const char *name, const char *key, struct cf_bytes *to);

/*
 * A yes to the question `what` (a file name), remembered for this boot, mount namespace and user
 * namespace, for as many system call filters and the security label that the asker had, and for
 * `identity` (one line: which program was asked). A no is never remembered, and a folder that
 * cannot be used remembers nothing.
 */
bool cf_cache_has_yes(const char *folder, const char *what, const char *identity);
void cf_cache_put_yes(const char *folder, const char *what, const char *identity);

/* Remembers the text, replacing the file in one step. key may hold no newline. */
int cf_cache_put(int cache, const char *name, const char *key, const char *text, size_t len,
                 struct cf_error *err);

#endif
