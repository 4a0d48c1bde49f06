/* core.sockets: the AF_UNIX sockets of the host and who holds them, as tables. */
#include <sys/socket.h>

#include "host/owners.h"
#include "host/sockets.h"
#include "lua/marshal.h"
#include "lua/open.h"

static void release_sockets(void *sockets)
{
    cf_sockets_free(sockets);
}

static const char *type_name(uint8_t type)
{
    return type == SOCK_STREAM ? "stream" : type == SOCK_DGRAM ? "dgram" : "seqpacket";
}

static const char *state_name(uint8_t state)
{
    static const char *const names[] = {
        [CF_SOCKET_UNCONNECTED] = "unconnected",
        [CF_SOCKET_LISTENING] = "listening",
        [CF_SOCKET_CONNECTED] = "connected",
        [CF_SOCKET_CONNECTING] = "connecting",
    };
    return names[state];
}

static void push_socket(lua_State *L, const struct cf_sockets *sockets,
                        const struct cf_socket *socket)
{
    lua_createtable(L, 0, 8);
    const char *name = cf_socket_name(sockets, socket);
    if (socket->naming == CF_SOCKET_PATH)
        cf_set_bytes(L, "path", name, socket->name_len);
    else if (socket->naming == CF_SOCKET_ABSTRACT)
        cf_set_bytes(L, "abstract", name, socket->name_len);
    cf_set_text(L, "type", type_name(socket->type));
    cf_set_text(L, "state", state_name(socket->state));
    cf_set_integer(L, "inode", (lua_Integer)socket->inode);
    if (socket->has_file) {
        cf_set_integer(L, "dev", (lua_Integer)socket->dev);
        cf_set_integer(L, "ino", (lua_Integer)socket->ino);
    }
    if (socket->has_uid)
        cf_set_integer(L, "uid", (lua_Integer)socket->uid);
    if (socket->peer != 0)
        cf_set_integer(L, "peer", (lua_Integer)socket->peer);
}

static void push_sockets(lua_State *L, const struct cf_sockets *sockets)
{
    luaL_checkstack(L, 8, NULL);
    lua_createtable(L, (int)sockets->len, 0);
    for (size_t at = 0; at < sockets->len; at++) {
        push_socket(L, sockets, &sockets->items[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
}

/*
 * list(opts?) -> sockets, source, unreadable. opts: source = 'auto' (the default), 'netlink' or
 * 'proc'; file = a text in the form of /proc/net/unix to read instead; listening = true for
 * what can be connected or sent to; peer = true to learn the other end's inode. `unreadable`
 * counts lines that could not be read: with any, the list may lack something.
 */
static int list(lua_State *L)
{
    static const char *const shape[] = { "source", "file", "listening", "peer", NULL };
    static const char *const sources[] = { "auto", "netlink", "proc", NULL };
    enum cf_sockets_source used;
    struct cf_error err;
    cf_check_shape(L, 1, shape, true);
    lua_settop(L, 1);
    struct cf_sockets_ask ask = {
        .source = (enum cf_sockets_source)cf_field_choice(L, 1, "source", 0, sources),
        .file = cf_field_text(L, 1, "file", NULL),
        .listening = cf_field_boolean(L, 1, "listening", false),
        .peers = cf_field_boolean(L, 1, "peer", false),
    };
    struct cf_sockets *sockets = cf_push_box(L, sizeof *sockets, release_sockets);
    if (cf_sockets_list(&ask, sockets, &used, &err) < 0)
        return cf_push_failure(L, &err);
    push_sockets(L, sockets);
    lua_pushstring(L, sources[used]);
    lua_pushinteger(L, (lua_Integer)sockets->unreadable);
    cf_release_box(L, 2);
    return 3;
}

/* parse(text) -> sockets, unreadable: as list does with the text of /proc/net/unix. */
static int parse(lua_State *L)
{
    size_t len;
    struct cf_error err;
    const char *text = luaL_checklstring(L, 1, &len);
    lua_settop(L, 1);
    struct cf_sockets *sockets = cf_push_box(L, sizeof *sockets, release_sockets);
    if (cf_sockets_parse(text, len, sockets, &err) < 0)
        return cf_push_failure(L, &err);
    push_sockets(L, sockets);
    lua_pushinteger(L, (lua_Integer)sockets->unreadable);
    cf_release_box(L, 2);
    return 2;
}

static void release_owners(void *owners)
{
    cf_owners_free(owners);
}

static void push_owners(lua_State *L, const struct cf_owners *owners)
{
    lua_newtable(L);
    for (size_t at = 0; at < owners->len; at++) {
        const struct cf_owner *owner = &owners->items[at];
        if (owner->pid == 0)
            continue;
        lua_createtable(L, 0, 4);
        cf_set_integer(L, "pid", owner->pid);
        cf_set_integer(L, "uid", (lua_Integer)owner->uid);
        cf_set_text(L, "comm", owner->comm);
        cf_set_text(L, "exe", owner->exe);
        lua_rawseti(L, -2, (lua_Integer)owner->inode);
    }
}

/* The list of integers at argument 1 as an array held by a userdata on the stack. */
static uint64_t *check_inodes(lua_State *L, size_t *count)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    *count = lua_rawlen(L, 1);
    uint64_t *inodes = lua_newuserdatauv(L, (*count + 1) * sizeof *inodes, 0);
    for (size_t at = 0; at < *count; at++) {
        lua_rawgeti(L, 1, (lua_Integer)at + 1);
        luaL_argcheck(L, lua_isinteger(L, -1), 1, "list of inodes expected");
        inodes[at] = (uint64_t)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
    return inodes;
}

/*
 * owners(inodes, opts?) -> { [inode] = { pid, uid, comm, exe } } for those that were found.
 * opts.comms: command names to look at, nil for all processes the caller may look into.
 */
static int owners(lua_State *L)
{
    static const char *const shape[] = { "comms", NULL };
    size_t count;
    struct cf_error err;
    cf_check_shape(L, 2, shape, true);
    lua_settop(L, 2);
    uint64_t *inodes = check_inodes(L, &count);
    const char **comms = cf_field_texts(L, 2, "comms", NULL);
    struct cf_owners *found = cf_push_box(L, sizeof *found, release_owners);
    if (cf_owners_find(inodes, count, comms, found, &err) < 0)
        return cf_push_failure(L, &err);
    push_owners(L, found);
    return 1;
}

static void release_holders(void *holders)
{
    cf_holders_free(holders);
}

static void push_holder(lua_State *L, const struct cf_holder *holder)
{
    lua_createtable(L, 0, 8);
    cf_set_integer(L, "pid", holder->pid);
    cf_set_integer(L, "uid", (lua_Integer)holder->uid);
    cf_set_text(L, "comm", holder->comm);
    cf_set_text(L, "exe", holder->exe);
    cf_set_text(L, "cwd", holder->cwd);
    if (holder->is_elsewhere)
        cf_set_boolean(L, "elsewhere", true);
    if (holder->is_closed) {
        cf_set_bytes(L, "command", holder->command.len > 0 ? holder->command.data : "",
                     holder->command.len);
        return;
    }
    lua_createtable(L, (int)holder->count, 0);
    for (size_t at = 0; at < holder->count; at++) {
        lua_pushinteger(L, (lua_Integer)holder->inodes[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    lua_setfield(L, -2, "sockets");
}

/*
 * holders(comms) -> list of { pid, uid, comm, exe, cwd, elsewhere = true where it sees other
 * mounts, sockets = list of inodes }, by ascending pid: the processes of these names. One that
 * lets nobody see its descriptors has `command`, its words each ended by a NUL, for `sockets`.
 */
static int holders(lua_State *L)
{
    struct cf_error err;
    lua_settop(L, 1);
    const char **comms = cf_check_texts(L, 1, NULL);
    struct cf_holders *found = cf_push_box(L, sizeof *found, release_holders);
    if (cf_holders_find(comms, found, &err) < 0)
        return cf_push_failure(L, &err);
    lua_createtable(L, (int)found->len, 0);
    for (size_t at = 0; at < found->len; at++) {
        push_holder(L, &found->items[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    return 1;
}

int cf_open_sockets(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "list", list },       { "parse", parse }, { "owners", owners },
        { "holders", holders }, { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
