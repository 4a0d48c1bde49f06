/* Lua's own libraries without what reaches out of the state or differs from run to run. */
#include "vm/builtins.h"

#include <lauxlib.h>
#include <lualib.h>

static int identity(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_settop(L, 1);
    return 1;
}

/* Sets a library in the environment on top of the stack, without what is not pure. */
static void add_library(lua_State *L, const char *name, lua_CFunction open,
                        const char *const *without)
{
    luaL_requiref(L, name, open, 0);
    for (; *without != NULL; without++) {
        lua_pushnil(L);
        lua_setfield(L, -2, *without);
    }
    lua_setfield(L, -2, name);
}

void cf_builtins_add(lua_State *L)
{
    static const char *const base[] = { "assert", "error",    "ipairs",   "next", "pairs",
                                        "select", "tonumber", "tostring", "type", NULL };
    static const char *const whole[] = { NULL };
    static const char *const math[] = { "random", "randomseed", NULL };
    static const char *const string[] = { "dump", NULL };
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    for (const char *const *name = base; *name != NULL; name++) {
        lua_getfield(L, -1, *name);
        lua_setfield(L, -3, *name);
    }
    lua_pop(L, 1);
    add_library(L, LUA_STRLIBNAME, luaopen_string, string);
    add_library(L, LUA_TABLIBNAME, luaopen_table, whole);
    add_library(L, LUA_MATHLIBNAME, luaopen_math, math);
    add_library(L, LUA_UTF8LIBNAME, luaopen_utf8, whole);
    lua_pushcfunction(L, identity);
    lua_setfield(L, -2, "record");
}
