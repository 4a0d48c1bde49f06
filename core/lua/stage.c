/* core.stage: the view of one run, described by the plan's operations. */
#include "lua/stage.h"

#include <string.h>

#include "host/cache.h"
#include "lua/marshal.h"
#include "lua/open.h"

#define STAGE "confine.stage"

/* Made empty and filled afterwards; its user values keep the operations, entries and strings. */
struct stage_handle {
    struct cf_stage *stage;
    size_t count;
};

static const char *const op_names[] = { "root",    "shadow",   "bind",    "hide",
                                        "protect", "skeleton", "private", "processes",
                                        "dev",     "device",   "left",    NULL };
static const char *const by_names[] = { "tmpfs", "overlay", "mask", NULL };
static const char *const as_names[] = { "keep", "inert", "absent", "dir", "link", NULL };
static const char *const others_names[] = { "keep", "files", "none", NULL };

/* How many entries all operations have, with every one of them checked to be a list of tables. */
static size_t count_entries(lua_State *L, int list)
{
    size_t total = 0;
    for (lua_Integer at = 1; at <= (lua_Integer)lua_rawlen(L, list); at++) {
        if (lua_rawgeti(L, list, at) != LUA_TTABLE)
            luaL_argerror(L, 1, "field 'ops' must hold tables");
        if (lua_getfield(L, -1, "entries") == LUA_TTABLE)
            total += (size_t)lua_rawlen(L, -1);
        if (lua_getfield(L, -2, "absent") == LUA_TTABLE)
            total += (size_t)lua_rawlen(L, -1);
        lua_pop(L, 3);
    }
    return total;
}

/* Reads the entries of the operation at `index` into the pool; the number of them. */
static size_t read_entries(lua_State *L, int index, struct cf_stage_entry *pool)
{
    static const char *const shape[] = { "name", "as", "glob", NULL };
    size_t count = 0;
    if (lua_getfield(L, index, "entries") == LUA_TTABLE)
        count = (size_t)lua_rawlen(L, -1);
    for (size_t at = 0; at < count; at++) {
        lua_rawgeti(L, -1, (lua_Integer)at + 1);
        int entry = lua_gettop(L);
        cf_check_shape(L, entry, shape, false);
        pool[at] = (struct cf_stage_entry){
            .name = cf_field_text(L, entry, "name", ""),
            .as = (enum cf_stage_as)cf_field_choice(L, entry, "as", 0, as_names),
            .glob = cf_field_boolean(L, entry, "glob", false),
        };
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    size_t names = 0;
    const char **absent = cf_field_texts(L, index, "absent", &names);
    for (size_t at = 0; absent != NULL && at < names; at++)
        pool[count++] = (struct cf_stage_entry){ .name = absent[at], .as = CF_AS_ABSENT };
    lua_pop(L, 1);
    return count;
}

static void read_op(lua_State *L, int index, struct cf_stage_op *op)
{
    static const char *const shape[] = { "op",     "path",   "by",      "others", "entries",
                                         "absent", "mode",   "size",    "pin",    "writable",
                                         "dev",    "ino",    "folder",  "socket", "content",
                                         "keep",   "source", "console", NULL };
    cf_check_shape(L, index, shape, false);
    *op = (struct cf_stage_op){
        .kind = (enum cf_stage_kind)cf_field_choice(L, index, "op", 0, op_names),
        .path = cf_field_text(L, index, "path", ""),
        .by = (enum cf_stage_by)cf_field_choice(L, index, "by", 0, by_names),
        .others = (enum cf_stage_others)cf_field_choice(L, index, "others", 0, others_names),
        .size = (uint64_t)cf_field_integer(L, index, "size", 0, 0, LUA_MAXINTEGER),
        .writable = cf_field_boolean(L, index, "writable", false),
        .pin = cf_field_boolean(L, index, "pin", false),
        .folder = cf_field_boolean(L, index, "folder", false),
        .socket = cf_field_boolean(L, index, "socket", false),
        .content = cf_field_text(L, index, "content", NULL),
        .keep = cf_field_text(L, index, "keep", NULL),
        .console = cf_field_text(L, index, "console", NULL),
        .source = cf_field_text(L, index, "source", NULL),
        .dev = (uint64_t)cf_field_integer(L, index, "dev", 0, 0, LUA_MAXINTEGER),
        .ino = (uint64_t)cf_field_integer(L, index, "ino", 0, LUA_MININTEGER, LUA_MAXINTEGER),
    };
    op->expected = op->ino != 0;
    lua_Integer mode = cf_field_integer(L, index, "mode", -1, 0, 07777);
    op->mode = mode < 0 ? CF_STAGE_MODE_OF_HOST : (mode_t)mode;
}

/*
 * prepare{ ops=LIST, records=FOLDER|nil } -> stage for core.launch.run, to be finished; nil,
 * message, errno when it cannot be prepared. Each operation is a table { op='root'|'shadow'|
 * 'bind'|'hide'|'protect'|'skeleton'|'private'|'processes'|'dev'|'device'|'left', path, by,
 * others, entries={ {name, as, glob} }, absent={ names of further entries that are absent }, mode,
 * size, writable, pin, dev and ino (what a bind must find), folder, socket, content, keep,
 * console } with the meaning of struct cf_stage_op in stage/stage.h.
 */
static int prepare(lua_State *L)
{
    static const char *const shape[] = { "ops", "records", NULL };
    struct cf_error err;
    cf_check_shape(L, 1, shape, false);
    const char *records = cf_field_text(L, 1, "records", NULL);
    luaL_argcheck(L, lua_getfield(L, 1, "ops") == LUA_TTABLE, 1, "field 'ops' must be a list");
    int list = lua_gettop(L);
    size_t total = count_entries(L, list);
    struct stage_handle *handle = lua_newuserdatauv(L, sizeof *handle, 3);
    handle->stage = NULL;
    handle->count = (size_t)lua_rawlen(L, list);
    luaL_setmetatable(L, STAGE);
    struct cf_stage_op *ops = lua_newuserdatauv(L, handle->count * sizeof *ops + 1, 0);
    struct cf_stage_entry *pool = lua_newuserdatauv(L, total * sizeof *pool + 1, 0);
    for (size_t at = 0; at < handle->count; at++) {
        lua_rawgeti(L, list, (lua_Integer)at + 1);
        read_op(L, lua_gettop(L), &ops[at]);
        ops[at].count = read_entries(L, lua_gettop(L), pool);
        ops[at].entries = pool;
        pool += ops[at].count;
        lua_pop(L, 1);
    }
    lua_setiuservalue(L, list + 1, 1);
    lua_setiuservalue(L, list + 1, 2);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, list + 1, 3);
    handle->stage = cf_stage_new(ops, handle->count, records, &err);
    return handle->stage == NULL ? cf_push_failure(L, &err) : 1;
}

static struct stage_handle *check_stage(lua_State *L)
{
    struct stage_handle *handle = luaL_checkudata(L, 1, STAGE);
    luaL_argcheck(L, handle->stage != NULL, 1, "the stage is finished");
    return handle;
}

struct cf_stage *cf_field_stage(lua_State *L, int arg, const char *name)
{
    if (lua_getfield(L, arg, name) == LUA_TNIL) {
        lua_pop(L, 1);
        return NULL;
    }
    const struct stage_handle *handle = luaL_testudata(L, -1, STAGE);
    if (handle != NULL && handle->stage != NULL) {
        lua_pop(L, 1);
        return handle->stage;
    }
    luaL_argerror(L, arg,
                  lua_pushfstring(L, "field '%s' must be a stage in preparation", name));
    return NULL;
}

/* stage:descriptors() -> the numbers that bwrap's --info-fd and --block-fd must name. */
static int stage_descriptors(lua_State *L)
{
    const struct stage_handle *handle = check_stage(L);
    lua_pushinteger(L, cf_stage_info_fd(handle->stage));
    lua_pushinteger(L, cf_stage_block_fd(handle->stage));
    return 2;
}

static void push_results(lua_State *L, const struct stage_handle *handle)
{
    static const char *const outcomes[] = {
        [CF_STAGE_PENDING] = "pending", [CF_STAGE_DONE] = "done",
        [CF_STAGE_WEAKER] = "weaker",   [CF_STAGE_SKIPPED] = "skipped",
        [CF_STAGE_BWRAP] = "bwrap",
    };
    lua_createtable(L, (int)handle->count, 0);
    for (size_t at = 0; at < handle->count; at++) {
        const struct cf_stage_result *result = cf_stage_result(handle->stage, at);
        lua_createtable(L, 0, 2);
        cf_set_text(L, "outcome", outcomes[result->outcome]);
        if (result->reason != CF_REASON_NONE)
            cf_set_text(L, "reason",
                        cf_stage_reason_text((enum cf_stage_reason)result->reason));
        if (result->number != 0)
            cf_set_integer(L, "errno", result->number);
        if (result->replaced)
            cf_set_boolean(L, "replaced", true);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
}

/*
 * stage:finish(milliseconds) -> { results = list of { outcome = 'pending'|'done'|'weaker'|
 * 'skipped'|'bwrap', reason, errno, replaced } in the order of the operations, and counts: kept,
 * missing, placeholders, unwatched, put, dropped, refused, pinned, left, waiting; finished =
 * BOOLEAN, complaint = STRING when the keeper did not end as it should, lost = STRING when it ended
 * the run }. Waits for the keeper.
 */
static int stage_finish(lua_State *L)
{
    struct stage_handle *handle = check_stage(L);
    struct cf_error err;
    int finished = cf_stage_finish(handle->stage, (int)luaL_checkinteger(L, 2), &err);
    const struct cf_stage_report *report = cf_stage_report(handle->stage);
    lua_createtable(L, 0, 13);
    if (finished < 0)
        cf_set_text(L, "complaint", err.message);
    if (cf_stage_lost(handle->stage) != NULL)
        cf_set_text(L, "lost", cf_stage_lost(handle->stage)->message);
    cf_set_boolean(L, "finished", report->finished != 0);
    cf_set_integer(L, "kept", report->kept);
    cf_set_integer(L, "missing", report->missing);
    cf_set_integer(L, "placeholders", report->placeholders);
    cf_set_integer(L, "unwatched", report->unwatched);
    cf_set_integer(L, "put", report->put);
    cf_set_integer(L, "dropped", report->dropped);
    cf_set_integer(L, "refused", report->refused);
    cf_set_integer(L, "pinned", report->pinned);
    cf_set_integer(L, "left", report->left);
    cf_set_integer(L, "waiting", report->waiting);
    push_results(L, handle);
    lua_setfield(L, -2, "results");
    cf_stage_free(handle->stage);
    handle->stage = NULL;
    return 1;
}

static int stage_close(lua_State *L)
{
    struct stage_handle *handle = luaL_checkudata(L, 1, STAGE);
    cf_stage_free(handle->stage);
    handle->stage = NULL;
    return 0;
}

/*
 * available(cache?) -> true, or nil, the call that failed and why, errno; proved by building one.
 * A yes is remembered in the folder `cache`, see cf_cache_has_yes.
 */
static int available(lua_State *L)
{
    struct cf_error err;
    const char *cache = cf_opt_text(L, 1, NULL);
    bool known = cf_cache_has_yes(cache, "stage", "1");
    if (!known && cf_stage_probe(&err) < 0)
        return cf_push_failure(L, &err);
    if (!known)
        cf_cache_put_yes(cache, "stage", "1");
    lua_pushboolean(L, 1);
    return 1;
}

/*
 * overlay('shadow' | 'layer') -> true, or nil, the call that failed and why, errno: see
 * cf_stage_probe_shadow and cf_stage_probe_layer.
 */
static int overlay(lua_State *L)
{
    static const char *const uses[] = { "shadow", "layer", NULL };
    struct cf_error err;
    int use = luaL_checkoption(L, 1, NULL, uses);
    int built = use == 0 ? cf_stage_probe_shadow(&err) : cf_stage_probe_layer(&err);
    if (built < 0)
        return cf_push_failure(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

/* sweep(folder) -> true: removes what killed runs left on the host; nil, message, errno. */
static int sweep(lua_State *L)
{
    struct cf_error err;
    if (cf_stage_sweep(cf_check_text(L, 1, NULL), &err) < 0)
        return cf_push_failure(L, &err);
    lua_pushboolean(L, 1);
    return 1;
}

int cf_open_stage(lua_State *L)
{
    static const luaL_Reg methods[] = { { "descriptors", stage_descriptors },
                                        { "finish", stage_finish },
                                        { NULL, NULL } };
    static const luaL_Reg functions[] = {
        { "available", available }, { "overlay", overlay }, { "prepare", prepare },
        { "sweep", sweep },         { NULL, NULL },
    };
    cf_make_class(L, STAGE, methods, stage_close);
    luaL_newlib(L, functions);
    return 1;
}
