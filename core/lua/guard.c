/* core.guard: what this host offers each guard, and the guards of one run. */
#include "lua/guard.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/exposure.h"
#include "guard/landlock.h"
#include "guard/listener.h"
#include "guard/proc.h"
#include "guard/session.h"
#include "guard/stdin.h"
#include "guard/switch.h"
#include "lua/marshal.h"
#include "lua/open.h"

#define GUARDS "confine.guards"
#define DESCRIPTOR "confine.descriptor"

/* Both kinds of handle are made closed and filled afterwards, so that no error can leak them. */
struct guards_handle {
    struct cf_guards guards;
    bool held;
};

static int *push_descriptor(lua_State *L)
{
    int *fd = lua_newuserdatauv(L, sizeof *fd, 0);
    *fd = -1;
    luaL_setmetatable(L, DESCRIPTOR);
    return fd;
}

/* Pushes what an engine function stored in the descriptor on top, or its failure. */
static int push_opened(lua_State *L, int fd, const struct cf_error *err)
{
    return fd < 0 ? cf_push_failure(L, err) : 1;
}

static int check_fd(lua_State *L, int arg)
{
    lua_Integer fd = luaL_checkinteger(L, arg);
    luaL_argcheck(L, fd >= 0 && fd <= INT32_MAX, arg, "a descriptor expected");
    return (int)fd;
}

/* descriptor:fd() -> its number, as long as it is open. */
static int descriptor_fd(lua_State *L)
{
    int *fd = luaL_checkudata(L, 1, DESCRIPTOR);
    luaL_argcheck(L, *fd >= 0, 1, "the descriptor is closed");
    lua_pushinteger(L, *fd);
    return 1;
}

static int descriptor_close(lua_State *L)
{
    cf_close_fd(luaL_checkudata(L, 1, DESCRIPTOR));
    return 0;
}

static const char *const userns_values[] = { "refused", "granted", NULL };

/* seccomp{ userns = 'refused' | 'granted' } -> descriptor of the program for bwrap's --seccomp. */
static int seccomp(lua_State *L)
{
    static const char *const shape[] = { "userns", NULL };
    struct cf_error err;
    cf_check_shape(L, 1, shape, true);
    struct cf_seccomp_wishes wishes = {
        .user_namespaces = cf_field_choice(L, 1, "userns", 0, userns_values) == 1,
        .setuid_files = geteuid() != 0,
    };
    int *fd = push_descriptor(L);
    *fd = cf_seccomp_build(&wishes, &err);
    return push_opened(L, *fd, &err);
}

/* stdin(fd) -> descriptor that the command gets instead: see guard/stdin.h. */
static int replace_stdin(lua_State *L)
{
    struct cf_error err;
    int given = check_fd(L, 1);
    int *fd = push_descriptor(L);
    *fd = cf_stdin_prepare(given, &err);
    return push_opened(L, *fd, &err);
}

/* settle(fd, descriptor): afterwards, fd goes on where the command stopped reading. */
static int settle(lua_State *L)
{
    const int *replacement = luaL_checkudata(L, 2, DESCRIPTOR);
    cf_stdin_settle(check_fd(L, 1), *replacement);
    return 0;
}

/* output(fd, 'stdout' | 'stderr') -> 'as_is' | 'relay', or nil, message, errno for a folder. */
static int judge_output(lua_State *L)
{
    struct cf_error err;
    int relay = cf_output_needs_relay(check_fd(L, 1), cf_check_text(L, 2, NULL), &err);
    if (relay < 0)
        return cf_push_failure(L, &err);
    lua_pushstring(L, relay ? "relay" : "as_is");
    return 1;
}

/* terminal(fd) -> descriptor of the same terminal for writing only, or nil, message, errno. */
static int write_terminal(lua_State *L)
{
    struct cf_error err;
    int given = check_fd(L, 1);
    int *fd = push_descriptor(L);
    *fd = cf_output_terminal(given, &err);
    return push_opened(L, *fd, &err);
}

static rlim_t limit_field(lua_State *L, const char *name, lua_Integer least)
{
    lua_Integer value = cf_field_integer(L, 1, name, -1, least, LUA_MAXINTEGER);
    return value < 0 ? RLIM_INFINITY : (rlim_t)value;
}

static uint64_t group_limit_field(lua_State *L, const char *name)
{
    return (uint64_t)cf_field_integer(L, 1, name, 0, 1, LUA_MAXINTEGER);
}

static void read_wishes(lua_State *L, struct cf_guards_wishes *wishes)
{
    static const char *const shape[] = { "keyring",      "filter",      "userns", "abstract",
                                         "signals",      "files",       "data",   "processes",
                                         "group_memory", "group_tasks", NULL };
    cf_check_shape(L, 1, shape, true);
    wishes->keyring = cf_field_boolean(L, 1, "keyring", true);
    wishes->filter = cf_field_boolean(L, 1, "filter", true);
    wishes->calls.user_namespaces = cf_field_choice(L, 1, "userns", 0, userns_values) == 1;
    wishes->calls.setuid_files = geteuid() != 0;
    wishes->scopes = (cf_field_boolean(L, 1, "abstract", false) ? CF_SCOPE_ABSTRACT : 0) |
                     (cf_field_boolean(L, 1, "signals", false) ? CF_SCOPE_SIGNAL : 0);
    wishes->rlimits.files = limit_field(L, "files", 32);
    wishes->rlimits.data = limit_field(L, "data", 1 << 20);
    wishes->rlimits.processes = limit_field(L, "processes", 8);
    wishes->limits.memory = group_limit_field(L, "group_memory");
    wishes->limits.tasks = group_limit_field(L, "group_tasks");
}

/*
 * prepare{
 *   keyring=BOOLEAN          a fresh session keyring (default true)
 *   filter=BOOLEAN           the seccomp program (default true)
 *   userns='refused'|'granted'   what that program says to user namespaces (default refused)
 *   abstract=BOOLEAN         Landlock: no abstract socket of outside (default false)
 *   signals=BOOLEAN          Landlock: no signal to outside (default false)
 *   files=N                  open descriptors of each process, at least 32
 *   data=BYTES               writable memory of each process, at least 1 MiB
 *   processes=N              tasks, at least 8: see guard/rlimits.h for whose
 *   group_memory=BYTES, group_tasks=N   of all processes together, by a control group
 * } -> guards for core.launch.run, to be finished or closed; nil, message, errno when one of
 * those asked for cannot be had. Core dumps are off in any case.
 */
static int prepare(lua_State *L)
{
    struct cf_error err;
    struct cf_guards_wishes wishes;
    read_wishes(L, &wishes);
    struct guards_handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    handle->held = false;
    luaL_setmetatable(L, GUARDS);
    if (cf_guards_prepare(&wishes, &handle->guards, &err) < 0)
        return cf_push_failure(L, &err);
    handle->held = true;
    return 1;
}

static struct cf_guards *check_guards(lua_State *L, int index)
{
    struct guards_handle *handle = luaL_checkudata(L, index, GUARDS);
    luaL_argcheck(L, handle->held, index, "the guards are finished");
    return &handle->guards;
}

struct cf_guards *cf_field_guards(lua_State *L, int arg, const char *name)
{
    if (lua_getfield(L, arg, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    struct guards_handle *handle = luaL_testudata(L, -1, GUARDS);
    if (handle == NULL || !handle->held)
        luaL_argerror(L, arg,
                      lua_pushfstring(L, "field '%s' must be guards in preparation", name));
    lua_pop(L, 1);
    return &handle->guards;
}

/* guards:program() -> the number that bwrap's --seccomp must name, or nil without a program. */
static int guards_program(lua_State *L)
{
    const struct cf_guards *guards = check_guards(L, 1);
    if (guards->program < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, guards->program);
    return 1;
}

/* guards:finish() -> { memory = BOOLEAN, tasks = BOOLEAN }: which limits of the group were met. */
static int guards_finish(lua_State *L)
{
    struct cf_error err;
    struct guards_handle *handle = luaL_checkudata(L, 1, GUARDS);
    check_guards(L, 1);
    bool memory, tasks;
    handle->held = false;
    if (cf_guards_finish(&handle->guards, &memory, &tasks, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, 2);
    cf_set_boolean(L, "memory", memory);
    cf_set_boolean(L, "tasks", tasks);
    return 1;
}

static int guards_close(lua_State *L)
{
    struct guards_handle *handle = luaL_checkudata(L, 1, GUARDS);
    bool memory, tasks;
    struct cf_error err;
    if (handle->held)
        cf_guards_finish(&handle->guards, &memory, &tasks, &err);
    handle->held = false;
    return 0;
}

static const struct {
    const char *name;
    int (*prove)(struct cf_error *err);
} guards[] = {
    { "session_keyring", cf_session_available }, { "rlimits", cf_rlimits_available },
    { "core_dumps", cf_rlimits_cores_off },      { "landlock_scopes", cf_landlock_available },
    { "seccomp", cf_seccomp_available },         { "seccomp_listener", cf_listener_available },
    { "cgroup", cf_cgroup_available },
};

static void push_proof(lua_State *L, int (*prove)(struct cf_error *err))
{
    struct cf_error err;
    bool available = prove(&err) == 0;
    lua_createtable(L, 0, 2);
    cf_set_boolean(L, "available", available);
    if (!available)
        cf_set_text(L, "reason", err.message);
}

/*
 * available(name?) -> { available = BOOLEAN, reason = why not } for one guard, proved by using it
 * once in a child (0.3 to 1 ms each), or without a name a table of all of them:
 * session_keyring, rlimits, core_dumps, landlock_scopes, seccomp, seccomp_listener, cgroup.
 */
static int available(lua_State *L)
{
    const char *name = cf_opt_text(L, 1, NULL);
    lua_newtable(L);
    for (size_t at = 0; at < sizeof guards / sizeof *guards; at++) {
        if (name != NULL && strcmp(name, guards[at].name) != 0)
            continue;
        push_proof(L, guards[at].prove);
        if (name != NULL)
            return 1;
        lua_setfield(L, -2, guards[at].name);
    }
    luaL_argcheck(L, name == NULL, 1, "no such guard");
    return 1;
}

/* is_on(name) -> BOOLEAN: see guard/switch.h; true in every build but that of the tests. */
static int is_on(lua_State *L)
{
    lua_pushboolean(L, cf_guard_is_on(cf_check_text(L, 1, NULL)));
    return 1;
}

/* exposed() -> { io_uring, keyrings, vsock, tiocsti }: what an unguarded command could use. */
static int exposed(lua_State *L)
{
    struct cf_exposure exposure;
    cf_exposure_read(&exposure);
    lua_createtable(L, 0, 4);
    cf_set_boolean(L, "io_uring", exposure.io_uring);
    cf_set_boolean(L, "keyrings", exposure.keyrings);
    cf_set_boolean(L, "vsock", exposure.vsock);
    cf_set_boolean(L, "tiocsti", exposure.tiocsti);
    return 1;
}

/*
 * proc() -> list of { path, type = 'dir' | 'file' }, sorted: what uid 0 can write in /proc without
 * capabilities; see guard/proc.h. Empty for other users. 0.2 ms.
 */
static int proc(lua_State *L)
{
    struct cf_error err;
    struct cf_proc_entries *found = lua_newuserdatauv(L, sizeof *found, 0);
    if (cf_proc_exposed(found, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, (int)found->len, 0);
    for (size_t at = 0; at < found->len; at++) {
        const struct cf_proc_entry *entry = &found->items[at];
        lua_createtable(L, 0, 2);
        cf_set_text(L, "path", entry->path);
        cf_set_text(L, "type", entry->is_folder ? "dir" : "file");
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    return 1;
}

int cf_open_guard(lua_State *L)
{
    static const luaL_Reg of_guards[] = { { "program", guards_program },
                                          { "finish", guards_finish },
                                          { NULL, NULL } };
    static const luaL_Reg of_descriptor[] = { { "fd", descriptor_fd },
                                              { "close", descriptor_close },
                                              { NULL, NULL } };
    static const luaL_Reg functions[] = {
        { "available", available },     { "is_on", is_on },     { "exposed", exposed },
        { "output", judge_output },     { "prepare", prepare }, { "proc", proc },
        { "seccomp", seccomp },         { "settle", settle },   { "stdin", replace_stdin },
        { "terminal", write_terminal }, { NULL, NULL },
    };
    cf_make_class(L, GUARDS, of_guards, guards_close);
    cf_make_class(L, DESCRIPTOR, of_descriptor, descriptor_close);
    luaL_newlib(L, functions);
    return 1;
}
