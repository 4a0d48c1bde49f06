/* The recorder: nouns and continuations are userdata that nothing in a policy can take apart. */
#include "vm/words.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "vm/builtins.h"
#include "vm/copy.h"
#include "vm/vm.h"

#define NOUN "word"
#define CONTINUATION "statement"
#define WORDS "confine.words"           /* listed names -> true */
#define NOUNS "confine.nouns"           /* first parts of listed names -> true */
#define SPELLED "confine.spelled"       /* known names -> their nouns, made when first used */
#define STATEMENTS "confine.statements" /* the list */
#define SEEN "confine.seen"             /* "NAME:LINE" -> place of its bare record */

/*
 * Its first user value is the word as far as it was spelled; the second the nouns that were
 * made of it by their last part, where its name is known: those never differ.
 */
struct noun {
    lua_Integer bare; /* the place of the record its unknown name made, or 0 */
    bool known;       /* whether the word is one that the policy may use */
};

struct continuation {
    lua_Integer place;
};

static int current_line(lua_State *L)
{
    lua_Debug at;
    /* A tail call has no line of its own left; the line hook saw it. */
    if (lua_getstack(L, 1, &at) != 0 && lua_getinfo(L, "l", &at) != 0 && at.currentline > 0)
        return at.currentline;
    return (*(struct cf_vm **)lua_getextraspace(L))->line;
}

static bool is_in(lua_State *L, const char *set, const char *name)
{
    lua_getfield(L, LUA_REGISTRYINDEX, set);
    bool found = lua_getfield(L, -1, name) == LUA_TBOOLEAN;
    lua_pop(L, 2);
    return found;
}

static bool is_known(lua_State *L, const char *word)
{
    if (is_in(L, WORDS, word))
        return true;
    lua_pushlstring(L, word, strcspn(word, "."));
    bool listed = is_in(L, WORDS, lua_tostring(L, -1));
    lua_pop(L, 1);
    return listed;
}

/* Takes the word from the top of the stack and leaves the noun there. */
static void push_noun(lua_State *L, lua_Integer bare)
{
    struct noun *noun = lua_newuserdatauv(L, sizeof *noun, 2);
    noun->bare = bare;
    noun->known = is_known(L, lua_tostring(L, -2));
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, NOUN);
}

/* Pushes the word of the noun at `index`. */
static const char *push_word(lua_State *L, int index)
{
    lua_getiuservalue(L, index, 1);
    return lua_tostring(L, -1);
}

/* Fills word, line and known of the statement on top of the stack. */
static void describe(lua_State *L, const char *word, int line, bool known)
{
    lua_pushstring(L, word);
    lua_setfield(L, -2, "word");
    lua_pushinteger(L, line);
    lua_setfield(L, -2, "line");
    lua_pushboolean(L, known);
    lua_setfield(L, -2, "known");
}

/* The place of the bare record for an unknown name on this line, made when it is the first. */
static lua_Integer note_unknown(lua_State *L, const char *name)
{
    int line = current_line(L);
    lua_getfield(L, LUA_REGISTRYINDEX, SEEN);
    const char *key = lua_pushfstring(L, "%s:%d", name, line);
    lua_getfield(L, -2, key);
    lua_Integer place = lua_tointeger(L, -1);
    if (place == 0) {
        lua_getfield(L, LUA_REGISTRYINDEX, STATEMENTS);
        place = (lua_Integer)lua_rawlen(L, -1) + 1;
        lua_createtable(L, 0, 4);
        describe(L, name, line, is_known(L, name));
        lua_rawseti(L, -2, place);
        lua_pushinteger(L, place);
        lua_setfield(L, -5, key);
        lua_pop(L, 1);
    }
    lua_pop(L, 3);
    return place;
}

static int read_global(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tostring(L, 2);
    if (strcmp(name, "facts") == 0)
        return 0;
    lua_getfield(L, LUA_REGISTRYINDEX, SPELLED);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, 3) == LUA_TUSERDATA)
        return 1;
    bool known = is_in(L, WORDS, name) || is_in(L, NOUNS, name);
    lua_Integer bare = known ? 0 : note_unknown(L, name);
    lua_pushvalue(L, 2);
    push_noun(L, bare);
    if (known) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, -2);
        lua_rawset(L, 3);
    }
    return 1;
}

static int write_global(lua_State *L)
{
    const char *name = luaL_tolstring(L, 2, NULL);
    return luaL_error(L, "a policy cannot assign the global name '%s'; write `local %s`", name,
                      name);
}

static int index_noun(lua_State *L)
{
    struct noun *noun = luaL_checkudata(L, 1, NOUN);
    const char *word = push_word(L, 1);
    if (lua_type(L, 2) != LUA_TSTRING)
        return luaL_error(L, "'%s' has words, it is not a list", word);
    bool is_new = lua_getiuservalue(L, 1, 2) != LUA_TTABLE;
    if (is_new) {
        lua_pop(L, 1);
        lua_newtable(L);
    }
    int made = lua_gettop(L);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, made) == LUA_TUSERDATA)
        return 1;
    lua_pushfstring(L, "%s.%s", word, lua_tostring(L, 2));
    push_noun(L, noun->bare);
    if (noun->bare == 0) {
        lua_pushvalue(L, 2);
        lua_pushvalue(L, -2);
        lua_rawset(L, made);
    }
    if (is_new && noun->bare == 0) {
        lua_pushvalue(L, made);
        lua_setiuservalue(L, 1, 2);
    }
    return 1;
}

static int write_noun(lua_State *L)
{
    const char *word = push_word(L, 1);
    return luaL_error(L, "'%s.%s' is a word to call, not a field to set", word,
                      luaL_tolstring(L, 2, NULL));
}

static int show_noun(lua_State *L)
{
    push_word(L, 1);
    return 1;
}

const char *cf_words_stand_in(lua_State *from, int index, lua_State *to)
{
    struct noun *noun = luaL_testudata(from, index, NOUN);
    if (noun == NULL)
        return luaL_testudata(from, index, CONTINUATION) != NULL ? "is a statement, not a value"
                                                                 : "holds a function";
    if (noun->bare == 0)
        return "is a word, not a value";
    lua_pushstring(to, push_word(from, index));
    lua_remove(from, -2);
    return NULL;
}

/* Appends copies of the arguments from 2 on to the list on top of the stack. */
static void append_arguments(lua_State *L, const char *word, int last)
{
    int list = lua_gettop(L);
    lua_Integer count = (lua_Integer)lua_rawlen(L, list);
    for (int arg = 2; arg <= last; arg++) {
        struct cf_copy copy = { .values = CF_COPY_VALUES, .odd = cf_words_stand_in };
        if (lua_isnil(L, arg))
            luaL_error(L, "%s: argument %d is nil", word, (int)count + 1);
        if (!cf_copy_value(L, arg, L, &copy))
            luaL_error(L, "%s: argument %d %s", word, (int)count + 1, copy.problem);
        lua_rawseti(L, list, ++count);
    }
}

/* Pushes the table of the statement: the bare record of an unknown name once, else a new one. */
static lua_Integer push_statement(lua_State *L, struct noun *noun)
{
    lua_getfield(L, LUA_REGISTRYINDEX, STATEMENTS);
    if (noun->bare != 0) {
        lua_rawgeti(L, -1, noun->bare);
        bool taken = lua_getfield(L, -1, "args") != LUA_TNIL;
        lua_pop(L, 1);
        if (!taken) {
            lua_remove(L, -2);
            return noun->bare;
        }
        lua_pop(L, 1);
    }
    lua_Integer place = (lua_Integer)lua_rawlen(L, -1) + 1;
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, place);
    lua_remove(L, -2);
    return place;
}

static int push_continuation(lua_State *L, lua_Integer place)
{
    struct continuation *next = lua_newuserdatauv(L, sizeof *next, 0);
    next->place = place;
    luaL_setmetatable(L, CONTINUATION);
    return 1;
}

static int call_noun(lua_State *L)
{
    int last = lua_gettop(L);
    struct noun *noun = luaL_checkudata(L, 1, NOUN);
    const char *word = push_word(L, 1);
    if (luaL_testudata(L, 2, NOUN) != NULL) {
        const char *self = push_word(L, 2);
        size_t len = strlen(self);
        if (strncmp(word, self, len) == 0 && word[len] == '.')
            return luaL_error(L, "write '%s' with a point, not with a colon", word);
        lua_pop(L, 1);
    }
    lua_createtable(L, last - 1, 0);
    append_arguments(L, word, last);
    lua_Integer place = push_statement(L, noun);
    describe(L, word, current_line(L), noun->known);
    lua_rotate(L, -2, 1);
    lua_setfield(L, -2, "args");
    return push_continuation(L, place);
}

static int call_continuation(lua_State *L)
{
    int last = lua_gettop(L);
    struct continuation *next = luaL_checkudata(L, 1, CONTINUATION);
    lua_Integer place = next->place;
    lua_getfield(L, LUA_REGISTRYINDEX, STATEMENTS);
    lua_rawgeti(L, -1, place);
    lua_getfield(L, -1, "word");
    const char *word = lua_tostring(L, -1);
    lua_getfield(L, -2, "args");
    append_arguments(L, word, last);
    return push_continuation(L, place);
}

static int misuse_continuation(lua_State *L)
{
    return luaL_error(L, "a statement has no fields; it can only be given more arguments");
}

static void make_metatables(lua_State *L)
{
    static const luaL_Reg noun[] = {
        { "__index", index_noun },
        { "__newindex", write_noun },
        { "__call", call_noun },
        { "__tostring", show_noun },
        { NULL, NULL },
    };
    static const luaL_Reg continuation[] = {
        { "__index", misuse_continuation },
        { "__newindex", misuse_continuation },
        { "__call", call_continuation },
        { NULL, NULL },
    };
    luaL_newmetatable(L, NOUN);
    luaL_setfuncs(L, noun, 0);
    luaL_newmetatable(L, CONTINUATION);
    luaL_setfuncs(L, continuation, 0);
    lua_pop(L, 2);
}

static void list_words(lua_State *L, const char *const *words)
{
    lua_newtable(L);
    lua_newtable(L);
    for (; *words != NULL; words++) {
        lua_pushboolean(L, 1);
        lua_setfield(L, -3, *words);
        lua_pushlstring(L, *words, strcspn(*words, "."));
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
    }
    lua_setfield(L, LUA_REGISTRYINDEX, NOUNS);
    lua_setfield(L, LUA_REGISTRYINDEX, WORDS);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, STATEMENTS);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, SPELLED);
    lua_newtable(L);
    lua_setfield(L, LUA_REGISTRYINDEX, SEEN);
}

void cf_words_push_environment(lua_State *L, const char *const *words)
{
    static const luaL_Reg access[] = {
        { "__index", read_global },
        { "__newindex", write_global },
        { NULL, NULL },
    };
    make_metatables(L);
    list_words(L, words);
    lua_createtable(L, 0, 16);
    cf_builtins_add(L);
    luaL_newlib(L, access);
    lua_setmetatable(L, -2);
}

void cf_words_push_statements(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, STATEMENTS);
}
