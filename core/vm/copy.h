/* Deep copies of plain values between Lua states that share nothing. */
#ifndef CF_VM_COPY_H
#define CF_VM_COPY_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#define CF_COPY_DEPTH 32
#define CF_COPY_VALUES ((size_t)1 << 20)

struct cf_copy {
    size_t values; /* how many more values may be copied; start with CF_COPY_VALUES */
    bool views;    /* read tables through their __pairs, which may run Lua code of `from` */
    /* Called for a value that is not plain, at `index` of from: pushes what stands for it onto
     * `to` and returns NULL, or pushes nothing and returns what the value is. May be NULL. */
    const char *(*odd)(lua_State *from, int index, lua_State *to);
    const char *problem; /* after a failure: why, as "holds a function"; static or odd's text */
};

/*
 * Pushes a copy of from's value at `index` onto `to`, which may be the same state. Plain are
 * strings, numbers, booleans, nil, and tables of these whose keys are strings or numbers, at
 * most CF_COPY_DEPTH deep, so a cycle is found; a table that occurs twice is copied twice.
 * Returns false with copy->problem set and the stacks as they were. Either state may raise for
 * want of memory.
 */
bool cf_copy_value(lua_State *from, int index, lua_State *to, struct cf_copy *copy);

#endif
