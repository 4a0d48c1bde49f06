/* The Lua library and the built-in policies: compiled into the program, or files for stock Lua. */
#ifndef CF_LUA_STORE_H
#define CF_LUA_STORE_H

#include <stddef.h>

#include <lua.h>

struct cf_stored {
    const char *name;          /* as in the source tree, such as "policies/default.lua" */
    const unsigned char *data; /* bytecode below lua/, else the text; data[size] is NUL */
    size_t size;
};

/* What tools/embed.lua made, sorted by name; only the program links it. */
extern const struct cf_stored cf_embedded[];
extern const size_t cf_embedded_count;

/*
 * Makes confine.core.store answer from these files from now on; they must outlive the process.
 * Without this call it answers from the share folder, see core/lua/share.h.
 */
void cf_store_use(const struct cf_stored *files, size_t count);

/*
 * Lets the memory go that holds these files, for a process that will hardly read them again:
 * they must be constants of the program, which come back from its file when they are read.
 */
void cf_store_rest(void);

/*
 * Puts a searcher for the stored modules before the ones that look at the file system:
 * `require 'a.b'` finds lua/a/b.lua or lua/a/b/init.lua. Raises Lua errors.
 */
void cf_store_install(lua_State *L);

#endif
