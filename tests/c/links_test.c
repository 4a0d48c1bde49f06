/* Other names of files are found wherever below the folders they lie, and sockets likewise. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/links.h"
#include "scratch.h"

static struct cf_links found;

static int find(const char *name, size_t names, const char *folder)
{
    struct stat st = { 0 };
    struct cf_error err;
    cf_links_free(&found);
    if (name != NULL && lstat(scratch(name), &st) < 0)
        return -2;
    struct cf_links_wish wish = { st.st_dev, st.st_ino, names };
    const char *const folders[] = { folder };
    return name == NULL ? cf_links_sockets(folders, 1, &found, &err)
                        : cf_links_find(&wish, 1, folders, 1, &found, &err);
}

static bool has(const char *name)
{
    for (size_t at = 0; at < found.len; at++)
        if (strcmp(found.items[at].path, scratch(name)) == 0)
            return true;
    return false;
}

static void make_tree(void)
{
    scratch_dir("a", 0755);
    scratch_dir("a/b", 0755);
    scratch_dir("c", 0755);
    scratch_file("a/secret", "x", 0600);
    scratch_file("c/other", "x", 0600);
    CHECK_INT(link(scratch("a/secret"), scratch("a/b/one\ntwo")), 0);
    CHECK_INT(link(scratch("a/secret"), scratch("c/.hidden")), 0);
    scratch_link("c/to-a", "../a");
}

CHECK_CASE(every_name_is_found_once)
{
    const char *base = scratch_open();
    make_tree();
    CHECK_INT(find("a/secret", 99, base), 0);
    CHECK_INT(found.len, 3);
    CHECK(has("a/secret") && has("a/b/one\ntwo") && has("c/.hidden"));
    CHECK(!found.is_cut);
    CHECK_INT(find("c/other", 99, base), 0);
    CHECK_INT(found.len, 1);
    cf_links_free(&found);
    scratch_close();
}

CHECK_CASE(the_search_ends_when_all_are_found)
{
    const char *base = scratch_open();
    make_tree();
    CHECK_INT(find("a/secret", 1, base), 0);
    CHECK_INT(found.len, 1);
    CHECK_INT(find("a/secret", 1, scratch("c")), 0);
    CHECK_INT(found.len, 1);
    CHECK(has("c/.hidden"));
    CHECK_INT(find("a/secret", 1, scratch("c/other")), 0);
    CHECK_INT(found.len, 0);
    CHECK_INT(find("a/secret", 1, scratch("none")), 0);
    CHECK_INT(found.len, 0);
    CHECK(!found.is_cut);
    cf_links_free(&found);
    scratch_close();
}

static int find_as_somebody(void)
{
    const struct cf_links_wish wish = { 1, 1, 1 };
    const char *const folders[] = { scratch("") };
    struct cf_links links = CF_LINKS_EMPTY;
    struct cf_error err;
    int result = cf_links_find(&wish, 1, folders, 1, &links, &err);
    bool is_cut = links.is_cut && links.cut_len == 1 && links.cuts[0].is_closed &&
                  strstr(links.cuts[0].path, "searchable") != NULL;
    cf_links_free(&links);
    return result == 0 && is_cut ? 0 : 1;
}

CHECK_CASE(what_cannot_be_read_is_told)
{
    scratch_open();
    scratch_dir("closed", 0700);
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(as_user(SOMEBODY, find_as_somebody), 1);
    scratch_dir("searchable", 0711);
    CHECK_INT(as_user(SOMEBODY, find_as_somebody), 0);
    scratch_close();
}

static int find_among_many(void)
{
    const struct cf_links_wish wish = { 1, 1, 1 };
    const char *const folders[] = { scratch("") };
    struct cf_links links = CF_LINKS_EMPTY;
    struct cf_error err;
    size_t open = 0, closed = 0;
    int result = cf_links_find(&wish, 1, folders, 1, &links, &err);
    for (size_t at = 0; at < links.cut_len; at++)
        *(links.cuts[at].is_closed ? &closed : &open) += 1;
    bool is_told = links.is_cut && links.cut_len == CF_LINKS_CUTS && open > 0 && closed > 0;
    cf_links_free(&links);
    return result == 0 && is_told ? 0 : 1;
}

CHECK_CASE(of_many_that_cannot_be_read_some_are_told)
{
    char name[32];
    scratch_open();
    if (geteuid() != 0)
        CHECK_SKIP("root");
    /* The deep ones are met first or last, as the file system has it: both must do. */
    for (int at = 0; at < 40; at++) {
        snprintf(name, sizeof name, "%c%d", "ad"[at % 2], at);
        scratch_dir(name, at % 2 == 0 ? 0711 : 0755);
        for (int deep = 0; at % 2 != 0 && deep < 140; deep++) {
            CHECK_INT(chdir(deep == 0 ? scratch(name) : "d"), 0);
            CHECK_INT(mkdir("d", 0755), 0);
        }
    }
    CHECK_INT(as_user(SOMEBODY, find_among_many), 0);
    CHECK_INT(chdir("/"), 0);
    scratch_close();
}

CHECK_CASE(sockets_are_found_by_their_kind)
{
    const char *base = scratch_open();
    make_tree();
    cf_autoclose int listener = scratch_socket("c/listener", SOCK_STREAM);
    cf_autoclose int datagram = scratch_socket("a/b/datagram", SOCK_DGRAM);
    struct stat st;
    CHECK_INT(find(NULL, 0, base), 0);
    CHECK_INT(found.len, 2);
    CHECK(has("c/listener") && has("a/b/datagram"));
    CHECK_INT(lstat(found.items[0].path, &st), 0);
    CHECK(found.items[0].ino == st.st_ino && found.items[0].dev == st.st_dev);
    cf_links_free(&found);
    scratch_close();
}

CHECK_CASE(of_one_file_no_more_than_some_names_are_told)
{
    const char *base = scratch_open();
    make_tree();
    for (int k = 0; k < CF_LINKS_EACH + 10; k++) {
        char name[20];
        snprintf(name, sizeof name, "c/%d", k);
        CHECK_INT(link(scratch("a/secret"), scratch(name)), 0);
    }
    CHECK_INT(find("a/secret", 999, base), 0);
    CHECK_INT(found.len, CF_LINKS_EACH);
    cf_links_free(&found);
    scratch_close();
}

CHECK_CASE(files_of_several_names_are_found_near_the_top)
{
    struct cf_error err;
    scratch_open();
    make_tree();
    scratch_dir("a/b/deep", 0755);
    CHECK_INT(link(scratch("a/secret"), scratch("a/b/deep/name")), 0);
    const char *const folders[] = { scratch("c"), scratch("a") };
    cf_links_free(&found);
    CHECK_INT(cf_links_several(folders, 2, &found, &err), 0);
    CHECK_INT(found.len, 3);
    CHECK(has("c/.hidden") && has("a/secret") && has("a/b/one\ntwo"));
    CHECK_INT(found.items[0].wish, 0);
    CHECK_INT(found.items[0].names, 4);
    cf_links_free(&found);
    scratch_close();
}

CHECK_MAIN
