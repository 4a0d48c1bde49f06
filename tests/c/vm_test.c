/* The policy machine: what a policy states comes out whole, and no policy gets out or goes on. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lualib.h>

#include "check.h"
#include "lua/open.h"
#include "vm/arena.h"
#include "vm/watch.h"

/* run(text, more): one line, tables with sorted keys; limits small enough for a test. */
static const char prelude[] =
    "local vm = ...\n"
    "function show(value)\n"
    "  if type(value) ~= 'table' then\n"
    "    return type(value) == 'string' and ('%q'):format(value) or tostring(value)\n"
    "  end\n"
    "  local keys, out = {}, {}\n"
    "  for key in pairs(value) do keys[#keys + 1] = key end\n"
    "  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)\n"
    "  for at, key in ipairs(keys) do out[at] = key .. '=' .. show(value[key]) end\n"
    "  return '{' .. table.concat(out, ' ') .. '}'\n"
    "end\n"
    "WORDS = { 'file.hide', 'file.read', 'net', 'env.set', 'include' }\n"
    "function run(text, more)\n"
    "  local call = { name = 'p.lua', text = text, words = WORDS, seconds = 0.2,\n"
    "    bytes = 4 << 20, instructions = 10000000 }\n"
    "  for key, value in pairs(more or {}) do call[key] = value end\n"
    "  local result, problem, number = vm.run(call)\n"
    "  if not result then return problem .. '|' .. number end\n"
    "  return show(result.statements) .. (result.returned ~= nil and\n"
    "    ' -> ' .. show(result.returned) or '')\n"
    "end\n"
    "function unknown(text)\n"
    "  local names = {}\n"
    "  for at, item in ipairs(vm.run { text = text, words = WORDS }.statements) do\n"
    "    names[at] = not item.known and item.word or 'known'\n"
    "  end\n"
    "  return table.concat(names, ' ')\n"
    "end\n";

static lua_State *host;
static char answer[8192];

/* The text that a Lua expression yields in a host state that has `run`. */
static const char *eval(const char *expression)
{
    host = luaL_newstate();
    luaL_openlibs(host);
    if (luaL_loadstring(host, prelude) == LUA_OK) {
        lua_pushcfunction(host, cf_open_vm);
        lua_call(host, 0, 1);
        lua_call(host, 1, 0);
    }
    lua_pushfstring(host, "return %s", expression);
    if (luaL_loadstring(host, lua_tostring(host, -1)) != LUA_OK ||
        lua_pcall(host, 0, 1, 0) != LUA_OK)
        lua_pushfstring(host, "raised: %s", lua_tostring(host, -1));
    const char *text = luaL_tolstring(host, -1, NULL);
    snprintf(answer, sizeof answer, "%s", text);
    lua_close(host);
    return answer;
}

#define GIVES(expression, wanted) CHECK_TEXT(eval(expression), wanted)

CHECK_CASE(a_statement_keeps_its_word_arguments_and_line)
{
    GIVES("run [[\nfile.hide '~/.x'\nnet 'none'\nenv.set('A', 'b', 3, true)]]",
          "{1={args={1=\"~/.x\"} known=true line=1 word=\"file.hide\"} "
          "2={args={1=\"none\"} known=true line=2 word=\"net\"} "
          "3={args={1=\"A\" 2=\"b\" 3=3 4=true} known=true line=3 word=\"env.set\"}}");
    GIVES("run 'return file.hide \"a\" and nil'",
          "{1={args={1=\"a\"} known=true line=1 word=\"file.hide\"}}");
    GIVES("run 'local function f() return file.hide \"a\" end\\nf()'",
          "{1={args={1=\"a\"} known=true line=1 word=\"file.hide\"}}");
}

CHECK_CASE(a_continuation_adds_to_the_same_statement)
{
    GIVES("run [[\nfile.hide '~/.x' {\n  why = 'y',\n  except = { 'z' },\n}]]",
          "{1={args={1=\"~/.x\" 2={except={1=\"z\"} why=\"y\"}} known=true line=1 "
          "word=\"file.hide\"}}");
}

CHECK_CASE(arguments_are_copied_when_they_are_given)
{
    GIVES("run 'local t = { 1 } file.hide(t) t[1] = 2 file.hide(t)'",
          "{1={args={1={1=1}} known=true line=1 word=\"file.hide\"} "
          "2={args={1={1=2}} known=true line=1 word=\"file.hide\"}}");
}

CHECK_CASE(an_unknown_global_is_recorded_once_for_each_line)
{
    GIVES("run 'local a = hoem\\nlocal b = hoem or hoem'",
          "{1={known=false line=1 word=\"hoem\"} 2={known=false line=2 word=\"hoem\"}}");
    GIVES("run 'fiel.hide \"x\"'",
          "{1={args={1=\"x\"} known=false line=1 word=\"fiel.hide\"}}");
    GIVES("run 'fiel.hide \"x\" fiel.hide \"y\"'",
          "{1={args={1=\"x\"} known=false line=1 word=\"fiel.hide\"} "
          "2={args={1=\"y\"} known=false line=1 word=\"fiel.hide\"}}");
    GIVES("run 'file.hide(hoem)'",
          "{1={known=false line=1 word=\"hoem\"} "
          "2={args={1=\"hoem\"} known=true line=1 word=\"file.hide\"}}");
    GIVES("run 'file.hidee \"x\"'",
          "{1={args={1=\"x\"} known=false line=1 word=\"file.hidee\"}}");
    GIVES("run('file.hidee \"x\"', { words = { 'file' } })",
          "{1={args={1=\"x\"} known=true line=1 word=\"file.hidee\"}}");
}

CHECK_CASE(nothing_of_the_host_can_be_named)
{
    GIVES("unknown 'return os, io, require, load, dofile, pcall, xpcall, coroutine, debug'",
          "os io require load dofile pcall xpcall coroutine debug");
    GIVES("unknown 'return print, _G, setmetatable, getmetatable, rawset, rawget, package'",
          "print _G setmetatable getmetatable rawset rawget package");
    GIVES("unknown 'return collectgarbage, warn'", "collectgarbage warn");
    GIVES("run 'return { string.dump, (\"\").dump, math.random, math.randomseed }'",
          "{} -> {}");
    GIVES("run(string.dump(function() end))",
          "p.lua:1: attempt to load a binary chunk (mode is 't')|0");
}

CHECK_CASE(the_host_keeps_its_string_library)
{
    GIVES("run 'string.rep = nil string.format = nil' .. ('x'):rep(3)", "{}xxx");
}

CHECK_CASE(a_value_comes_back_plain)
{
    GIVES("run 'return record { a = { 1, 2.5, \"x\\0y\" }, [7] = false }'",
          "{} -> {7=false a={1=1 2=2.5 3=\"x\\0y\"}}");
    GIVES("run 'return print'", "{1={known=false line=1 word=\"print\"}} -> \"print\"");
    GIVES("run 'return file'", "p.lua:1: what the file returns is a word, not a value|0");
    GIVES("run 'return { file.hide \"x\" }'",
          "p.lua:1: what the file returns is a statement, not a value|0");
    GIVES("run 'local t = {} t.t = t return t'",
          "p.lua:1: what the file returns is nested too deeply or contains itself|0");
    GIVES("run('local t = {} for _ = 1, 30 do t = { t, t } end return t', { bytes = 1 << 28, "
          "seconds = 60 })",
          "p.lua:1: what the file returns holds too many values|0");
}

CHECK_CASE(misuse_of_a_word_names_file_and_line)
{
    GIVES("run 'file.hide(nil)'", "p.lua:1: file.hide: argument 1 is nil|0");
    GIVES("run '\\nfile.hide(pairs)'", "p.lua:2: file.hide: argument 1 holds a function|0");
    GIVES("run 'file.hide { [{}] = 1 }'",
          "p.lua:1: file.hide: argument 1 has a key that is neither a string nor a number|0");
    GIVES("run 'file.hide(net)'", "p.lua:1: file.hide: argument 1 is a word, not a value|0");
    GIVES("run 'file:hide \"x\"'",
          "p.lua:1: write 'file.hide' with a point, not with a colon|0");
    GIVES("run 'file.hide = 1'",
          "p.lua:1: 'file.hide' is a word to call, not a field to set|0");
    GIVES("run 'x = 1'",
          "p.lua:1: a policy cannot assign the global name 'x'; write `local x`|0");
    GIVES("run 'file[1]()'", "p.lua:1: 'file' has words, it is not a list|0");
    GIVES("run 'local s = file.hide \"x\" s.y = 1'",
          "p.lua:1: a statement has no fields; it can only be given more arguments|0");
    GIVES("run 'local x = hoem .. \"/x\"'",
          "p.lua:1: attempt to concatenate a word value (global 'hoem')|0");
}

CHECK_CASE(errors_of_any_kind_become_one_printable_line)
{
    GIVES("run 'local x = = 1'", "p.lua:1: unexpected symbol near '='|0");
    GIVES("run '\\n\\nerror({})'", "p.lua:3: an error that is a table, not a text|0");
    GIVES("run '\\nerror()'", "p.lua:2: an error that is a nil, not a text|0");
    GIVES("run 'error(\"a\\\\27[1m\\\\n\", 0)'", "p.lua:1: a\\x1b[1m\\x0a|0");
    GIVES("run('error \"x\"', { name = ('d'):rep(80) .. '.lua' })",
          "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
          ".lua:1: x|0");
}

CHECK_CASE(an_endless_policy_is_ended_with_its_line)
{
    GIVES("run('\\nwhile true do end', { seconds = 60 })",
          "p.lua:2: the policy takes more than 10000000 instructions|0");
    GIVES("run('local s = (\"a\"):rep(30000)\\nreturn s:find((\"a-\"):rep(50) .. \"b\")')",
          "p.lua:2: the policy runs longer than 0.2 seconds|0");
    GIVES("run('\\n\\ntable.move({}, 1, math.maxinteger - 1, 2)')",
          "p.lua:3: the policy runs longer than 0.2 seconds|0");
    GIVES("run('while true do end', { instructions = 1 << 39 })",
          "p.lua:1: the policy runs longer than 0.2 seconds|0");
}

CHECK_CASE(a_policy_without_measure_is_ended_with_its_line)
{
    static const char wanted[] =
        "p.lua:1: the policy takes more than 4194304 bytes of memory|0";
    GIVES("run 'local s = (\"x\"):rep(1 << 30)'", wanted);
    GIVES("run 'local t = {} for i = 1, 1e9 do t[i] = { i } end'", wanted);
    GIVES("run 'local s = \"x\" while true do s = s .. s end'", wanted);
    GIVES("run 'for i = 1, 1e9 do file.hide \"x\" end'", wanted);
    GIVES("run('\\nlocal s = (\"x\"):rep(3 << 20)')",
          "p.lua:2: the policy takes more than 4194304 bytes of memory|0");
    CHECK_HOLDS(eval("run('local t = ' .. ('{'):rep(1e6))"), "p.lua:1: ");
    CHECK_HOLDS(eval("run('local function f() return 1 + f() end f()')"), "p.lua:1: ");
    CHECK_HOLDS(eval("run('return ' .. ('('):rep(1e5) .. '1' .. (')'):rep(1e5))"), "p.lua:1: ");
    CHECK_HOLDS(eval("run('return (\"a\"):rep(1e5):find((\"(a\"):rep(1e5))')"), "p.lua:1: ");
    CHECK_HOLDS(eval("run 'return table.unpack({}, 1, 1e7)'"), "p.lua:1: ");
    CHECK_HOLDS(eval("run 'table.concat({}, \"x\", 1, 1e15)'"), "p.lua:1: ");
}

CHECK_CASE(facts_go_in_as_a_copy_and_frozen_views_are_read)
{
    GIVES("run('facts.a.b = 2 return facts', { facts = { a = { b = 1 }, n = 1.5 } })",
          "{} -> {a={b=2} n=1.5}");
    GIVES("run('return facts.a.b', { facts = { a = setmetatable({}, { __pairs = function() "
          "return next, { b = 5 }, nil end, __metatable = false }) } })",
          "{} -> 5");
    GIVES("run('return facts')", "{}");
    GIVES("run('', { facts = { f = print } })", "a part of the facts holds a function|0");
    GIVES("run('', { facts = { f = ('x'):rep(8 << 20) } })",
          "the facts take more than 4194304 bytes|0");
    GIVES(
        "run('', { facts = setmetatable({}, { __pairs = function() error('boom', 0) end }) })",
        "raised: boom");
}

CHECK_CASE(a_run_after_an_ended_one_is_sound)
{
    GIVES("(function() for _ = 1, 20 do run('while true do end', { seconds = 0.002 }) end "
          "return run('net \"none\"') end)()",
          "{1={args={1=\"none\"} known=true line=1 word=\"net\"}}");
}

CHECK_CASE(unknown_options_are_misuse)
{
    CHECK_HOLDS(eval("run('', { second = 1 })"), "unknown field 'second'");
    CHECK_HOLDS(eval("run('', { bytes = 1 })"), "field 'bytes' must be an integer from");
}

static bool holds(const char *block, size_t size, char with)
{
    for (size_t at = 0; at < size; at++)
        if (block[at] != with)
            return false;
    return true;
}

/* What is in use stays as it is, what is given back can be asked for again. */
CHECK_CASE(a_trimmed_arena_keeps_what_is_in_use)
{
    enum { COUNT = 3000 };
    static char *blocks[COUNT];
    struct cf_arena arena;
    struct cf_error err;
    if (!CHECK_INT(cf_arena_open(&arena, 64 << 20, &err), 0))
        return;
    for (size_t at = 0; at < COUNT; at++) {
        size_t size = 16 + at % 97 * 40;
        blocks[at] = cf_arena_alloc(&arena, NULL, 0, size);
        memset(blocks[at], (int)(at % 100), size);
    }
    for (int round = 0; round < 3; round++) {
        for (size_t at = 500; at < 2500; at++)
            if (at % 300 != 0)
                blocks[at] = cf_arena_alloc(&arena, blocks[at], 16 + at % 97 * 40, 0);
        cf_arena_trim(&arena);
        for (size_t at = 0; at < COUNT; at++)
            CHECK(blocks[at] == NULL || holds(blocks[at], 16 + at % 97 * 40, (char)(at % 100)));
        for (size_t at = 500; at < 2500; at++)
            if (blocks[at] == NULL) {
                blocks[at] = cf_arena_alloc(&arena, NULL, 0, 16 + at % 97 * 40);
                memset(blocks[at], (int)(at % 100), 16 + at % 97 * 40);
            }
    }
    for (size_t at = 0; at < COUNT; at++)
        CHECK(holds(blocks[at], 16 + at % 97 * 40, (char)(at % 100)));
    cf_arena_close(&arena);
}

CHECK_CASE(the_arena_reuses_and_stops_at_its_ceiling)
{
    struct cf_arena arena;
    struct cf_error err;
    if (!CHECK_INT(cf_arena_open(&arena, 1 << 20, &err), 0))
        return;
    CHECK(cf_arena_alloc(&arena, NULL, 0, (1 << 20) + 1) == NULL);
    CHECK(cf_arena_alloc(&arena, NULL, 0, (size_t)-1) == NULL);
    for (int round = 0; round < 100000; round++) {
        size_t size = 1 + (size_t)round * 7919 % 60000;
        char *block = cf_arena_alloc(&arena, NULL, 5, size);
        if (block == NULL)
            break;
        memset(block, round, size);
        block = cf_arena_alloc(&arena, block, size, size * 2);
        if (block == NULL)
            break;
        CHECK((unsigned char)block[size - 1] == (unsigned char)round);
        block = cf_arena_alloc(&arena, block, size * 2, 1);
        CHECK(block != NULL && (unsigned char)block[0] == (unsigned char)round);
        CHECK(cf_arena_alloc(&arena, block, 1, 0) == NULL);
    }
    CHECK(arena.used <= arena.size);
    cf_arena_close(&arena);
    cf_arena_close(&arena);
}

static void spin(void *context)
{
    volatile int *going = context;
    while (*going)
        ;
}

CHECK_CASE(the_watch_puts_back_what_it_changed)
{
    struct sigaction before, after;
    sigset_t mask_before, mask_after;
    struct cf_error err;
    volatile int going = 1;
    sigprocmask(SIG_SETMASK, NULL, &mask_before);
    sigaction(SIGVTALRM, NULL, &before);
    CHECK_INT(cf_watch_call(spin, (void *)(uintptr_t)&going, 0.01, &err), 1);
    going = 0;
    CHECK_INT(cf_watch_call(spin, (void *)(uintptr_t)&going, 0.01, &err), 0);
    sigprocmask(SIG_SETMASK, NULL, &mask_after);
    sigaction(SIGVTALRM, NULL, &after);
    CHECK(before.sa_handler == after.sa_handler);
    CHECK(sigismember(&mask_before, SIGVTALRM) == sigismember(&mask_after, SIGVTALRM));
}

CHECK_MAIN
