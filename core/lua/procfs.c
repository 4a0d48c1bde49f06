/* core.procfs: processes as /proc shows them, and whether a fresh /proc can be had. */
#include <string.h>

#include "host/procfs.h"
#include "host/status.h"
#include "lua/marshal.h"
#include "lua/open.h"

static void release_status(void *status)
{
    cf_status_free(status);
}

static void push_value(lua_State *L, const struct cf_status_field *field)
{
    static const char *const ids[] = { "r", "e", "s", "f" };
    if (field->kind == CF_STATUS_TEXT) {
        lua_pushstring(L, field->text);
    } else if (field->kind == CF_STATUS_NUMBER || field->kind == CF_STATUS_MASK) {
        lua_pushinteger(L, (lua_Integer)field->numbers[0]);
    } else {
        lua_createtable(L, 0, (int)field->count);
        for (size_t at = 0; at < field->count; at++) {
            lua_pushinteger(L, (lua_Integer)field->numbers[at]);
            if (field->kind == CF_STATUS_IDS)
                lua_setfield(L, -2, ids[at]);
            else
                lua_rawseti(L, -2, (lua_Integer)at + 1);
        }
    }
}

/*
 * status(pid | 'self') -> the fields of /proc/PID/status by their names: Uid and Gid as
 * { r, e, s, f }, Groups and NSpid as lists, Cap* and Sig* masks and counts as integers, all
 * else, also what does not look as it should, as the text that is there.
 */
static int status(lua_State *L)
{
    struct cf_error err;
    pid_t pid = cf_opt_pid(L, 1);
    struct cf_status *read = cf_push_box(L, sizeof *read, release_status);
    if (cf_status_read(pid, read, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, (int)read->len);
    for (size_t at = 0; at < read->len; at++) {
        push_value(L, &read->items[at]);
        lua_setfield(L, -2, read->items[at].name);
    }
    cf_release_box(L, -2);
    return 1;
}

/*
 * namespaces(pid | 'self') -> { mnt = 'mnt:[4026531841]', ... }, or
 * { unknown = reason } for one that may not be read.
 */
static int namespaces(lua_State *L)
{
    struct cf_error err;
    struct cf_namespaces found;
    if (cf_namespaces_read(cf_opt_pid(L, 1), &found, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, 0, (int)found.len);
    for (size_t at = 0; at < found.len; at++) {
        const struct cf_namespace *space = &found.items[at];
        if (space->number == 0) {
            lua_pushstring(L, space->target);
        } else {
            cf_fail(&err, space->number, "readlink ns/%s", space->name);
            cf_push_unknown(L, err.message);
        }
        lua_setfield(L, -2, space->name);
    }
    return 1;
}

/*
 * probe{ bwrap = PATH, cache = DIR } -> { mountable = true | false | { unknown = reason },
 * reason, errno, userns, sandbox, cached }: see cf_procfs_try. userns is false where bwrap was
 * refused a user namespace, sandbox where it could not set up anything: that is then why the
 * answer is unknown.
 */
static int probe(lua_State *L)
{
    static const char *const shape[] = { "bwrap", "cache", NULL };
    struct cf_procfs_probe tried;
    cf_check_shape(L, 1, shape, false);
    const char *path = cf_field_text(L, 1, "bwrap", NULL);
    luaL_argcheck(L, path != NULL, 1, "field 'bwrap' is missing");
    cf_procfs_try(path, cf_field_text(L, 1, "cache", NULL), &tried);
    lua_createtable(L, 0, 3);
    if (tried.mountable == CF_PROCFS_UNKNOWN)
        cf_push_unknown(L, tried.reason.message);
    else
        lua_pushboolean(L, tried.mountable == CF_PROCFS_YES);
    lua_setfield(L, -2, "mountable");
    if (tried.mountable != CF_PROCFS_YES) {
        cf_set_text(L, "reason", tried.reason.message);
        cf_set_integer(L, "errno", tried.reason.number);
    }
    if (tried.no_userns)
        cf_set_boolean(L, "userns", false);
    if (tried.no_sandbox)
        cf_set_boolean(L, "sandbox", false);
    cf_set_boolean(L, "cached", tried.cached);
    return 1;
}

int cf_open_procfs(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "status", status }, { "namespaces", namespaces }, { "probe", probe }, { NULL, NULL }
    };
    luaL_newlib(L, functions);
    return 1;
}
