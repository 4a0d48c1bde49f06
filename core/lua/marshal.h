/* What every binding shares: the failure triple, checked strings, tables of declared shape. */
#ifndef CF_LUA_MARSHAL_H
#define CF_LUA_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/error.h"

/*
 * Any lua_* call may longjmp past a cleanup attribute, so a binding keeps what must be released
 * in a box: a zeroed userdata whose __gc and __close call `release` on its payload. Zeroed
 * memory must therefore mean "nothing held" to release.
 *
 *     struct cf_mounts *mounts = cf_push_box(L, sizeof *mounts, release_mounts);
 *     if (cf_mounts_read(..., mounts, &err) < 0)
 *         return cf_push_failure(L, &err);
 *     push_mounts(L, mounts);
 *     cf_release_box(L, index_of_the_box);   (optional: frees now, not at the next collection)
 */
void *cf_push_box(lua_State *L, size_t size, void (*release)(void *payload));
void cf_release_box(lua_State *L, int index);

/* Makes the metatable of a kind of handle: its methods, and `close` for __gc and __close. */
void cf_make_class(lua_State *L, const char *name, const luaL_Reg *methods,
                   lua_CFunction close);

/* Pushes nil, message, errno and returns 3. */
int cf_push_failure(lua_State *L, const struct cf_error *err);

/* Pushes { unknown = reason } and returns 1. */
int cf_push_unknown(lua_State *L, const char *reason);

/* Argument `arg` as a string without NUL, or an argument error. len may be NULL. */
const char *cf_check_text(lua_State *L, int arg, size_t *len);

/* As cf_check_text, but nil or none gives fallback. */
const char *cf_opt_text(lua_State *L, int arg, const char *fallback);

/* Argument `arg` as a process id; 0, the caller, for nil, none and 'self'. */
pid_t cf_opt_pid(lua_State *L, int arg);

/*
 * The keys a table argument may have, in any order, ended by NULL. Raises an argument error for
 * a value that is no table and for any other key, naming it. When `optional`, nil or none is as
 * good as an empty table, which then takes its place, so that the field readers work.
 */
void cf_check_shape(lua_State *L, int arg, const char *const *names, bool optional);

/*
 * Field readers on the table at argument `arg`: an absent field gives the fallback, a value of
 * another type raises an argument error that names the field. Returned strings and arrays live
 * as long as the table keeps them.
 */
const char *cf_field_text(lua_State *L, int arg, const char *name, const char *fallback);
const char *cf_field_bytes(lua_State *L, int arg, const char *name, size_t *len);
bool cf_field_boolean(lua_State *L, int arg, const char *name, bool fallback);
lua_Integer cf_field_integer(lua_State *L, int arg, const char *name, lua_Integer fallback,
                             lua_Integer lowest, lua_Integer highest);
lua_Number cf_field_number(lua_State *L, int arg, const char *name, lua_Number fallback,
                           lua_Number lowest, lua_Number highest);

/* The index of the field's text in `choices`, ended by NULL; `fallback` is an index too. */
int cf_field_choice(lua_State *L, int arg, const char *name, int fallback,
                    const char *const *choices);

/*
 * A list field of strings without NUL as a NULL-terminated array of *count pointers, held by a
 * userdata that is pushed on the stack (always exactly one value, nil for an absent field, for
 * which NULL is returned). Holes and other types raise. count may be NULL.
 */
const char **cf_field_texts(lua_State *L, int arg, const char *name, size_t *count);

/* As cf_field_texts for the list at argument `arg` itself, which must be there. */
const char **cf_check_texts(lua_State *L, int arg, size_t *count);

/* Set a field of the table on top of the stack. A NULL text leaves the field absent. */
void cf_set_text(lua_State *L, const char *name, const char *text);
void cf_set_bytes(lua_State *L, const char *name, const char *data, size_t len);
void cf_set_integer(lua_State *L, const char *name, lua_Integer value);
void cf_set_boolean(lua_State *L, const char *name, bool value);

#endif
