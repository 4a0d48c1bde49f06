/* Opens, feeds, runs and throws away a policy's state; every entry into it is protected. */
#include "vm/vm.h"

#include <stdbool.h>
#include <string.h>

#include <lauxlib.h>

#include "vm/copy.h"
#include "vm/watch.h"
#include "vm/words.h"

#define ENVIRONMENT "confine.environment"
#define HOOK_STEP 1000

/* A chunk name is cut at 60 bytes; this mark is replaced by the whole name afterwards. */
#define NAME_MARK "\001"

static struct cf_vm *vm_of(lua_State *L)
{
    return *(struct cf_vm **)lua_getextraspace(L);
}

static void on_hook(lua_State *L, lua_Debug *at)
{
    struct cf_vm *vm = vm_of(L);
    if (at->event == LUA_HOOKLINE) {
        vm->line = at->currentline;
        return;
    }
    vm->left -= HOOK_STEP;
    if (vm->left >= 0)
        return;
    vm->stopped = "instructions";
    lua_pushnil(L);
    lua_error(L);
}

/* Argument: the NULL-terminated words. */
static int set_up(lua_State *L)
{
    cf_words_push_environment(L, lua_touserdata(L, 1));
    lua_setfield(L, LUA_REGISTRYINDEX, ENVIRONMENT);
    return 0;
}

int cf_vm_open(struct cf_vm *vm, const struct cf_vm_limits *limits, const char *const *words,
               struct cf_error *err)
{
    memset(vm, 0, sizeof *vm);
    vm->limits = *limits;
    vm->left = limits->instructions;
    if (cf_arena_open(&vm->arena, limits->bytes, err) < 0)
        return -1;
    vm->L = lua_newstate(cf_arena_alloc, &vm->arena);
    if (vm->L == NULL)
        return cf_fail(err, 0, "%zu bytes do not hold a policy", limits->bytes);
    *(struct cf_vm **)lua_getextraspace(vm->L) = vm;
    lua_pushcfunction(vm->L, set_up);
    lua_pushlightuserdata(vm->L, (void *)(uintptr_t)words);
    if (lua_pcall(vm->L, 1, 0, 0) != LUA_OK)
        return cf_fail(err, 0, "%zu bytes do not hold a policy", limits->bytes);
    return 0;
}

struct gift {
    lua_State *from;
    int index;
    const char *const *names;
    struct cf_copy copy;
};

/* __index of the facts: upvalue 1 is the set of those there may be, 2 the text of their names. */
static int missing_fact(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TBOOLEAN)
        return 0;
    return luaL_error(L, "there is no fact '%s' here; the facts are: %s",
                      luaL_tolstring(L, 2, NULL), lua_tostring(L, lua_upvalueindex(2)));
}

/* A misspelt fact would be nil, and a condition on it never true. */
static void set_fact_names(lua_State *L, const char *const *names)
{
    luaL_Buffer text;
    lua_createtable(L, 0, 1);
    lua_newtable(L);
    luaL_buffinit(L, &text);
    for (size_t at = 0; names[at] != NULL; at++) {
        luaL_addstring(&text, at == 0 ? "" : ", ");
        luaL_addstring(&text, names[at]);
    }
    luaL_pushresult(&text);
    for (size_t at = 0; names[at] != NULL; at++) {
        lua_pushboolean(L, true);
        lua_setfield(L, -3, names[at]);
    }
    lua_pushcclosure(L, missing_fact, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

static int take_facts(lua_State *L)
{
    struct gift *gift = lua_touserdata(L, 1);
    lua_getfield(L, LUA_REGISTRYINDEX, ENVIRONMENT);
    lua_pushliteral(L, "facts");
    if (!cf_copy_value(gift->from, gift->index, L, &gift->copy))
        return 0;
    if (gift->names != NULL && lua_istable(L, -1))
        set_fact_names(L, gift->names);
    lua_rawset(L, -3);
    return 0;
}

int cf_vm_give_facts(struct cf_vm *vm, lua_State *from, int index, const char *const *names,
                     struct cf_error *err)
{
    struct gift gift = { .from = from,
                         .index = index,
                         .names = names,
                         .copy = { .values = CF_COPY_VALUES, .views = true } };
    lua_pushcfunction(vm->L, take_facts);
    lua_pushlightuserdata(vm->L, &gift);
    if (lua_pcall(vm->L, 1, 0, 0) != LUA_OK)
        return cf_fail(err, 0, "the facts take more than %zu bytes", vm->limits.bytes);
    if (gift.copy.problem != NULL)
        return cf_fail(err, 0, "a part of the facts %s", gift.copy.problem);
    return 0;
}

struct job {
    struct cf_vm *vm;
    const char *text;
    size_t len;
    int status;
};

static int run_text(lua_State *L)
{
    struct job *job = lua_touserdata(L, 1);
    if (luaL_loadbufferx(L, job->text, job->len, "=" NAME_MARK, "t") != LUA_OK)
        return lua_error(L);
    lua_getfield(L, LUA_REGISTRYINDEX, ENVIRONMENT);
    lua_setupvalue(L, -2, 1);
    lua_sethook(L, on_hook, LUA_MASKLINE | LUA_MASKCOUNT, HOOK_STEP);
    lua_call(L, 0, 1);
    lua_sethook(L, NULL, 0, 0);

    struct cf_copy copy = { .values = CF_COPY_VALUES, .odd = cf_words_stand_in };
    if (!cf_copy_value(L, -1, L, &copy))
        return luaL_error(L, "what the file returns %s", copy.problem);
    cf_words_push_statements(L);
    return 2;
}

static void run_job(void *context)
{
    struct job *job = context;
    lua_State *L = job->vm->L;
    lua_pushcfunction(L, run_text);
    lua_pushlightuserdata(L, job);
    job->status = lua_pcall(L, 1, 2, 0);
}

/* Only reads: after a failure the state must not be asked to allocate. */
static int explain(const struct cf_vm *vm, int status, const char *name, struct cf_error *err)
{
    int line = vm->line > 0 ? vm->line : 1;
    if (vm->stopped != NULL)
        return cf_fail(err, 0, "%s:%d: the policy takes more than %lld %s", name, line,
                       vm->limits.instructions, vm->stopped);
    bool is_text = lua_type(vm->L, -1) == LUA_TSTRING;
    const char *message = is_text ? lua_tostring(vm->L, -1) : "";
    if (status == LUA_ERRMEM || strcmp(message, "not enough memory") == 0)
        return cf_fail(err, 0, "%s:%d: the policy takes more than %zu bytes of memory", name,
                       line, vm->limits.bytes);
    if (!is_text)
        return cf_fail(err, 0, "%s:%d: an error that is a %s, not a text", name, line,
                       lua_typename(vm->L, lua_type(vm->L, -1)));
    if (strncmp(message, NAME_MARK ":", 2) == 0)
        return cf_fail(err, 0, "%s%s", name, message + 1);
    return cf_fail(err, 0, "%s:%d: %s", name, line, message);
}

int cf_vm_run(struct cf_vm *vm, const char *name, const char *text, size_t len,
              struct cf_error *err)
{
    struct job job = { .vm = vm, .text = text, .len = len };
    int cut = cf_watch_call(run_job, &job, vm->limits.seconds, err);
    if (cut < 0)
        return -1;
    if (cut > 0)
        return cf_fail(err, 0, "%s:%d: the policy runs longer than %g seconds", name,
                       vm->line > 0 ? vm->line : 1, vm->limits.seconds);
    return job.status == LUA_OK ? 0 : explain(vm, job.status, name, err);
}

void cf_vm_close(struct cf_vm *vm)
{
    cf_arena_close(&vm->arena);
    vm->L = NULL;
}
