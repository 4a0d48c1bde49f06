/* core.paths: what paths lead to, as tables. */

#include <errno.h>
#include <fcntl.h>

#include "host/folder.h"
#include "host/glob.h"
#include "host/links.h"
#include "host/paths.h"
#include "host/survey.h"
#include "host/walk.h"
#include "lua/marshal.h"
#include "lua/open.h"

/* A failure that tells nothing of the path is an error: an answer would be taken for one. */
static int fail(lua_State *L, const struct cf_error *err)
{
    if (cf_is_want(err->number))
        return luaL_error(L, "%s", err->message);
    return cf_push_failure(L, err);
}

/*
 * A survey has thousands of looks, of which nothing but the identity is asked, and of a socket
 * the mode: one that nobody can open may stand for an absent name.
 */
static void push_look(lua_State *L, const struct cf_look *look, bool whole)
{
    bool is_there = look->type != CF_PATH_ABSENT && look->type != CF_PATH_UNKNOWN;
    lua_createtable(L, 0, is_there && whole ? 8 : 4);
    cf_set_text(L, "path", look->path);
    cf_set_text(L, "type", cf_path_type_name(look->type));
    cf_set_text(L, "exists_to", look->exists_to);
    cf_set_text(L, "unknown", look->unknown);
    if (look->loop)
        cf_set_boolean(L, "loop", true);
    if (look->blocked)
        cf_set_boolean(L, "blocked", true);
    if (look->dangling)
        cf_set_boolean(L, "dangling", true);
    if (look->too_long)
        cf_set_boolean(L, "too_long", true);
    if (is_there) {
        cf_set_integer(L, "dev", (lua_Integer)look->about.st_dev);
        cf_set_integer(L, "ino", (lua_Integer)look->about.st_ino);
    }
    if (is_there && (whole || look->type == CF_PATH_SOCKET))
        cf_set_integer(L, "mode", (lua_Integer)(look->about.st_mode & 07777));
    if (is_there && whole) {
        cf_set_integer(L, "uid", (lua_Integer)look->about.st_uid);
        cf_set_integer(L, "gid", (lua_Integer)look->about.st_gid);
        cf_set_integer(L, "nlink", (lua_Integer)look->about.st_nlink);
    } else if (is_there && look->about.st_nlink > 1 && look->type != CF_PATH_DIR) {
        cf_set_integer(L, "nlink", (lua_Integer)look->about.st_nlink);
    }
    if (look->link_count == 0)
        return;
    lua_createtable(L, (int)look->link_count, 0);
    for (size_t at = 0; at < look->link_count; at++) {
        lua_pushstring(L, look->links[at]);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    lua_setfield(L, -2, "links");
}

struct one_look {
    struct cf_walk *walk;
    struct cf_look look;
};

static void release_look(void *payload)
{
    struct one_look *one = payload;
    cf_look_free(&one->look);
    cf_walk_free(one->walk);
}

/*
 * look(path, opts?) -> { path, type, dev, ino, mode, uid, gid, nlink, exists_to, links, loop,
 * blocked, dangling, too_long, unknown }. links is absent where none was followed; mode holds the
 * permission bits only; blocked says that what is first missing is there, but no folder;
 * dangling that a link on the way leads nowhere; too_long that nobody can make what has such a
 * name. opts.follow = false leaves the last component's
 * link alone. Fails for a path that is not absolute or too long.
 */
static int look(lua_State *L)
{
    static const char *const shape[] = { "follow", NULL };
    struct cf_error err;
    const char *path = cf_check_text(L, 1, NULL);
    cf_check_shape(L, 2, shape, true);
    bool follow = cf_field_boolean(L, 2, "follow", true);
    struct one_look *one = cf_push_box(L, sizeof *one, release_look);
    one->walk = cf_walk_new(&err);
    if (one->walk == NULL || cf_walk_look(one->walk, path, follow, &one->look, &err) < 0)
        return fail(L, &err);
    cf_walk_free(one->walk);
    one->walk = NULL;
    push_look(L, &one->look, true);
    return 1;
}

static void release_survey(void *survey)
{
    cf_survey_free(survey);
}

/*
 * survey(patterns, most?) -> for each pattern, in order, the list of what look would say, without
 * uid and gid, with mode for sockets only, and with nlink for files of more than one name.
 * Patterns may be held against `most` names. A failure tells as a fourth which pattern it came
 * to.
 */
static int survey(lua_State *L)
{
    size_t count;
    struct cf_error err;
    lua_Integer most = luaL_optinteger(L, 2, LUA_MAXINTEGER);
    luaL_argcheck(L, most >= 0, 2, "a number of names expected");
    lua_settop(L, 1);
    const char **patterns = cf_check_texts(L, 1, &count);
    struct cf_survey *found = cf_push_box(L, sizeof *found, release_survey);
    if (cf_survey_paths(patterns, count, (size_t)most, found, &err) < 0) {
        fail(L, &err);
        lua_pushinteger(L, (lua_Integer)found->pattern_count + 1);
        return 4;
    }
    lua_createtable(L, (int)count, 0);
    size_t at = 0;
    for (size_t pattern = 0; pattern < count; pattern++) {
        lua_createtable(L, (int)(found->ends[pattern] - at), 0);
        for (lua_Integer index = 1; at < found->ends[pattern]; index++, at++) {
            push_look(L, &found->looks[at], false);
            lua_rawseti(L, -2, index);
        }
        lua_rawseti(L, -2, (lua_Integer)pattern + 1);
    }
    cf_release_box(L, 3);
    return 1;
}

static void release_listing(void *listing)
{
    cf_listing_free(listing);
}

/* list(dir) -> sorted list of { name, type, target }. */
static int list(lua_State *L)
{
    struct cf_error err;
    const char *path = cf_check_text(L, 1, NULL);
    struct cf_listing *listing = cf_push_box(L, sizeof *listing, release_listing);
    if (cf_paths_list(path, listing, &err) < 0)
        return fail(L, &err);
    lua_createtable(L, (int)listing->len, 0);
    for (size_t at = 0; at < listing->len; at++) {
        const struct cf_listed *listed = &listing->items[at];
        lua_createtable(L, 0, listed->target != NULL ? 3 : 2);
        cf_set_text(L, "name", listed->name);
        cf_set_text(L, "type", cf_path_type_name(cf_path_type_of(listed->kind)));
        cf_set_text(L, "target", listed->target);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    return 1;
}

static void release_folder(void *folder)
{
    cf_folder_close(folder);
}

/* names(dir) -> the set of the names in it: map name -> true. */
static int names(lua_State *L)
{
    struct cf_error err;
    const char *path = cf_check_text(L, 1, NULL);
    struct cf_folder *folder = cf_push_box(L, sizeof *folder, release_folder);
    *folder = (struct cf_folder)CF_FOLDER_CLOSED;
    if (cf_folder_read(AT_FDCWD, path, path, folder, &err) < 0)
        return fail(L, &err);
    lua_createtable(L, 0, (int)folder->len);
    for (size_t at = 0; at < folder->len; at++) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, folder->names[at]);
    }
    cf_release_box(L, -2);
    return 1;
}

static void release_links(void *links)
{
    cf_links_free(links);
}

/*
 * Pushes the list of { path, wish, dev, ino, nlink }, whether it is cut, and the list of { path,
 * closed } of what was not seen whole.
 */
static int push_links(lua_State *L, const struct cf_links *found)
{
    lua_createtable(L, (int)found->len, 0);
    for (size_t at = 0; at < found->len; at++) {
        const struct cf_link *link = &found->items[at];
        lua_createtable(L, 0, 5);
        cf_set_text(L, "path", link->path);
        cf_set_integer(L, "dev", (lua_Integer)link->dev);
        cf_set_integer(L, "ino", (lua_Integer)link->ino);
        cf_set_integer(L, "nlink", (lua_Integer)link->names);
        cf_set_integer(L, "wish", (lua_Integer)link->wish + 1);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    lua_pushboolean(L, found->is_cut);
    lua_createtable(L, (int)found->cut_len, 0);
    for (size_t at = 0; at < found->cut_len; at++) {
        lua_createtable(L, 0, 2);
        cf_set_text(L, "path", found->cuts[at].path);
        cf_set_boolean(L, "closed", found->cuts[at].is_closed);
        lua_rawseti(L, -2, (lua_Integer)at + 1);
    }
    return 3;
}

/*
 * links(wishes, folders) -> list of { path, dev, ino, nlink, wish }, is_cut, cuts. wishes: list of
 * { dev, ino, names }; wish is the place in it of the file that the path is a name of. See
 * cf_links_find.
 */
static int links(lua_State *L)
{
    static const char *const shape[] = { "dev", "ino", "names", NULL };
    struct cf_error err;
    size_t folder_count;
    luaL_checktype(L, 1, LUA_TTABLE);
    size_t count = (size_t)lua_rawlen(L, 1);
    struct cf_links_wish *wishes = lua_newuserdatauv(L, count * sizeof *wishes + 1, 0);
    for (size_t at = 0; at < count; at++) {
        luaL_argcheck(L, lua_rawgeti(L, 1, (lua_Integer)at + 1) == LUA_TTABLE, 1,
                      "a list of tables expected");
        int wish = lua_gettop(L);
        cf_check_shape(L, wish, shape, false);
        wishes[at] = (struct cf_links_wish){
            .dev = (dev_t)cf_field_integer(L, wish, "dev", 0, LUA_MININTEGER, LUA_MAXINTEGER),
            .ino = (ino_t)cf_field_integer(L, wish, "ino", 0, LUA_MININTEGER, LUA_MAXINTEGER),
            .names = (size_t)cf_field_integer(L, wish, "names", 0, 0, LUA_MAXINTEGER),
        };
        lua_pop(L, 1);
    }
    const char **folders = cf_check_texts(L, 2, &folder_count);
    struct cf_links *found = cf_push_box(L, sizeof *found, release_links);
    *found = (struct cf_links)CF_LINKS_EMPTY;
    if (cf_links_find(wishes, count, folders, folder_count, found, &err) < 0)
        return fail(L, &err);
    return push_links(L, found);
}

typedef int search(const char *const *folders, size_t count, struct cf_links *links,
                   struct cf_error *err);

static int search_folders(lua_State *L, search *find)
{
    struct cf_error err;
    size_t count;
    const char **folders = cf_check_texts(L, 1, &count);
    struct cf_links *found = cf_push_box(L, sizeof *found, release_links);
    *found = (struct cf_links)CF_LINKS_EMPTY;
    if (find(folders, count, found, &err) < 0)
        return fail(L, &err);
    return push_links(L, found);
}

/*
 * sockets(folders) -> list of { path, dev, ino, ... } of all sockets in them and below, is_cut,
 * cuts; wish is the place of the folder. See cf_links_sockets.
 */
static int sockets(lua_State *L)
{
    return search_folders(L, cf_links_sockets);
}

/* several(folders) -> the same of the files of several names in them: see cf_links_several. */
static int several(lua_State *L)
{
    return search_folders(L, cf_links_several);
}

/* is_writable(path) -> true, false or { unknown = reason }: see cf_paths_writable. */
static int is_writable(lua_State *L)
{
    struct cf_error err;
    int writable = cf_paths_writable(cf_check_text(L, 1, NULL), &err);
    if (writable < 0)
        return cf_push_unknown(L, err.message);
    lua_pushboolean(L, writable);
    return 1;
}

/* trust(path) -> true | nil, reason, errno: see cf_paths_trust. */
static int trust(lua_State *L)
{
    struct cf_error err;
    if (cf_paths_trust(cf_check_text(L, 1, NULL), &err) < 0)
        return fail(L, &err);
    lua_pushboolean(L, true);
    return 1;
}

static void release_bytes(void *bytes)
{
    cf_bytes_free(bytes);
}

/* read(path, max, opts?) -> text of a regular file of at most max bytes. opts.follow. */
static int read_file(lua_State *L)
{
    static const char *const shape[] = { "follow", NULL };
    struct cf_error err;
    const char *path = cf_check_text(L, 1, NULL);
    lua_Integer max = luaL_checkinteger(L, 2);
    luaL_argcheck(L, max >= 0, 2, "a size expected");
    cf_check_shape(L, 3, shape, true);
    bool follow = cf_field_boolean(L, 3, "follow", false);
    struct cf_bytes *text = cf_push_box(L, sizeof *text, release_bytes);
    if (cf_paths_read(path, (size_t)max, follow, text, &err) < 0)
        /* EAGAIN is somebody's lease, EIO a disk that is gone: of these the file is to blame. */
        return err.number == EAGAIN || err.number == EIO ? cf_push_failure(L, &err)
                                                         : fail(L, &err);
    lua_pushlstring(L, text->data, text->len);
    cf_release_box(L, -2);
    return 1;
}

/* matches(pattern, name) -> whether one component matches: see cf_glob_match. */
static int matches(lua_State *L)
{
    size_t pattern_len, name_len;
    const char *pattern = luaL_checklstring(L, 1, &pattern_len);
    const char *name = luaL_checklstring(L, 2, &name_len);
    lua_pushboolean(L, cf_glob_match(pattern, pattern_len, name, name_len));
    return 1;
}

int cf_open_paths(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "look", look },       { "survey", survey },   { "list", list },
        { "names", names },     { "links", links },     { "sockets", sockets },
        { "trust", trust },     { "read", read_file },  { "is_writable", is_writable },
        { "matches", matches }, { "several", several }, { NULL, NULL },
    };
    luaL_newlib(L, functions);
    return 1;
}
