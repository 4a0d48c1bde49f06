/* How the launch binding gets at what core.stage prepared. */
#ifndef CF_LUA_STAGE_H
#define CF_LUA_STAGE_H

#include <lua.h>

#include "stage/stage.h"

/*
 * The field `name` of the table at argument `arg`, made by core.stage.prepare and not finished
 * yet, or NULL when it is absent; anything else raises. It lives as long as the table keeps it.
 */
struct cf_stage *cf_field_stage(lua_State *L, int arg, const char *name);

#endif
