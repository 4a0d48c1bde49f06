/* core.mounts: the mount table of a process, as tables. */
#include "host/mounts.h"
#include "lua/marshal.h"
#include "lua/open.h"

static void release_mounts(void *mounts)
{
    cf_mounts_free(mounts);
}

static void push_mounts(lua_State *L, const struct cf_mounts *mounts)
{
    lua_createtable(L, (int)mounts->len, 0);
    for (size_t at = 0; at < mounts->len; at++) {
        const struct cf_mount *mount = &mounts->items[at];
        lua_createtable(L, 0, 10);
        cf_set_integer(L, "id", mount->id);
        cf_set_integer(L, "parent", mount->parent);
        cf_set_integer(L, "dev", (lua_Integer)mount->dev);
        cf_set_text(L, "root", mount->root);
        cf_set_text(L, "path", mount->path);
        cf_set_text(L, "options", mount->options);
        cf_set_text(L, "optional", mount->optional);
        cf_set_text(L, "fstype", mount->fstype);
        cf_set_text(L, "source", mount->source);
        cf_set_text(L, "super", mount->super);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
}

/* Pushes the list and how many lines could not be read. */
static int finish(lua_State *L, const struct cf_mounts *mounts)
{
    push_mounts(L, mounts);
    lua_pushinteger(L, (lua_Integer)mounts->unreadable);
    cf_release_box(L, -3);
    return 2;
}

/* list(pid?) -> mounts, unreadable: what the process sees, the caller by default. */
static int list(lua_State *L)
{
    struct cf_error err;
    pid_t pid = cf_opt_pid(L, 1);
    struct cf_mounts *mounts = cf_push_box(L, sizeof *mounts, release_mounts);
    if (cf_mounts_read(pid, mounts, &err) < 0)
        return cf_push_failure(L, &err);
    return finish(L, mounts);
}

/* parse(text) -> mounts, unreadable: the same from a text in the form of mountinfo. */
static int parse(lua_State *L)
{
    size_t len;
    struct cf_error err;
    const char *text = luaL_checklstring(L, 1, &len);
    struct cf_mounts *mounts = cf_push_box(L, sizeof *mounts, release_mounts);
    if (cf_mounts_parse(text, len, mounts, &err) < 0)
        return cf_push_failure(L, &err);
    return finish(L, mounts);
}

int cf_open_mounts(lua_State *L)
{
    static const luaL_Reg functions[] = { { "list", list },
                                          { "parse", parse },
                                          { NULL, NULL } };
    luaL_newlib(L, functions);
    return 1;
}
