/* The one recursion over plain values; metatables are ignored unless a view was asked for. */
#include "vm/copy.h"

#include <lauxlib.h>

static bool copy_at(lua_State *from, int index, lua_State *to, struct cf_copy *copy, int depth);

static bool fail(struct cf_copy *copy, const char *problem)
{
    copy->problem = problem;
    return false;
}

static bool copy_scalar(lua_State *from, int index, lua_State *to)
{
    size_t len;
    switch (lua_type(from, index)) {
    case LUA_TNIL:
        lua_pushnil(to);
        return true;
    case LUA_TBOOLEAN:
        lua_pushboolean(to, lua_toboolean(from, index));
        return true;
    case LUA_TNUMBER:
        if (lua_isinteger(from, index))
            lua_pushinteger(to, lua_tointeger(from, index));
        else
            lua_pushnumber(to, lua_tonumber(from, index));
        return true;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(from, index, &len);
        lua_pushlstring(to, text, len);
        return true;
    }
    default:
        return false;
    }
}

/* The pair on top of from's stack goes into the table at `into` of `to`. */
static bool copy_pair(lua_State *from, lua_State *to, int into, struct cf_copy *copy, int depth)
{
    int key = lua_gettop(from) - 1;
    int type = lua_type(from, key);
    if (type != LUA_TSTRING && type != LUA_TNUMBER)
        return fail(copy, "has a key that is neither a string nor a number");
    copy_scalar(from, key, to);
    if (!copy_at(from, key + 1, to, copy, depth + 1))
        return false;
    lua_rawset(to, into);
    return true;
}

static bool copy_table(lua_State *from, int index, lua_State *to, struct cf_copy *copy,
                       int depth)
{
    if (depth >= CF_COPY_DEPTH)
        return fail(copy, "is nested too deeply or contains itself");
    if (!lua_checkstack(from, 8) || !lua_checkstack(to, 8))
        return fail(copy, "needs more stack than there is");
    /* A table is a list, or a record of a few fields; what it is more it becomes by growing. */
    lua_Unsigned length = lua_rawlen(from, index);
    lua_createtable(to, length < 1024 ? (int)length : 1024, length == 0 ? 4 : 0);
    int into = lua_gettop(to);
    if (copy->views && luaL_getmetafield(from, index, "__pairs") != LUA_TNIL) {
        lua_pushvalue(from, index);
        lua_call(from, 1, 3);
        for (;;) {
            /* iterator, state, control */
            lua_pushvalue(from, -3);
            lua_pushvalue(from, -3);
            lua_pushvalue(from, -3);
            lua_call(from, 2, 2);
            if (lua_isnil(from, -2))
                break;
            if (!copy_pair(from, to, into, copy, depth))
                return false;
            lua_pop(from, 1);
            lua_replace(from, -2);
        }
        lua_pop(from, 5);
        return true;
    }
    lua_pushnil(from);
    while (lua_next(from, index) != 0) {
        if (!copy_pair(from, to, into, copy, depth))
            return false;
        lua_pop(from, 1);
    }
    return true;
}

static bool copy_at(lua_State *from, int index, lua_State *to, struct cf_copy *copy, int depth)
{
    if (copy->values == 0)
        return fail(copy, "holds too many values");
    copy->values--;
    if (copy_scalar(from, index, to))
        return true;
    if (lua_istable(from, index))
        return copy_table(from, index, to, copy, depth);
    if (copy->odd != NULL) {
        const char *is = copy->odd(from, index, to);
        return is == NULL ? true : fail(copy, is);
    }
    return fail(copy, lua_isfunction(from, index) ? "holds a function"
                                                  : "holds a value that is not plain");
}

bool cf_copy_value(lua_State *from, int index, lua_State *to, struct cf_copy *copy)
{
    index = lua_absindex(from, index);
    int from_top = lua_gettop(from);
    int to_top = lua_gettop(to);
    if (copy_at(from, index, to, copy, 0))
        return true;
    lua_settop(from, from_top);
    lua_settop(to, to_top);
    return false;
}
