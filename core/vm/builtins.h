/* The part of a policy's globals that Lua brings itself. */
#ifndef CF_VM_BUILTINS_H
#define CF_VM_BUILTINS_H

#include <lua.h>

/* Sets the builtins of vm/words.h, and `record`, in the table on top of the stack. May raise. */
void cf_builtins_add(lua_State *L);

#endif
