/* A path leads where the kernel would lead it, and what cannot be known is unknown. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/glob.h"
#include "host/survey.h"
#include "host/walk.h"
#include "scratch.h"

static char shown[8192];

/* The scratch folder's own path reads as "~", so that wanted texts are constant. */
static size_t show_path(size_t used, const char *mark, const char *path)
{
    char own[64];
    snprintf(own, sizeof own, "%.*s", (int)strlen(scratch("")) - 1, scratch(""));
    const char *at = strstr(path, own);
    if (at == NULL)
        return used + (size_t)snprintf(shown + used, sizeof shown - used, "%s%s", mark, path);
    return used + (size_t)snprintf(shown + used, sizeof shown - used, "%s%.*s~%s", mark,
                                   (int)(at - path), path, at + strlen(own));
}

static size_t show_look(size_t used, const struct cf_look *look)
{
    used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s ",
                             cf_path_type_name(look->type),
                             look->loop       ? "(loop)"
                             : look->blocked  ? "(blocked)"
                             : look->too_long ? "(too long)"
                                              : "");
    used = show_path(used, "", look->path);
    if (look->exists_to != NULL)
        used = show_path(used, " to ", look->exists_to);
    for (size_t at = 0; at < look->link_count && at < 4; at++)
        used = show_path(used, " by ", look->links[at]);
    if (look->unknown != NULL)
        used = show_path(used, ": ", look->unknown);
    return used;
}

static const char *look_at(const char *path, bool follow)
{
    struct cf_look look;
    struct cf_error err;
    cf_autowalk struct cf_walk *walk = cf_walk_new(&err);
    if (walk == NULL || cf_walk_look(walk, path, follow, &look, &err) < 0) {
        snprintf(shown, sizeof shown, "%s", err.message);
        return shown;
    }
    show_look(0, &look);
    cf_look_free(&look);
    return shown;
}

#define LOOK(name) look_at(scratch(name), true)

CHECK_CASE(what_is_there_is_found_with_its_type)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "x", 0644);
    int fd = scratch_socket("d/s", SOCK_STREAM);
    CHECK_INT(mkfifo(scratch("d/p"), 0600), 0);
    CHECK_TEXT(LOOK("d"), "dir ~/d");
    CHECK_TEXT(LOOK("d/f"), "file ~/d/f");
    CHECK_TEXT(LOOK("d/s"), "socket ~/d/s");
    CHECK_TEXT(LOOK("d/p"), "fifo ~/d/p");
    CHECK_TEXT(look_at("/dev/null", true), "char /dev/null");
    CHECK_TEXT(look_at("/", true), "dir /");
    cf_close_fd(&fd);
    scratch_close();
}

CHECK_CASE(dots_and_slashes_vanish)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "x", 0644);
    CHECK_TEXT(LOOK("./d//./f"), "file ~/d/f");
    CHECK_TEXT(LOOK("d/../d/f"), "file ~/d/f");
    CHECK_TEXT(LOOK("d/.."), "dir ~");
    CHECK_TEXT(LOOK("d///"), "dir ~/d");
    CHECK_TEXT(look_at("/../..//", true), "dir /");
    scratch_close();
}

CHECK_CASE(absent_names_end_at_the_deepest_folder)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "x", 0644);
    CHECK_TEXT(LOOK("d/x"), "absent ~/d/x to ~/d");
    CHECK_TEXT(LOOK("a/b/./c"), "absent ~/a/b/c to ~");
    CHECK_TEXT(LOOK("d/f/x"), "absent(blocked) ~/d/f/x to ~/d");
    CHECK_TEXT(LOOK("d/f/x/../../y"), "absent ~/d/y to ~/d");
    CHECK_TEXT(LOOK("a/b/../c"), "absent ~/a/c to ~");
    CHECK_TEXT(LOOK("a/b/../../d/f"), "file ~/d/f");
    CHECK_TEXT(LOOK("a/../../x/.."), "dir /tmp");
    scratch_close();
}

CHECK_CASE(links_are_followed_and_named_in_order)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_dir("d/e", 0755);
    scratch_file("d/e/f", "x", 0644);
    scratch_link("one", "d/e");
    scratch_link("two", "one");
    scratch_link("d/abs", scratch("two/f"));
    scratch_link("d/up", "../one/..");
    CHECK_TEXT(LOOK("two/f"), "file ~/d/e/f by ~/two by ~/one");
    CHECK_TEXT(LOOK("d/abs"), "file ~/d/e/f by ~/d/abs by ~/two by ~/one");
    /* ".." behind a link is the folder above where the link leads. */
    CHECK_TEXT(LOOK("one/../e/f"), "file ~/d/e/f by ~/one");
    CHECK_TEXT(LOOK("d/up/e"), "dir ~/d/e by ~/d/up by ~/one");
    CHECK_TEXT(look_at(scratch("two"), false), "link ~/two");
    CHECK_TEXT(look_at(scratch("two/f"), false), "file ~/d/e/f by ~/two by ~/one");
    scratch_close();
}

CHECK_CASE(a_dangling_link_leads_to_the_absent_target)
{
    scratch_open();
    scratch_link("gone", "/nowhere/x");
    scratch_link("near", "missing");
    CHECK_TEXT(LOOK("gone"), "absent /nowhere/x to / by ~/gone");
    CHECK_TEXT(LOOK("gone/y"), "absent /nowhere/x/y to / by ~/gone");
    CHECK_TEXT(LOOK("near"), "absent ~/missing to ~ by ~/near");
    scratch_close();
}

CHECK_CASE(a_loop_is_absent_and_named_a_loop)
{
    scratch_open();
    scratch_link("a", "b");
    scratch_link("b", "a");
    scratch_link("self", "self/x");
    CHECK_TEXT(LOOK("a"), "absent(loop) ~/a to ~ by ~/a by ~/b by ~/a by ~/b");
    CHECK_HOLDS(LOOK("self/y"), "absent(loop) ~/self/x");
    scratch_close();
}

CHECK_CASE(forty_links_are_followed_and_no_more)
{
    char name[16], target[16];
    scratch_open();
    scratch_file("0", "x", 0644);
    for (int at = 1; at <= 41; at++) {
        snprintf(name, sizeof name, "%d", at);
        snprintf(target, sizeof target, "%d", at - 1);
        scratch_link(name, target);
    }
    CHECK_HOLDS(LOOK("40"), "file ~/0 by ~/40 by ~/39");
    CHECK_HOLDS(LOOK("41"), "absent(loop) ");
    CHECK_INT(open(scratch("41"), O_RDONLY), -1);
    CHECK_INT(errno, ELOOP);
    scratch_close();
}

CHECK_CASE(bytes_of_every_kind_are_names)
{
    scratch_open();
    scratch_file("a b\n\033\377*", "x", 0644);
    CHECK_TEXT(LOOK("a b\n\033\377*"), "file ~/a b\n\033\377*");
    scratch_close();
}

CHECK_CASE(misuse_is_an_error)
{
    CHECK_TEXT(look_at("etc/passwd", true),
               "look at etc/passwd: not an absolute path: Invalid argument");
    CHECK_TEXT(look_at("", true), "look at : not an absolute path: Invalid argument");
    char longest[PATH_MAX + 1];
    memset(longest, 'a', sizeof longest);
    for (size_t at = 0; at < sizeof longest; at += 100)
        longest[at] = '/';
    longest[PATH_MAX] = '\0';
    CHECK_HOLDS(look_at(longest, true), "File name too long");
    longest[PATH_MAX - 1] = '\0';
    CHECK_HOLDS(look_at(longest, true), "absent /aaa");
}

CHECK_CASE(what_nobody_can_make_is_absent)
{
    char name[300], below[304], link[PATH_MAX - 1];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(below, sizeof below, "%s/x", name);
    for (size_t at = 0; at < sizeof link; at++)
        link[at] = at % 2 == 0 ? 'a' : '/';
    link[sizeof link - 1] = '\0';
    scratch_open();
    scratch_link("to-long", name);
    scratch_link("far", link);
    CHECK_HOLDS(LOOK(name), "absent(too long) ~/nnn");
    CHECK_HOLDS(LOOK(below), "absent(too long) ~/nnn");
    CHECK_HOLDS(LOOK("to-long"), "absent(too long) ~/nnn");
    CHECK_HOLDS(LOOK("to-long/../to-long/x"), "absent(too long) ~/nnn");
    CHECK_HOLDS(LOOK("far"), "absent(too long) ~/a/a");
    name[255] = '\0';
    CHECK_HOLDS(LOOK(name), "absent ~/nnn");
    scratch_close();
}

static int look_into_a_locked_folder(void)
{
    bool right = CHECK_TEXT(LOOK("locked/f/./g"),
                            "unknown ~/locked/f/g: open ~/locked/f: Permission denied");
    right &=
        CHECK_TEXT(LOOK("locked/f"), "unknown ~/locked/f: lstat ~/locked/f: Permission denied");
    right &= CHECK_TEXT(LOOK("locked"), "dir ~/locked");
    return right ? 0 : 1;
}

CHECK_CASE(a_folder_that_may_not_be_searched_is_unknown)
{
    scratch_open();
    scratch_dir("locked", 0700);
    scratch_dir("locked/f", 0755);
    chmod(scratch("locked"), 0);
    CHECK_INT(as_user(SOMEBODY, look_into_a_locked_folder), 0);
    chmod(scratch("locked"), 0700);
    scratch_close();
}

CHECK_CASE(links_of_proc_lead_to_the_object_itself)
{
    char cwd[PATH_MAX];
    CHECK(getcwd(cwd, sizeof cwd) != NULL);
    char wanted[PATH_MAX + 8];
    snprintf(wanted, sizeof wanted, "dir %s", cwd);
    CHECK_HOLDS(look_at("/proc/self/cwd", true), wanted);
    CHECK_HOLDS(look_at("/proc/self/root/dev/null", true), "char /dev/null by /proc/self");
    CHECK_HOLDS(look_at("/proc/self/ns/mnt", true), "unknown /proc/");
}

CHECK_CASE(more_folders_than_descriptors_are_no_obstacle)
{
    char path[PATH_MAX] = "";
    scratch_open();
    for (int at = 0; at < 300; at++) {
        strcat(path, at == 0 ? "d" : "/d");
        scratch_dir(path, 0755);
    }
    struct rlimit before, few;
    getrlimit(RLIMIT_NOFILE, &before);
    few = before;
    few.rlim_cur = 100;
    setrlimit(RLIMIT_NOFILE, &few);
    struct cf_error err;
    cf_autowalk struct cf_walk *walk = cf_walk_new(&err);
    for (size_t len = strlen(path); len > 100; len -= 20) {
        struct cf_look look;
        path[len] = '\0';
        CHECK_INT(cf_walk_look(walk, scratch(path), true, &look, &err), 0);
        CHECK_INT(look.type, CF_PATH_DIR);
        CHECK_TEXT(look.path, scratch(path));
        cf_look_free(&look);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    scratch_close();
}

static bool match(const char *pattern, const char *name)
{
    return cf_glob_match(pattern, strlen(pattern), name, strlen(name));
}

CHECK_CASE(patterns_match_as_a_shell_would)
{
    static const struct {
        const char *pattern, *name;
        bool wanted;
    } cases[] = {
        { "a", "a", true },        { "a", "b", false },           { "", "", true },
        { "*", "", true },         { "*", "abc", true },          { "a*c", "abbc", true },
        { "a*c", "abcd", false },  { "*.sock", "a.sock", true },  { "a?c", "abc", true },
        { "a?c", "ac", false },    { "[a-c]x", "bx", true },      { "[!a-c]x", "bx", false },
        { "[^a-c]x", "dx", true }, { "[]a]", "]", true },         { "[", "[", true },
        { "[a", "[a", true },      { "[a", "a", false },          { "[a-]", "-", true },
        { "*", ".hidden", false }, { ".*", ".hidden", true },     { "?x", ".x", false },
        { "[.]x", ".x", false },   { "a*", "a.b", true },         { "\\*", "\\abc", true },
        { "**", "abc", true },     { "*a*b*c*", "xaybzc", true }, { "*ab", "aab", true },
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++)
        if (!CHECK_INT(match(cases[at].pattern, cases[at].name), cases[at].wanted))
            printf("    pattern %s name %s\n", cases[at].pattern, cases[at].name);
}

CHECK_CASE(a_pattern_of_many_stars_costs_no_time)
{
    char pattern[402], name[256];
    for (size_t at = 0; at < 400; at += 2)
        memcpy(pattern + at, "*a", 2);
    strcpy(pattern + 400, "b");
    memset(name, 'a', sizeof name);
    CHECK(!cf_glob_match(pattern, 401, name, 255));
}

static const char *survey(const char *const *names, size_t count)
{
    static char paths[8][PATH_MAX];
    const char *patterns[8] = { NULL };
    struct cf_survey found;
    struct cf_error err;
    for (size_t at = 0; at < count; at++) {
        snprintf(paths[at], sizeof paths[0], "%s", scratch(names[at]));
        patterns[at] = paths[at];
    }
    if (cf_survey_paths(patterns, count, SIZE_MAX, &found, &err) < 0) {
        snprintf(shown, sizeof shown, "%s", err.message);
        return shown;
    }
    size_t used = 0, look = 0;
    shown[0] = '\0';
    for (size_t at = 0; at < count; at++) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%zu:", at + 1);
        for (; look < found.ends[at]; look++) {
            used += (size_t)snprintf(shown + used, sizeof shown - used, " ");
            used = show_look(used, &found.looks[look]);
            used += (size_t)snprintf(shown + used, sizeof shown - used, ",");
        }
        used += (size_t)snprintf(shown + used, sizeof shown - used, "\n");
    }
    CHECK_INT(look, found.len);
    cf_survey_free(&found);
    return shown;
}

#define SURVEY(...)                                                                            \
    survey((const char *const[]){ __VA_ARGS__ },                                               \
           sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

CHECK_CASE(a_survey_answers_each_pattern_in_order)
{
    scratch_open();
    scratch_dir("ssh-b", 0755);
    scratch_dir("ssh-a", 0755);
    scratch_dir(".ssh-c", 0755);
    scratch_file("ssh-a/agent.1", "", 0600);
    scratch_file("ssh-b/agent.2", "", 0600);
    scratch_file("ssh-file", "", 0600);
    scratch_link("ssh-link", "ssh-a");
    scratch_link("ssh-a/agent.gone", "nowhere");
    CHECK_TEXT(SURVEY("ssh-*/agent.*", "none", "none*", "ssh-?/agent.1", "ssh-a/../ssh-[b]"),
               "1: file ~/ssh-a/agent.1, absent ~/ssh-a/nowhere to ~/ssh-a by "
               "~/ssh-a/agent.gone, file ~/ssh-b/agent.2, "
               "file ~/ssh-a/agent.1 by ~/ssh-link, absent ~/ssh-a/nowhere to ~/ssh-a by "
               "~/ssh-link by ~/ssh-a/agent.gone,\n"
               "2: absent ~/none to ~,\n"
               "3:\n"
               "4: file ~/ssh-a/agent.1,\n"
               "5: dir ~/ssh-b,\n");
    scratch_close();
}

CHECK_CASE(a_survey_goes_on_behind_a_name_that_is_too_long)
{
    char longest[PATH_MAX + 1];
    for (size_t at = 0; at < sizeof longest; at++)
        longest[at] = at % 2 == 0 ? '/' : 'a';
    longest[PATH_MAX] = '\0';
    const char *const patterns[] = { longest, "/" };
    struct cf_survey found;
    struct cf_error err;
    if (!CHECK_INT(cf_survey_paths(patterns, 2, SIZE_MAX, &found, &err), 0))
        return;
    CHECK_INT(found.len, 2);
    CHECK(found.looks[0].type == CF_PATH_ABSENT && found.looks[0].too_long);
    CHECK_TEXT(found.looks[0].path, longest);
    CHECK(found.looks[1].type == CF_PATH_DIR);
    cf_survey_free(&found);
}

CHECK_CASE(a_glob_matches_nothing_behind_a_file_or_a_link_that_leads_somewhere)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "", 0600);
    scratch_link("to-file", "d/f");
    scratch_link("to-dir", "d");
    scratch_link("gone", "d/none/below");
    scratch_link("to-gone", "gone");
    CHECK_TEXT(SURVEY("*/x", "*/*/x", "to-[d]ir/*/x", "g*"),
               "1: absent ~/d/none/below/x to ~/d by ~/gone, "
               "absent ~/d/none/below/x to ~/d by ~/to-gone by ~/gone,\n"
               "2:\n3:\n"
               "4: absent ~/d/none/below to ~/d by ~/gone,\n");
    scratch_close();
}

CHECK_CASE(a_star_passes_over_what_it_finds_in_proc_and_dev)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_link("d/null", "/dev/null");
    scratch_link("d/proc", "/proc");
    scratch_link("d/fd", "/proc/self/fd");
    scratch_file("d/z", "", 0600);
    CHECK_TEXT(SURVEY("*/*", "*/*/self", "d/null"),
               "1: file ~/d/z,\n2:\n3: char /dev/null by ~/d/null,\n");
    scratch_close();
    const char *const patterns[] = { "/*/null", "/*/self/*", "/de[v]/null", "/dev/nul*" };
    struct cf_survey found;
    struct cf_error err;
    if (!CHECK_INT(cf_survey_paths(patterns, 4, SIZE_MAX, &found, &err), 0))
        return;
    CHECK_INT(found.ends[2], 0);
    CHECK_INT(found.ends[3], 1);
    cf_survey_free(&found);
}

CHECK_CASE(a_file_looked_through_first_is_still_found_as_itself)
{
    scratch_open();
    scratch_file("f", "", 0600);
    CHECK_TEXT(
        SURVEY("f/x", "f", "f/x"),
        "1: absent(blocked) ~/f/x to ~,\n2: file ~/f,\n3: absent(blocked) ~/f/x to ~,\n");
    CHECK_TEXT(SURVEY("a/x", "a", "a/y"),
               "1: absent ~/a/x to ~,\n2: absent ~/a to ~,\n3: absent ~/a/y to ~,\n");
    scratch_close();
}

CHECK_CASE(a_pattern_of_escapes_only_is_one_name)
{
    scratch_open();
    scratch_dir("x[1]", 0755);
    scratch_file("x[1]/*", "", 0600);
    CHECK_TEXT(
        SURVEY("x[[]1]/[*]", "x[[]1]/[?]", "[*]/y", "x[[]1]/[[*]", "x[[]1]/[*]*", "[[]*"),
        "1: file ~/x[1]/*,\n2: absent ~/x[1]/? to ~/x[1],\n3: absent ~/*/y to ~,\n"
        "4: file ~/x[1]/*,\n5: file ~/x[1]/*,\n6:\n");
    CHECK_TEXT(SURVEY("[{]a,b}[ ]"), "1: absent ~/{a,b}  to ~,\n");
    CHECK_TEXT(SURVEY("x[[]1]", "x[[]1]/z", "[x][[]1]", "[x][[]2]"),
               "1: dir ~/x[1],\n2: absent ~/x[1]/z to ~/x[1],\n3: dir ~/x[1],\n4:\n");
    scratch_close();
}

CHECK_CASE(names_that_look_like_patterns_are_taken_as_names)
{
    scratch_open();
    scratch_dir("*", 0755);
    scratch_file("*/[x", "", 0600);
    scratch_dir("other", 0755);
    scratch_file("other/[x", "", 0600);
    CHECK_TEXT(SURVEY("\?/[[]x", "*/[x"),
               "1: file ~/*/[x,\n2: file ~/*/[x, file ~/other/[x,\n");
    scratch_close();
}

static int survey_a_locked_folder(void)
{
    bool right = CHECK_TEXT(SURVEY("locked/*", "listed/*"),
                            "1: unknown ~/locked/*: open ~/locked: Permission denied,\n"
                            "2: unknown ~/listed/f: lstat ~/listed/f: Permission denied,\n");
    return right ? 0 : 1;
}

CHECK_CASE(a_folder_that_cannot_be_listed_gives_one_unknown)
{
    scratch_open();
    scratch_dir("locked", 0111);
    scratch_dir("listed", 0755);
    scratch_file("listed/f", "", 0600);
    chmod(scratch("listed"), 0444);
    CHECK_INT(as_user(SOMEBODY, survey_a_locked_folder), 0);
    chmod(scratch("listed"), 0755);
    scratch_close();
}

CHECK_CASE(a_pattern_without_end_is_refused)
{
    scratch_open();
    CHECK_HOLDS(SURVEY("*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"), "1:");
    char path[64] = "";
    for (int at = 0; at < 17; at++) {
        strcat(path, at == 0 ? "d" : "/d");
        scratch_dir(path, 0755);
    }
    CHECK_HOLDS(SURVEY("*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*"), "more than 16 stars");
    scratch_close();
}

CHECK_MAIN
