/* What a policy can name: pure builtins, facts, record, and words that record statements. */
#ifndef CF_VM_WORDS_H
#define CF_VM_WORDS_H

#include <lua.h>

/*
 * The globals of a policy:
 *
 *   assert error ipairs next pairs select tonumber tostring type      as in Lua 5.4
 *   math      without random and randomseed: equal facts give equal statements
 *   string    without dump
 *   table utf8                                                        as in Lua 5.4
 *   facts     what the caller gave, a copy, or nil
 *   record    returns its argument: `return record { ... }`
 *
 * Any other name is a word. `noun.method(...)` and `noun(...)` record a statement
 * { word = 'noun.method', args = list, line = LINE, known = BOOLEAN } and return a continuation:
 * calling that appends its arguments to the same statement, as in `file.hide '~/x' { why = 'y' }`.
 * Arguments are plain values (core/vm/copy.h), copied at once, never nil.
 *
 * A word is known when it was listed, or its noun was. A global name that is neither, nor the
 * noun of a listed word, is recorded when it is read, as { word = NAME, line = LINE,
 * known = false } without args, once for each line. Calling it, or a method of it, turns that
 * record into the statement, so that one slip of the pen is one statement; as an argument it
 * stands for its own name. Everything else one might do with a word raises. Global names cannot
 * be assigned.
 */

/* Pushes the environment table; keeps what the recorder needs in the registry. May raise. */
void cf_words_push_environment(lua_State *L, const char *const *words);

/* Pushes the list of statements recorded so far. */
void cf_words_push_statements(lua_State *L);

/* cf_copy's `odd` for arguments and results: what a word or a continuation stands for. */
const char *cf_words_stand_in(lua_State *from, int index, lua_State *to);

#endif
