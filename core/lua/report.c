/* confine.core.report: report files as Lua file handles. */
#include <stdio.h>
#include <unistd.h>

#include <lauxlib.h>

#include "host/report.h"
#include "lua/marshal.h"
#include "lua/open.h"

static int close_report(lua_State *L)
{
    struct cf_error err = { 0 };
    luaL_Stream *stream = luaL_checkudata(L, 1, LUA_FILEHANDLE);
    lua_getiuservalue(L, 1, 1);
    bool whole = fflush(stream->f) == 0;
    int ended =
        whole ? cf_report_end(fileno(stream->f), ftell(stream->f), lua_tostring(L, -1), &err)
              : 0;
    if (fclose(stream->f) != 0 || !whole)
        return luaL_fileresult(L, 0, NULL);
    if (ended < 0)
        return cf_push_failure(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

/*
 * core.report.create(path) -> file handle for writing; path: string without NUL, no part of it a
 * symbolic link, absent or a regular file. Fails with ELOOP, EINVAL and what openat2(2) says.
 * Its close fails with ESTALE when the path leads elsewhere by then.
 */
static int report_create(lua_State *L)
{
    const char *path = cf_check_text(L, 1, NULL);
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 1);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    stream->closef = NULL; /* born closed */
    luaL_setmetatable(L, LUA_FILEHANDLE);
    struct cf_error err;
    int fd = cf_report_open(path, &err);
    if (fd < 0)
        return cf_push_failure(L, &err);
    stream->f = fdopen(fd, "w");
    if (stream->f == NULL) {
        close(fd);
        return luaL_fileresult(L, 0, path);
    }
    stream->closef = close_report;
    return 1;
}

int cf_open_report(lua_State *L)
{
    static const luaL_Reg functions[] = { { "create", report_create }, { NULL, NULL } };
    luaL_newlib(L, functions);
    return 1;
}
