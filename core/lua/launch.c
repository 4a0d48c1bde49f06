/* confine.core.launch: one run under bwrap, described by a table and answered by one. */
#include <signal.h>
#include <string.h>

#include <lauxlib.h>

#include "launch/launch.h"
#include "lua/guard.h"
#include "lua/marshal.h"
#include "lua/open.h"
#include "lua/stage.h"
#include "lua/store.h"
#include "vm/arena.h"

/* What is done in the child around the stage, and what the loop watches for it. */
struct confinement {
    struct cf_guards *guards;
    struct cf_stage *stage;
    lua_State *state; /* which waits for the run's end */
};

static int confine(void *context, struct cf_error *err)
{
    const struct confinement *with = context;
    /* The keeper, which the stage starts, must be under none of the guards. */
    if (with->stage != NULL && cf_stage_prepare(with->stage, err) < 0)
        return -1;
    return with->guards == NULL ? 0 : cf_guards_apply(with->guards, err);
}

static int watch_keeper(void *context)
{
    return cf_stage_watch(((const struct confinement *)context)->stage);
}

static const char *lost_keeper(void *context)
{
    const struct confinement *with = context;
    return cf_stage_report(with->stage)->finished ? NULL : "keeper";
}

static const char *const run_fields[] = { "bwrap",  "args",         "command",      "env",
                                          "cwd",    "timeout",      "grace",        "tty",
                                          "output", "capture",      "fds",          "guards",
                                          "stage",  "relay_stdout", "relay_stderr", NULL };

static void release_outcome(void *payload)
{
    cf_outcome_free(payload);
}

/* The descriptors that become 0, 1 and 2; each -1 or more. */
static void read_fds(lua_State *L, int fds[3])
{
    if (lua_getfield(L, 1, "fds") != LUA_TNIL && !lua_istable(L, -1))
        luaL_argerror(L, 1, "field 'fds' must be a list of three descriptors");
    for (int at = 0; at < 3; at++) {
        fds[at] = at;
        if (!lua_istable(L, -1))
            continue;
        int exact = 0;
        lua_rawgeti(L, -1, at + 1);
        lua_Integer fd = lua_tointegerx(L, -1, &exact);
        luaL_argcheck(L, exact && fd >= -1 && fd <= 0x7fffffff, 1,
                      "field 'fds' must be a list of three descriptors");
        fds[at] = (int)fd;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Leaves on the stack what holds the strings. */
static void read_launch(lua_State *L, struct cf_launch *launch)
{
    static const char *const nothing[] = { NULL };
    size_t words;
    cf_check_shape(L, 1, run_fields, false);
    launch->bwrap = cf_field_text(L, 1, "bwrap", "");
    luaL_argcheck(L, launch->bwrap[0] == '/', 1, "field 'bwrap' must be an absolute path");
    launch->command = cf_field_texts(L, 1, "command", &words);
    luaL_argcheck(L, words > 0, 1, "field 'command' must hold at least one word");
    launch->args = cf_field_texts(L, 1, "args", NULL);
    launch->env = cf_field_texts(L, 1, "env", NULL);
    if (launch->args == NULL)
        launch->args = nothing;
    if (launch->env == NULL)
        launch->env = nothing;
    launch->cwd = cf_field_text(L, 1, "cwd", NULL);
    launch->timeout = cf_field_number(L, 1, "timeout", 0, 0, 1e9);
    launch->grace = cf_field_number(L, 1, "grace", 2, 0, 1e9);
    launch->output = cf_field_integer(L, 1, "output", -1, 0, LUA_MAXINTEGER);
    launch->capture = cf_field_boolean(L, 1, "capture", false);
    launch->relay[0] = cf_field_boolean(L, 1, "relay_stdout", false);
    launch->relay[1] = cf_field_boolean(L, 1, "relay_stderr", false);
    const char *tty = cf_field_text(L, 1, "tty", "none");
    launch->inherit_tty = strcmp(tty, "inherit") == 0;
    luaL_argcheck(L, launch->inherit_tty || strcmp(tty, "none") == 0, 1,
                  "field 'tty' must be 'none' or 'inherit'");
    read_fds(L, launch->fds);
}

/* A run that lasts needs nothing more of the library, nor of what the plan was made from. */
static void rest(void *context)
{
    const struct confinement *with = context;
    void *arena;
    cf_store_rest();
    lua_gc(with->state, LUA_GCCOLLECT);
    if (lua_getallocf(with->state, &arena) == cf_arena_alloc)
        cf_arena_trim(arena);
}

static void push_outcome(lua_State *L, const struct cf_outcome *outcome, bool capture)
{
    static const char *const kinds[] = {
        [CF_EXITED] = "exited",           [CF_SIGNALED] = "signaled",
        [CF_TIMED_OUT] = "timed_out",     [CF_LIMITED] = "limited",
        [CF_NOT_STARTED] = "not_started",
    };
    lua_createtable(L, 0, 10);
    cf_set_text(L, "kind", kinds[outcome->kind]);
    if (outcome->kind == CF_EXITED)
        cf_set_integer(L, "code", outcome->code);
    if (outcome->maybe_signal != 0)
        cf_set_integer(L, "maybe_signal", outcome->maybe_signal);
    if (outcome->kind == CF_SIGNALED)
        cf_set_integer(L, "signal", outcome->signal);
    cf_set_text(L, "limit", outcome->limit);
    if (outcome->kind == CF_SIGNALED || outcome->kind == CF_NOT_STARTED)
        cf_set_text(L, "message", outcome->why.message);
    if (outcome->kind == CF_NOT_STARTED)
        cf_set_integer(L, "errno", outcome->why.number);
    if (outcome->pid != 0)
        cf_set_integer(L, "pid", outcome->pid);
    lua_pushnumber(L, outcome->seconds);
    lua_setfield(L, -2, "seconds");
    cf_set_boolean(L, "truncated", outcome->truncated);
    if (outcome->lost != 0)
        cf_set_text(L, "lost", strerror(outcome->lost));
    if (capture) {
        cf_set_bytes(L, "stdout", outcome->out.data, outcome->out.len);
        cf_set_bytes(L, "stderr", outcome->err.data, outcome->err.len);
    }
}

/*
 * core.launch.run{
 *   bwrap=PATH       absolute
 *   command=LIST     what runs inside; the first word is looked up there by bwrap
 *   args=LIST        bwrap's options, given by --args on a sealed memfd (default none)
 *   env=LIST         'NAME=value', the whole environment of bwrap and so of the command
 *   cwd=PATH         where bwrap starts (default: here)
 *   timeout=SECONDS  wall time, then SIGTERM (0 or nil: none)
 *   grace=SECONDS    from SIGTERM until everything is killed (default 2)
 *   tty='none'|'inherit'   a session of its own (default), or our terminal and process group
 *   output=BYTES     stdout and stderr together are passed on up to here, the rest is dropped
 *   capture=BOOLEAN  keep stdout and stderr (up to `output`, default 64 MiB) instead
 *   fds={0,1,2}      our descriptors that become 0, 1, 2; -1 for /dev/null
 *   stage=STAGE      from core.stage.prepare: the view is built before bwrap is executed
 *   guards=GUARDS    from core.guard.prepare: set between the stage and bwrap
 * } -> outcome {
 *   kind='exited', code=0..255, maybe_signal=N when code is 128+N: bwrap cannot tell these
 *   kind='signaled', signal=N, message   bwrap itself was killed, and the command with it
 *   kind='timed_out'
 *   kind='limited', limit                a guard of the run ended, and the run with it
 *   kind='not_started', message, errno   errno 0: bwrap gave up, and said why on stderr
 *   and pid (of pid 1 inside, when there was one), seconds, truncated, lost=REASON when output
 *   could not be written, stdout and stderr with capture
 * }
 * Always an outcome; a wrong argument raises. The rest is in core/launch/launch.h.
 */
static int launch_run(lua_State *L)
{
    struct cf_launch launch = { 0 };
    read_launch(L, &launch);
    struct cf_outcome *outcome = cf_push_box(L, sizeof *outcome, release_outcome);
    int box = lua_gettop(L);
    struct confinement with = {
        .guards = cf_field_guards(L, 1, "guards"),
        .stage = cf_field_stage(L, 1, "stage"),
        .state = L,
    };
    launch.hooks.context = &with;
    launch.hooks.settled = rest;
    launch.hooks.prepare = confine;
    if (with.stage != NULL) {
        launch.hooks.keeper = &cf_stage_report(with.stage)->keeper;
        launch.hooks.watch = watch_keeper;
        launch.hooks.lost = lost_keeper;
    }
    cf_launch_run(&launch, outcome);
    push_outcome(L, outcome, launch.capture);
    cf_release_box(L, box);
    return 1;
}

/* ignore_pipe(): from now on a reader of ours that went away ends a write and not the process. */
static int ignore_pipe(lua_State *L)
{
    (void)L;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

int cf_open_launch(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "run", launch_run },
        { "ignore_pipe", ignore_pipe },
        { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
