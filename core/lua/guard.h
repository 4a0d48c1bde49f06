/* How the other bindings get at what core.guard prepared. */
#ifndef CF_LUA_GUARD_H
#define CF_LUA_GUARD_H

#include <lua.h>

#include "guard/guards.h"

/*
 * The field `name` of the table at argument `arg`, made by core.guard.prepare and not finished
 * yet, or NULL when it is absent; anything else raises. It lives as long as the table keeps it.
 */
struct cf_guards *cf_field_guards(lua_State *L, int arg, const char *name);

#endif
