/* The share folder: where stock Lua finds what the program carries inside itself. */
#ifndef CF_LUA_SHARE_H
#define CF_LUA_SHARE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

/*
 * The folder that holds `policies`: the one named by the environment's CONFINE_LUA_SHARE, else
 * the nearest above the shared object this code was loaded from, each asked for itself and for
 * its share/confine-lua. An owned O_PATH descriptor; -1 with ENOENT when there is none.
 */
int cf_share_open(struct cf_error *err);

/* Reads share/NAME. -1 with ENOENT also for a name that is absolute or holds "..". */
int cf_share_read(const char *name, struct cf_bytes *text, struct cf_error *err);

struct cf_names {
    char **items; /* sorted by bytes, each owned */
    size_t count;
    size_t cap;
};

/* The names below share/ that begin with prefix, which may end within a name. */
int cf_share_list(const char *prefix, struct cf_names *names, struct cf_error *err);

void cf_names_free(struct cf_names *names);

#endif
