/* The shared marshalling helpers: nothing here knows what a socket or a path is. */
#include "lua/marshal.h"

#include <stdint.h>
#include <string.h>

#define BOX "confine.box"

struct box {
    void (*release)(void *payload);
    _Alignas(max_align_t) char payload[];
};

static int box_release(lua_State *L)
{
    struct box *box = luaL_checkudata(L, 1, BOX);
    void (*release)(void *) = box->release;
    box->release = NULL;
    if (release != NULL)
        release(box->payload);
    return 0;
}

void *cf_push_box(lua_State *L, size_t size, void (*release)(void *payload))
{
    struct box *box = lua_newuserdatauv(L, sizeof *box + size, 0);
    box->release = NULL;
    memset(box->payload, 0, size);
    if (luaL_newmetatable(L, BOX)) {
        lua_pushcfunction(L, box_release);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, box_release);
        lua_setfield(L, -2, "__close");
    }
    lua_setmetatable(L, -2);
    box->release = release;
    return box->payload;
}

void cf_release_box(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    lua_pushcfunction(L, box_release);
    lua_pushvalue(L, index);
    lua_call(L, 1, 0);
}

void cf_make_class(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction close)
{
    luaL_newmetatable(L, name);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, close);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, close);
    lua_setfield(L, -2, "__close");
    lua_pop(L, 1);
}

int cf_push_failure(lua_State *L, const struct cf_error *err)
{
    lua_pushnil(L);
    lua_pushstring(L, err->message);
    lua_pushinteger(L, err->number);
    return 3;
}

int cf_push_unknown(lua_State *L, const char *reason)
{
    lua_createtable(L, 0, 1);
    cf_set_text(L, "unknown", reason);
    return 1;
}

const char *cf_check_text(lua_State *L, int arg, size_t *len)
{
    size_t size;
    luaL_checktype(L, arg, LUA_TSTRING);
    const char *text = lua_tolstring(L, arg, &size);
    luaL_argcheck(L, memchr(text, '\0', size) == NULL, arg, "string contains NUL");
    if (len != NULL)
        *len = size;
    return text;
}

const char *cf_opt_text(lua_State *L, int arg, const char *fallback)
{
    return lua_isnoneornil(L, arg) ? fallback : cf_check_text(L, arg, NULL);
}

pid_t cf_opt_pid(lua_State *L, int arg)
{
    if (lua_isnoneornil(L, arg))
        return 0;
    if (lua_type(L, arg) == LUA_TSTRING && strcmp(lua_tostring(L, arg), "self") == 0)
        return 0;
    lua_Integer pid = luaL_checkinteger(L, arg);
    luaL_argcheck(L, pid > 0 && pid <= INT32_MAX, arg, "a process id expected");
    return (pid_t)pid;
}

void cf_check_shape(lua_State *L, int arg, const char *const *names, bool optional)
{
    if (optional && lua_isnoneornil(L, arg)) {
        lua_settop(L, lua_gettop(L) < arg ? arg : lua_gettop(L));
        lua_newtable(L);
        lua_replace(L, arg);
        return;
    }
    luaL_checktype(L, arg, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, arg) != 0) {
        lua_pop(L, 1);
        bool known = false;
        for (const char *const *name = names; !known && *name != NULL; name++)
            known = lua_type(L, -1) == LUA_TSTRING && strcmp(*name, lua_tostring(L, -1)) == 0;
        if (!known) {
            const char *key = luaL_tolstring(L, -1, NULL);
            luaL_argerror(L, arg, lua_pushfstring(L, "unknown field '%s'", key));
        }
    }
}

static void field_error(lua_State *L, int arg, const char *name, const char *wanted)
{
    luaL_argerror(L, arg, lua_pushfstring(L, "field '%s' must be %s", name, wanted));
}

const char *cf_field_bytes(lua_State *L, int arg, const char *name, size_t *len)
{
    *len = 0;
    int type = lua_getfield(L, arg, name);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        field_error(L, arg, name, "a string");
    const char *data = type == LUA_TNIL ? NULL : lua_tolstring(L, -1, len);
    lua_pop(L, 1);
    return data;
}

const char *cf_field_text(lua_State *L, int arg, const char *name, const char *fallback)
{
    size_t len;
    const char *text = cf_field_bytes(L, arg, name, &len);
    if (text == NULL)
        return fallback;
    if (memchr(text, '\0', len) != NULL)
        field_error(L, arg, name, "a string without NUL");
    return text;
}

bool cf_field_boolean(lua_State *L, int arg, const char *name, bool fallback)
{
    int type = lua_getfield(L, arg, name);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        field_error(L, arg, name, "a boolean");
    bool value = type == LUA_TNIL ? fallback : lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    return value;
}

lua_Integer cf_field_integer(lua_State *L, int arg, const char *name, lua_Integer fallback,
                             lua_Integer lowest, lua_Integer highest)
{
    lua_Integer value = fallback;
    int type = lua_getfield(L, arg, name);
    if (type != LUA_TNIL) {
        int exact = 0;
        if (type == LUA_TNUMBER)
            value = lua_tointegerx(L, -1, &exact);
        if (!exact || value < lowest || value > highest) {
            const char *wanted =
                lua_pushfstring(L, "an integer from %I to %I", lowest, highest);
            field_error(L, arg, name, wanted);
        }
    }
    lua_pop(L, 1);
    return value;
}

lua_Number cf_field_number(lua_State *L, int arg, const char *name, lua_Number fallback,
                           lua_Number lowest, lua_Number highest)
{
    lua_Number value = fallback;
    int type = lua_getfield(L, arg, name);
    if (type != LUA_TNIL) {
        if (type == LUA_TNUMBER)
            value = lua_tonumber(L, -1);
        /* Written so that a NaN fails it too. */
        if (type != LUA_TNUMBER || !(value >= lowest && value <= highest)) {
            const char *wanted = lua_pushfstring(L, "a number from %f to %f", lowest, highest);
            field_error(L, arg, name, wanted);
        }
    }
    lua_pop(L, 1);
    return value;
}

int cf_field_choice(lua_State *L, int arg, const char *name, int fallback,
                    const char *const *choices)
{
    const char *text = cf_field_text(L, arg, name, choices[fallback]);
    for (int at = 0; choices[at] != NULL; at++)
        if (strcmp(choices[at], text) == 0)
            return at;
    const char *why = lua_pushfstring(L, "field '%s' may not be '%s'", name, text);
    return luaL_argerror(L, arg, why);
}

/* The list on top of the stack is replaced by the userdata that holds the pointers. */
static const char **texts_from_top(lua_State *L, int arg, const char *what, size_t *count)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        luaL_argerror(L, arg, lua_pushfstring(L, "%s must be a list of strings", what));
    size_t total = lua_rawlen(L, -1);
    const char **texts = lua_newuserdatauv(L, (total + 1) * sizeof *texts, 0);
    for (size_t at = 0; at < total; at++) {
        size_t len = 0;
        int type = lua_rawgeti(L, -2, (lua_Integer)(at + 1));
        texts[at] = type == LUA_TSTRING ? lua_tolstring(L, -1, &len) : NULL;
        if (texts[at] == NULL || memchr(texts[at], '\0', len) != NULL) {
            const char *why = lua_pushfstring(L, "%s[%I] must be a string without NUL", what,
                                              (lua_Integer)(at + 1));
            luaL_argerror(L, arg, why);
        }
        lua_pop(L, 1);
    }
    texts[total] = NULL;
    lua_remove(L, -2);
    if (count != NULL)
        *count = total;
    return texts;
}

const char **cf_field_texts(lua_State *L, int arg, const char *name, size_t *count)
{
    if (lua_getfield(L, arg, name) == LUA_TNIL) {
        if (count != NULL)
            *count = 0;
        return NULL;
    }
    return texts_from_top(L, arg, name, count);
}

const char **cf_check_texts(lua_State *L, int arg, size_t *count)
{
    lua_pushvalue(L, arg);
    return texts_from_top(L, arg, "list", count);
}

void cf_set_text(lua_State *L, const char *name, const char *text)
{
    if (text == NULL)
        return;
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

void cf_set_bytes(lua_State *L, const char *name, const char *data, size_t len)
{
    lua_pushlstring(L, data, len);
    lua_setfield(L, -2, name);
}

void cf_set_integer(lua_State *L, const char *name, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, name);
}

void cf_set_boolean(lua_State *L, const char *name, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}
