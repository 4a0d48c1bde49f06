/* Opens confine.core, the one C module, from its parts. */
#include "lua/open.h"

#include <lauxlib.h>

__attribute__((visibility("default"))) int luaopen_confine_core(lua_State *L)
{
    static const luaL_Reg parts[] = {
        { "guard", cf_open_guard },   { "host", cf_open_host },
        { "launch", cf_open_launch }, { "mounts", cf_open_mounts },
        { "paths", cf_open_paths },   { "procfs", cf_open_procfs },
        { "report", cf_open_report }, { "sockets", cf_open_sockets },
        { "stage", cf_open_stage },   { "store", cf_open_store },
        { "vm", cf_open_vm },
    };
    lua_newtable(L);
    for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) {
        lua_pushcfunction(L, parts[at].func);
        lua_call(L, 0, 1);
        lua_setfield(L, -2, parts[at].name);
    }
    return 1;
}
