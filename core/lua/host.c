/* core.host: who the caller is, what the kernel and bwrap can do, where programs are. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/bwrap.h"
#include "host/cache.h"
#include "host/ids.h"
#include "host/kernel.h"
#include "host/paths.h"
#include "host/program.h"
#include "lua/marshal.h"
#include "lua/open.h"

extern char **environ;

static void release_ids(void *ids)
{
    cf_ids_free(ids);
}

/* ids() -> { uid, euid, gid, egid, groups = {...} }. */
static int ids(lua_State *L)
{
    struct cf_error err;
    struct cf_ids *read = cf_push_box(L, sizeof *read, release_ids);
    if (cf_ids_read(read, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, 5);
    cf_set_integer(L, "uid", (lua_Integer)read->uid);
    cf_set_integer(L, "euid", (lua_Integer)read->euid);
    cf_set_integer(L, "gid", (lua_Integer)read->gid);
    cf_set_integer(L, "egid", (lua_Integer)read->egid);
    lua_createtable(L, (int)read->group_count, 0);
    for (size_t at = 0; at < read->group_count; at++) {
        lua_pushinteger(L, (lua_Integer)read->groups[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    lua_setfield(L, -2, "groups");
    return 1;
}

/* environ() -> list of { name, value } in order, without entries that lack a name or '='. */
static int environment(lua_State *L)
{
    lua_Integer count = 0;
    lua_newtable(L);
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *equals = strchr(*entry, '=');
        if (equals == NULL || equals == *entry)
            continue;
        lua_createtable(L, 0, 2);
        cf_set_bytes(L, "name", *entry, (size_t)(equals - *entry));
        cf_set_text(L, "value", equals + 1);
        lua_rawseti(L, -2, ++count);
    }
    return 1;
}

/* kernel() -> { release, machine, landlock = ABI version, 0 when there is none }. */
static int kernel(lua_State *L)
{
    struct cf_error err;
    struct cf_kernel read;
    if (cf_kernel_read(&read, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, 3);
    cf_set_text(L, "release", read.release);
    cf_set_text(L, "machine", read.machine);
    cf_set_integer(L, "landlock", read.landlock);
    return 1;
}

static void release_passwd(void *passwd)
{
    cf_passwd_free(passwd);
}

/* passwd(uid) -> { name, dir, shell }, or nil alone when the user has no entry. */
static int passwd(lua_State *L)
{
    struct cf_error err;
    lua_Integer uid = luaL_checkinteger(L, 1);
    luaL_argcheck(L, uid >= 0 && uid < UINT32_MAX, 1, "a user id expected");
    struct cf_passwd *read = cf_push_box(L, sizeof *read, release_passwd);
    int found = cf_passwd_read((uid_t)uid, read, &err);
    if (found < 0)
        return cf_push_failure(L, &err);
    if (found == 0)
        return lua_pushnil(L), 1;
    lua_createtable(L, 0, 3);
    cf_set_text(L, "name", read->name);
    cf_set_text(L, "dir", read->dir);
    cf_set_text(L, "shell", read->shell);
    return 1;
}

/* A box around one text from malloc. */
static void release_text(void *text)
{
    free(*(char **)text);
}

static int push_text_or_failure(lua_State *L, const char *text, const struct cf_error *err)
{
    if (text == NULL)
        return cf_push_failure(L, err);
    lua_pushstring(L, text);
    return 1;
}

/* cwd() -> the current folder, or nil, message, errno when it is gone. */
static int cwd(lua_State *L)
{
    struct cf_error err;
    char **path = cf_push_box(L, sizeof *path, release_text);
    *path = cf_cwd_read(&err);
    return push_text_or_failure(L, *path, &err);
}

/* find(name, path) -> where the program is: see cf_program_find. */
static int find(lua_State *L)
{
    struct cf_error err;
    const char *name = cf_check_text(L, 1, NULL);
    const char *path = cf_check_text(L, 2, NULL);
    char **found = cf_push_box(L, sizeof *found, release_text);
    *found = cf_program_find(name, path, &err);
    return push_text_or_failure(L, *found, &err);
}

/* userns() -> true | false, reason | { unknown = reason }: see cf_kernel_try_userns. */
static int userns(lua_State *L)
{
    struct cf_error err;
    int allowed = cf_kernel_try_userns(&err);
    if (allowed < 0)
        return cf_push_unknown(L, err.message);
    lua_pushboolean(L, allowed);
    if (allowed)
        return 1;
    lua_pushstring(L, err.message);
    return 2;
}

static void release_bwrap(void *bwrap)
{
    cf_bwrap_free(bwrap);
}

/* bwrap(path, cache?) -> { path, version, setuid, options = { ['--args'] = true, ... } }. */
static int bwrap(lua_State *L)
{
    struct cf_error err;
    const char *path = cf_check_text(L, 1, NULL);
    const char *cache = cf_opt_text(L, 2, NULL);
    struct cf_bwrap *read = cf_push_box(L, sizeof *read, release_bwrap);
    if (cf_bwrap_read(path, cache, read, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, 4);
    cf_set_text(L, "path", path);
    cf_set_text(L, "version", read->version);
    cf_set_boolean(L, "setuid", read->setuid);
    lua_createtable(L, 0, (int)read->option_count);
    for (size_t at = 0; at < read->option_count; at++)
        cf_set_boolean(L, read->options[at], true);
    lua_setfield(L, -2, "options");
    return 1;
}

/* cache(folder) -> true: it can hold what is remembered, made if absent; nil, message, errno. */
static int cache(lua_State *L)
{
    struct cf_error err;
    int fd = cf_cache_open(cf_check_text(L, 1, NULL), &err);
    if (fd < 0)
        return cf_push_failure(L, &err);
    cf_close_fd(&fd);
    lua_pushboolean(L, 1);
    return 1;
}

/* isatty(fd) -> whether the descriptor is a terminal. */
static int is_terminal(lua_State *L)
{
    lua_Integer fd = luaL_checkinteger(L, 1);
    luaL_argcheck(L, fd >= 0 && fd <= INT32_MAX, 1, "a descriptor expected");
    lua_pushboolean(L, isatty((int)fd));
    return 1;
}

/* terminal(fd) -> the path of the terminal that the descriptor is; nil when it is none. */
static int terminal(lua_State *L)
{
    lua_Integer fd = luaL_checkinteger(L, 1);
    luaL_argcheck(L, fd >= 0 && fd <= INT32_MAX, 1, "a descriptor expected");
    char path[PATH_MAX];
    if (ttyname_r((int)fd, path, sizeof path) != 0)
        return 0;
    lua_pushstring(L, path);
    return 1;
}

/* own_folder(path) -> true: it is there, the caller's alone (0700), made with the folders above. */
static int own_folder(lua_State *L)
{
    struct cf_error err;
    int fd = cf_cache_make(cf_check_text(L, 1, NULL), &err);
    if (fd < 0)
        return cf_push_failure(L, &err);
    cf_close_fd(&fd);
    lua_pushboolean(L, 1);
    return 1;
}

int cf_open_host(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "ids", ids },           { "environ", environment },
        { "kernel", kernel },     { "passwd", passwd },
        { "cwd", cwd },           { "find", find },
        { "userns", userns },     { "bwrap", bwrap },
        { "cache", cache },       { "isatty", is_terminal },
        { "terminal", terminal }, { "own_folder", own_folder },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
