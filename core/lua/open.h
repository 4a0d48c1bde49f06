/* The parts of confine.core: each opener pushes the table of its functions. */
#ifndef CF_LUA_OPEN_H
#define CF_LUA_OPEN_H

#include <lua.h>

int cf_open_guard(lua_State *L);
int cf_open_host(lua_State *L);
int cf_open_launch(lua_State *L);
int cf_open_mounts(lua_State *L);
int cf_open_paths(lua_State *L);
int cf_open_procfs(lua_State *L);
int cf_open_report(lua_State *L);
int cf_open_sockets(lua_State *L);
int cf_open_stage(lua_State *L);
int cf_open_store(lua_State *L);
int cf_open_vm(lua_State *L);

/* `require 'confine.core'`: a table with the parts above by their names. */
int luaopen_confine_core(lua_State *L);

#endif
