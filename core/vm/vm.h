/* One policy file's own Lua state: what it may call, how long, in how much memory. */
#ifndef CF_VM_VM_H
#define CF_VM_VM_H

#include <stddef.h>

#include <lua.h>

#include "base/error.h"
#include "vm/arena.h"

struct cf_vm_limits {
    double seconds;         /* of processor time */
    size_t bytes;           /* of the whole state */
    long long instructions; /* of the Lua machine */
};

struct cf_vm {
    struct cf_arena arena;
    lua_State *L; /* lives in the arena; never closed, only thrown away with it */
    struct cf_vm_limits limits;
    long long left;      /* instructions */
    volatile int line;   /* the last line that began to run, also after a cut */
    const char *stopped; /* why the state ended itself, or NULL */
};

/*
 * A fresh state whose globals are in core/vm/words.h. words: NULL-terminated names that policies
 * may use, whole ("file.hide") or nouns ("file"). -1 with *err filled; close it all the same.
 */
int cf_vm_open(struct cf_vm *vm, const struct cf_vm_limits *limits, const char *const *words,
               struct cf_error *err);

/*
 * Sets the global `facts` to a deep copy of from's value at `index`; frozen views are read
 * through __pairs. With names not NULL (NULL-terminated) to ask for any other fact is an error.
 * May raise in `from`. -1 when it is not plain or too big.
 */
int cf_vm_give_facts(struct cf_vm *vm, lua_State *from, int index, const char *const *names,
                     struct cf_error *err);

/*
 * Runs the text, which must not be bytecode. On success vm->L has two plain values on top: what
 * the text returned, or nil, and the list of statements (words.h). Else -1 with a message
 * "NAME:LINE: ..."; the state is then of no further use. name: what messages call the file.
 */
int cf_vm_run(struct cf_vm *vm, const char *name, const char *text, size_t len,
              struct cf_error *err);

/* Frees everything at once; safe on a zeroed vm. */
void cf_vm_close(struct cf_vm *vm);

#endif
