/* confine.core.vm: runs one policy file apart from everything and hands back what it stated. */
#include <lauxlib.h>
#include <string.h>

#include "lua/marshal.h"
#include "lua/open.h"
#include "vm/copy.h"
#include "vm/vm.h"

static void release_vm(void *payload)
{
    cf_vm_close(payload);
}

static const char *const run_fields[] = { "name",  "text",         "words",
                                          "facts", "fact_names",   "seconds",
                                          "bytes", "instructions", NULL };

static struct cf_vm_limits read_limits(lua_State *L)
{
    const lua_Integer mib = 1024 * 1024;
    struct cf_vm_limits limits = {
        .seconds = cf_field_number(L, 1, "seconds", 2, 0.001, 3600),
        .bytes = (size_t)cf_field_integer(L, 1, "bytes", 32 * mib, mib / 8, 1024 * mib),
        .instructions = cf_field_integer(L, 1, "instructions", 20000000, 1, 1000000000000),
    };
    return limits;
}

/* Sets a field of the table on top of L to the plain value at `index` of the policy's state. */
static void take_field(lua_State *L, struct cf_vm *vm, int index, const char *name)
{
    struct cf_copy copy = { .values = SIZE_MAX };
    if (!cf_copy_value(vm->L, index, L, &copy))
        luaL_error(L, "%s %s", name, copy.problem);
    lua_setfield(L, -2, name);
}

/*
 * core.vm.run{ name=STR, text=STR, words=LIST, facts=TABLE|nil, fact_names=LIST|nil, seconds=NUM,
 * bytes=INT, instructions=INT } -> { statements=LIST, returned=VALUE|nil } | nil, problem, 0.
 *
 * name: what messages call the file; text: Lua source; words: names the policy may use, whole
 * ('file.hide') or nouns; facts: plain values, frozen views included; fact_names: of those that
 * there may be, any other is an error then. Limits: processor seconds
 * 0.001 to 3600 (default 2), bytes 128 KiB to 1 GiB (32 MiB), Lua instructions 1 to 10^12
 * (20 million). The globals of a policy and the form of a statement: core/vm/words.h. A problem
 * reads 'NAME:LINE: ...' for everything that the text did.
 */
static int vm_run(lua_State *L)
{
    cf_check_shape(L, 1, run_fields, false);
    const char *name = cf_field_text(L, 1, "name", "policy");
    size_t len;
    const char *text = cf_field_bytes(L, 1, "text", &len);
    luaL_argcheck(L, text != NULL, 1, "field 'text' is missing");
    static const char *const none[] = { NULL };
    const char *const *words = cf_field_texts(L, 1, "words", NULL);
    const char *const *names = cf_field_texts(L, 1, "fact_names", NULL);
    struct cf_vm_limits limits = read_limits(L);
    struct cf_error err;
    struct cf_vm *vm = cf_push_box(L, sizeof *vm, release_vm);
    int box = lua_gettop(L);
    if (cf_vm_open(vm, &limits, words != NULL ? words : none, &err) < 0)
        return cf_push_failure(L, &err);
    if (lua_getfield(L, 1, "facts") != LUA_TNIL && cf_vm_give_facts(vm, L, -1, names, &err) < 0)
        return cf_push_failure(L, &err);
    if (cf_vm_run(vm, name, text, len, &err) < 0) {
        cf_release_box(L, box);
        return cf_push_failure(L, &err);
    }
    lua_createtable(L, 0, 2);
    take_field(L, vm, -1, "statements");
    take_field(L, vm, -2, "returned");
    cf_release_box(L, box);
    return 1;
}

int cf_open_vm(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "run", vm_run },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
