/* Small texts remembered between runs in a folder that only the caller may enter. */
#ifndef CF_HOST_CACHE_H
#define CF_HOST_CACHE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

/*
 * Opens the folder, making it (mode 0700) when it is absent; the folder above must be there.
 * An owned descriptor, or -1: not ours, open to others, or a symbolic link (EPERM, ELOOP).
 */
int cf_cache_open(const char *path, struct cf_error *err);

/*
 * Appends what was remembered under `name` if its first line is `key`, without that line.
 * Returns 1, or 0 when there is no such thing: a cache that cannot be read is an empty one.
 */
int cf_cache_get(int cache, const char *name, const char *key, struct cf_bytes *to);

/* Remembers the text, replacing the file in one step. key may hold no newline. */
int cf_cache_put(int cache, const char *name, const char *key, const char *text, size_t len,
                 struct cf_error *err);

#endif
