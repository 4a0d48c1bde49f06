/* confine.core.store: reads and lists the library and the policies, wherever they are kept. */
#include "lua/store.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <lauxlib.h>

#include "base/bytes.h"
#include "lua/marshal.h"
#include "lua/open.h"
#include "lua/share.h"

static const struct cf_stored *stored;
static size_t stored_count;

void cf_store_use(const struct cf_stored *files, size_t count)
{
    stored = files;
    stored_count = count;
}

void cf_store_rest(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = UINTPTR_MAX, end = 0;
    for (size_t at = 0; at < stored_count; at++) {
        uintptr_t data = (uintptr_t)stored[at].data;
        start = data < start ? data : start;
        end = data + stored[at].size > end ? data + stored[at].size : end;
    }
    if (end > start)
        madvise((void *)(start & -page), end - (start & -page), MADV_DONTNEED);
}

static int compare_name(const void *name, const void *item)
{
    return strcmp(name, ((const struct cf_stored *)item)->name);
}

static const struct cf_stored *find_stored(const char *name)
{
    if (stored_count == 0)
        return NULL;
    return bsearch(name, stored, stored_count, sizeof *stored, compare_name);
}

static void release_bytes(void *payload)
{
    cf_bytes_free(payload);
}

static void release_names(void *payload)
{
    cf_names_free(payload);
}

/*
 * core.store.read(name) -> bytes. name: string without NUL, as in the source tree, such as
 * 'policies/default.lua'. In the program lua/ holds bytecode. Fails with ENOENT.
 */
static int store_read(lua_State *L)
{
    const char *name = cf_check_text(L, 1, NULL);
    struct cf_error err;
    if (stored == NULL) {
        struct cf_bytes *text = cf_push_box(L, sizeof *text, release_bytes);
        if (cf_share_read(name, text, &err) < 0)
            return cf_push_failure(L, &err);
        lua_pushlstring(L, text->data, text->len);
        return 1;
    }
    const struct cf_stored *found = find_stored(name);
    if (found == NULL) {
        cf_fail(&err, ENOENT, "read the built-in %s", name);
        return cf_push_failure(L, &err);
    }
    lua_pushlstring(L, (const char *)found->data, found->size);
    return 1;
}

static int list_share(lua_State *L, const char *prefix)
{
    struct cf_error err;
    struct cf_names *names = cf_push_box(L, sizeof *names, release_names);
    if (cf_share_list(prefix, names, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, (int)names->count, 0);
    for (size_t at = 0; at < names->count; at++) {
        lua_pushstring(L, names->items[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    return 1;
}

/*
 * core.store.list(prefix) -> list of the names that begin with prefix (string, default ''),
 * sorted by bytes, at any depth. No such name: an empty list. Fails when stock Lua finds no
 * share folder.
 */
static int store_list(lua_State *L)
{
    const char *prefix = cf_opt_text(L, 1, "");
    if (stored == NULL)
        return list_share(L, prefix);
    lua_newtable(L);
    lua_Integer count = 0;
    for (size_t at = 0; at < stored_count; at++) {
        if (strncmp(stored[at].name, prefix, strlen(prefix)) != 0)
            continue;
        lua_pushstring(L, stored[at].name);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/*
 * core.store.load(name) -> the function of a built-in chunk, made from where it lies; nil where
 * there is none, which is so with stock Lua.
 */
static int store_load(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const struct cf_stored *found = find_stored(name);
    if (found == NULL)
        return 0;
    const char *chunk = lua_pushfstring(L, "=%s", name);
    if (luaL_loadbufferx(L, (const char *)found->data, found->size, chunk, "b") != LUA_OK)
        return lua_error(L);
    return 1;
}

static int load_stored(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    const char *base = luaL_gsub(L, name, ".", "/");
    const char *file = lua_pushfstring(L, "lua/%s.lua", base);
    const struct cf_stored *found = find_stored(file);
    if (found == NULL) {
        file = lua_pushfstring(L, "lua/%s/init.lua", base);
        found = find_stored(file);
    }
    if (found == NULL) {
        lua_pushfstring(L, "no built-in module '%s'", name);
        return 1;
    }
    const char *chunk = lua_pushfstring(L, "@%s", file);
    if (luaL_loadbufferx(L, (const char *)found->data, found->size, chunk, "b") != LUA_OK)
        return lua_error(L);
    lua_pushstring(L, file);
    return 2;
}

void cf_store_install(lua_State *L)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(L, -1, "package");
    lua_getfield(L, -1, "searchers");
    /* Place 1 stays with package.preload. */
    for (lua_Integer at = luaL_len(L, -1); at >= 2; at--) {
        lua_geti(L, -1, at);
        lua_seti(L, -2, at + 1);
    }
    lua_pushcfunction(L, load_stored);
    lua_seti(L, -2, 2);
    lua_pop(L, 3);
}

int cf_open_store(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "read", store_read },
        { "list", store_list },
        { "load", store_load },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
