/* confine-lua: a Lua state with confine.core and the built-in library, handed to forms/cli.lua. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/error.h"
#include "base/heap.h"
#include "lua/open.h"
#include "lua/store.h"
#include "vm/arena.h"

#define EXIT_REFUSED 125
#define EXIT_LOST 1
/* Address space, taken as it is touched; less where that is short. */
#define HEAP_MAX ((size_t)1 << 30)
/* A run fills it. */
#define HEAP_START ((size_t)2 << 20)

struct arguments {
    int count;
    char **values;
};

/* A descriptor opened later must not become somebody's standard stream. */
static int fill_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0)
            continue;
        if (open("/dev/null", O_RDWR) != fd)
            return -1;
    }
    return 0;
}

/*
 * The folders that may hold C modules and their Lua parts, relative to the program: as make
 * builds them, as scripts/deps.sh fetches luaposix, as install lays them out.
 */
static const char *const module_folders[][2] = {
    { "lib/?.so", NULL },
    { "luaposix/lib/?.so", "luaposix/share/?.lua;luaposix/share/?/init.lua" },
    { "../lib/confine-lua/?.so", "../lib/confine-lua/?.lua;../lib/confine-lua/?/init.lua" },
};

static void add_entries(luaL_Buffer *path, const char *folder, const char *entries)
{
    while (entries != NULL && *entries != '\0') {
        size_t len = strcspn(entries, ";");
        /* "./" is the work tree of somebody who may be hostile: only absolute entries count. */
        if (folder != NULL || entries[0] == '/') {
            if (luaL_bufflen(path) > 0)
                luaL_addchar(path, ';');
            if (folder != NULL)
                luaL_addstring(path, folder);
            luaL_addlstring(path, entries, len);
        }
        entries += len + (entries[len] == ';');
    }
}

static void set_search_path(lua_State *L, const char *field, const char *folder,
                            const char *system, int column)
{
    luaL_Buffer path;
    luaL_buffinit(L, &path);
    for (size_t at = 0; at < sizeof module_folders / sizeof *module_folders; at++)
        if (folder[0] != '\0')
            add_entries(&path, folder, module_folders[at][column]);
    add_entries(&path, NULL, system);
    luaL_pushresult(&path);
    lua_setfield(L, -2, field);
}

/* Fills the program's own folder with a trailing slash, or "" when /proc cannot say. */
static void find_program_folder(char *folder, size_t size)
{
    ssize_t len = readlink("/proc/self/exe", folder, size - 1);
    folder[len > 0 ? len : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[1] = '\0';
}

static void set_up_packages(lua_State *L)
{
    char folder[PATH_MAX];
    find_program_folder(folder, sizeof folder);
    lua_getglobal(L, "package");
    set_search_path(L, "cpath", folder, LUA_CPATH_DEFAULT, 0);
    set_search_path(L, "path", folder, LUA_PATH_DEFAULT, 1);
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_confine_core);
    lua_setfield(L, -2, "confine.core");
    lua_pop(L, 2);
    cf_store_use(cf_embedded, cf_embedded_count);
    cf_store_install(L);
}

/* Arguments: a struct arguments. Returns the exit status that forms/cli.lua decided on. */
static int run_main(lua_State *L)
{
    const struct arguments *given = lua_touserdata(L, 1);
    /* LUA_PATH and LUA_CPATH are for stock Lua; here they would choose what confines. */
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
    luaL_openlibs(L);
    set_up_packages(L);

    lua_getglobal(L, "require");
    lua_pushliteral(L, "confine.forms.cli");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    lua_createtable(L, given->count, 0);
    for (int at = 1; at < given->count; at++) {
        lua_pushstring(L, given->values[at]);
        lua_rawseti(L, -2, at);
    }
    lua_call(L, 1, 1);
    if (!lua_isinteger(L, -1))
        return luaL_error(L, "the command line returned no exit status");
    return 1;
}

/* A quarter of what the limits leave: the rest is for policies, the stage and the libraries. */
static size_t heap_size(void)
{
    size_t size = HEAP_MAX;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur / 4 < size)
        size = limit.rlim_cur / 4;
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur / 4 < size)
        size = limit.rlim_cur / 4;
    return size;
}

/* An arena is faster than malloc and denser; it is had unless address space is very short. */
static lua_State *new_state(void)
{
    static struct cf_arena arena;
    struct cf_error err;
    size_t size = heap_size();
    if (size < 8 * HEAP_START || cf_arena_open(&arena, size, &err) < 0)
        return luaL_newstate();
    cf_arena_prefer_huge(&arena, HEAP_START);
    cf_heap_name(arena.base, arena.size);
    return lua_newstate(cf_arena_alloc, &arena);
}

/* A limit that a shell sets, and what is surely enough of it. */
struct need {
    __rlimit_resource_t resource;
    rlim_t enough;
    const char *what;
    const char *remedy;
};

/* The limit that most likely kept us from what failed, or NULL. */
static const struct need *find_low_limit(void)
{
    static const struct need needs[] = {
        { RLIMIT_NOFILE, 128, "open files", "ulimit -n 1024" },
        { RLIMIT_SIGPENDING, 1, "pending signals", "ulimit -i 128" },
        { RLIMIT_DATA, 128 << 20, "the data of a process", "ulimit -d 1000000" },
        { RLIMIT_AS, 128 << 20, "the address space of a process", "ulimit -v 1000000" },
    };
    for (size_t at = 0; at < sizeof needs / sizeof *needs; at++) {
        struct rlimit limit;
        if (getrlimit(needs[at].resource, &limit) == 0 && limit.rlim_cur < needs[at].enough)
            return &needs[at];
    }
    return NULL;
}

/* A mistake of ours, unless a limit is so low that anything may fail. */
static void say_failure(const char *why)
{
    const struct need *low = find_low_limit();
    if (low != NULL)
        fprintf(stderr, "confine-lua: the limit on %s is too low: %s\n    remedy: %s\n",
                low->what, why, low->remedy);
    else
        fprintf(stderr, "confine-lua: internal error: %s\n", why);
}

/* An answer that is lost, on a full disk, is none: a caller must not take it for one. */
static int with_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("confine-lua: the output could not be written\n", stderr);
    return status == 0 ? EXIT_LOST : status;
}

int main(int argc, char **argv)
{
    if (fill_standard_streams() < 0)
        return EXIT_REFUSED;
    /* What a limit on the size of files does not let us write is an error to tell: setrlimit(2). */
    signal(SIGXFSZ, SIG_IGN);
    struct cf_error err;
    struct arguments given = { argc, argv };
    lua_State *L = new_state();
    if (L == NULL) {
        say_failure("out of memory");
        return EXIT_REFUSED;
    }
    /* Loading the library leaves no garbage to collect; forms/cli.lua starts the collector for the
     * commands that do. */
    lua_gc(L, LUA_GCSTOP);
    lua_pushcfunction(L, run_main);
    lua_pushlightuserdata(L, &given);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
        const char *why = lua_tostring(L, -1);
        cf_fail(&err, 0, "%s", why != NULL ? why : "an error that is no text");
        say_failure(err.message);
        return EXIT_REFUSED;
    }
    int status = (int)(lua_tointeger(L, -1) & 0xff);
    /* The state is not closed: its memory goes with the process, and freeing it took a run 1 ms.
     * What must be given back was: the runs finish their stages and guards themselves. */
    return with_output(status);
}
