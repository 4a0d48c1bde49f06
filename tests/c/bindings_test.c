/* What Lua sees of the host: shapes of tables, the failure triple, misuse; nothing leaks. */
#include <stdio.h>
#include <stdlib.h>

#include <lauxlib.h>
#include <lualib.h>

#include "check.h"
#include "lua/open.h"
#include "scratch.h"

/* Lua's own allocator, which refuses once `left` allocations were made. */
static void *allocate(void *left, void *block, size_t old, size_t size)
{
    long *count = left;
    if (size == 0) {
        free(block);
        return NULL;
    }
    /* Lua relies on shrinking never failing. */
    if ((block == NULL || size > old) && (*count)-- <= 0)
        return NULL;
    return realloc(block, size);
}

static const char prelude[] =
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
    "function all(...)\n"
    "  local out = {}\n"
    "  for at = 1, select('#', ...) do out[at] = show((select(at, ...))) end\n"
    "  return table.concat(out, ' ')\n"
    "end\n"
    "function keys(value)\n"
    "  local out = {}\n"
    "  for key in pairs(value) do out[#out + 1] = key end\n"
    "  table.sort(out)\n"
    "  return table.concat(out, ' ')\n"
    "end\n"
    "function misuse(...)\n"
    "  local ok, message = pcall(...)\n"
    "  return ok and 'no error' or message\n"
    "end\n";

static lua_State *open_state(long *left)
{
    static const luaL_Reg parts[] = {
        { "host", cf_open_host },       { "mounts", cf_open_mounts },
        { "paths", cf_open_paths },     { "procfs", cf_open_procfs },
        { "sockets", cf_open_sockets },
    };
    lua_State *L = lua_newstate(allocate, left);
    luaL_openlibs(L);
    for (size_t at = 0; at < sizeof parts / sizeof *parts; at++) {
        parts[at].func(L);
        lua_setglobal(L, parts[at].name);
    }
    if (luaL_dostring(L, prelude) != LUA_OK)
        abort();
    return L;
}

/* What the expression gives, a failure's message included; S is the scratch folder. */
static const char *eval(const char *expression)
{
    static char answer[16384];
    long left = 1000000000;
    lua_State *L = open_state(&left);
    lua_pushlstring(L, scratch(""), strlen(scratch("")) - 1);
    lua_setglobal(L, "S");
    const char *code = lua_pushfstring(L, "return %s", expression);
    if (luaL_loadstring(L, code) == LUA_OK)
        lua_pcall(L, 0, 1, 0);
    snprintf(answer, sizeof answer, "%s", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    return answer;
}

#define EVAL(wanted, expression) CHECK_TEXT(eval(expression), wanted)

CHECK_CASE(sockets_are_tables)
{
    EVAL("{1={inode=7 path=\"/a b\" state=\"listening\" type=\"stream\"} "
         "2={abstract=\"x\" inode=8 state=\"unconnected\" type=\"dgram\"} "
         "3={inode=9 state=\"connected\" type=\"seqpacket\"}} 1",
         "all(sockets.parse('0: 00000002 00000000 00010000 0001 01 7 /a b\\n'"
         " .. '0: 00000002 00000000 00000000 0002 01 8 @x\\n'"
         " .. '0: 00000002 00000000 00000000 0005 03 9\\n' .. 'junk\\n'))");
    EVAL("{} \"proc\" 0", "all(sockets.list{ file = '/dev/null' })");
    EVAL("nil \"open /no/such: No such file or directory\" 2",
         "all(sockets.list{ file = '/no/such' })");
    EVAL("netlink", "select(2, sockets.list{ source = 'netlink', listening = true })");
    EVAL("{}", "all(sockets.holders{})");
    EVAL("bindings_test table nil", "(function(h) return h.comm .. ' ' .. type(h.sockets) .. ' "
                                    "' .. tostring(h.command) end)"
                                    "(sockets.holders{ 'bindings_test' }[1])");
}

CHECK_CASE(misuse_names_the_field)
{
    EVAL("bad argument #1 to '?' (unknown field 'listen')",
         "misuse(sockets.list, { listen = true })");
    EVAL("bad argument #1 to '?' (unknown field '1')", "misuse(sockets.list, { 'netlink' })");
    EVAL("bad argument #1 to '?' (field 'source' may not be 'ss')",
         "misuse(sockets.list, { source = 'ss' })");
    EVAL("bad argument #1 to '?' (field 'listening' must be a boolean)",
         "misuse(sockets.list, { listening = 1 })");
    EVAL("bad argument #1 to '?' (field 'file' must be a string without NUL)",
         "misuse(sockets.list, { file = 'a\\0b' })");
    EVAL("bad argument #1 to '?' (table expected, got number)", "misuse(sockets.list, 1)");
    EVAL("bad argument #1 to '?' (list of inodes expected)",
         "misuse(sockets.owners, { 1, 'x' })");
    EVAL("bad argument #2 to '?' (comms must be a list of strings)",
         "misuse(sockets.owners, {}, { comms = 'x' })");
    EVAL("bad argument #1 to '?' (list[1] must be a string without NUL)",
         "misuse(sockets.holders, { 7 })");
    EVAL("bad argument #1 to '?' (list[2] must be a string without NUL)",
         "misuse(paths.survey, { '/a', 7 })");
    EVAL("bad argument #1 to '?' (string contains NUL)", "misuse(paths.look, '/a\\0b')");
    EVAL("bad argument #1 to '?' (string expected, got number)", "misuse(paths.look, 7)");
    EVAL("bad argument #1 to '?' (a process id expected)", "misuse(mounts.list, -1)");
    EVAL("bad argument #1 to '?' (field 'bwrap' is missing)", "misuse(procfs.probe, {})");
}

CHECK_CASE(looks_are_tables)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "x", 0640);
    scratch_link("l", "d");
    EVAL("dev exists_to gid ino links mode nlink path type uid",
         "keys((function() local t = paths.look(S .. '/l/f') t.exists_to = 1 return t end)())");
    EVAL("true \"file\" 416 1", "all((function(t) return t.path == S .. '/d/f' and "
                                "t.links[1] == S .. '/l', t.type, t.mode, t.nlink end)"
                                "(paths.look(S .. '/l/f')))");
    EVAL("exists_to path type", "keys(paths.look(S .. '/x'))");
    EVAL("link", "paths.look(S .. '/l', { follow = false }).type");
    EVAL("nil \"look at x: not an absolute path: Invalid argument\" 22",
         "all(paths.look('x'))");
    EVAL("{1={} 2={1=\"absent\"} 3={1=\"dir\" 2=\"dir\"}}",
         "show((function(found) for _, list in ipairs(found) do for at, look in ipairs(list) do"
         " list[at] = look.type end end return found end)"
         "(paths.survey{ S .. '/x*', S .. '/x', S .. '/*' }))");
    scratch_close();
}

CHECK_CASE(a_survey_is_bounded_by_the_names_that_patterns_are_held_against)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/a", "", 0600);
    scratch_file("d/b", "", 0600);
    EVAL("3", "#paths.survey({ S .. '/*/*', '/', S .. '/*/*' }, 6)");
    EVAL("nil \"more than 5 names are looked at\" 7 3",
         "all(paths.survey({ S .. '/*/*', '/', S .. '/*/*' }, 5))");
    EVAL("bad argument #2 to '?' (a number of names expected)", "misuse(paths.survey, {}, -1)");
    scratch_close();
}

CHECK_CASE(files_and_folders)
{
    scratch_open();
    scratch_file("f", "a\nb", 0600);
    scratch_link("l", "f");
    EVAL("name type | target", "(function(list) return keys(list[1]) .. ' | ' "
                               ".. (list[2].target == 'f' and 'target' or"
                               " 'none') end)(paths.list(S))");
    EVAL("\"a\\\nb\"", "all(paths.read(S .. '/f', 3))");
    EVAL("true", "select(2, paths.read(S .. '/f', 2)):find('more than 2 bytes') ~= nil");
    EVAL("true true", "all(paths.is_writable(S .. '/f'), paths.trust(S .. '/f'))");
    EVAL("{unknown=\"open /no/such: No such file or directory\"}",
         "all(paths.is_writable('/no/such'))");
    EVAL("nil \"open /no/such: No such file or directory\" 2", "all(paths.trust('/no/such'))");
    EVAL("true false", "all(paths.matches('*.so', 'a.so'), paths.matches('*', '.a'))");
    scratch_close();
}

CHECK_CASE(mounts_and_processes)
{
    EVAL("{1={dev=5 fstype=\"proc\" id=36 optional=\"\" options=\"rw\" parent=35 path=\"/a b\" "
         "root=\"/\" source=\"x\" super=\"rw\"}} 0",
         "all(mounts.parse('36 35 0:5 / /a\\\\040b rw - proc x rw\\n'))");
    EVAL("nil \"open /proc/2147483647/mountinfo: No such file or directory\" 2",
         "all(mounts.list(2147483647))");
    EVAL("integer table table integer string",
         "(function(s) return math.type(s.NoNewPrivs) .. ' ' .. type(s.Uid) .. ' ' .."
         " type(s.Groups) .. ' ' .. math.type(s.CapEff) .. ' ' .. type(s.Name) end)"
         "(procfs.status('self'))");
    EVAL("e f r s", "keys(procfs.status().Uid)");
    EVAL("mnt:[", "procfs.namespaces('self').mnt:sub(1, 5)");
    EVAL("{cached=false errno=2 mountable={unknown=\"execute /no/such: No such file or "
         "directory\"} "
         "reason=\"execute /no/such: No such file or directory\"}",
         "show(procfs.probe{ bwrap = '/no/such' })");
}

CHECK_CASE(facts_of_the_host)
{
    EVAL("egid euid gid groups uid", "keys(host.ids())");
    EVAL("landlock machine release", "keys(host.kernel())");
    EVAL("dir name shell", "keys(host.passwd(0))");
    EVAL("nil", "all(host.passwd(54321))");
    EVAL("nil \"find sh: No such file or directory\" 2", "all(host.find('sh', '/no/such'))");
    EVAL("nil \"stat /no/such: No such file or directory\" 2", "all(host.bwrap('/no/such'))");
    setenv("CONFINE_TEST", "a=b", 1);
    EVAL("a=b", "(function() for _, item in ipairs(host.environ()) do"
                " if item.name == 'CONFINE_TEST' then return item.value end end end)()");
    EVAL("boolean", "type(host.isatty(0))");
}

/* Every allocation fails once: whatever was held then is released all the same. */
static void exhaust(const char *code)
{
    for (long most = 0;; most++) {
        long left = 1000000000;
        lua_State *L = open_state(&left);
        lua_pushlstring(L, scratch(""), strlen(scratch("")) - 1);
        lua_setglobal(L, "S");
        if (!CHECK_INT(luaL_loadstring(L, code), LUA_OK))
            return lua_close(L);
        left = most;
        int done = lua_pcall(L, 0, 0, 0);
        left = 1000000000;
        lua_close(L);
        if (done == LUA_OK)
            return;
        CHECK_INT(done, LUA_ERRMEM);
    }
}

CHECK_CASE(no_shortage_of_memory_leaks_anything)
{
    scratch_open();
    scratch_file("f", "text", 0644);
    scratch_link("l", "f");
    exhaust("paths.look(S .. '/l')");
    exhaust("paths.survey{ S .. '/*', S .. '/none', '/etc/passwd' }");
    exhaust("paths.list(S)");
    exhaust("paths.read(S .. '/f', 100)");
    exhaust("sockets.parse('0: 00000002 00000000 00010000 0001 01 7 /a\\n')");
    exhaust("sockets.owners({ 1, 2 }, { comms = { 'x' } })");
    exhaust("sockets.holders{ 'x', 'bindings_test' }");
    exhaust("mounts.parse('36 35 0:5 / /a rw - proc x rw\\n')");
    exhaust("procfs.status('self')");
    exhaust("host.ids() host.passwd(0) host.cwd() host.find('sh', '/bin')");
    scratch_close();
}

CHECK_MAIN
