/* Who may write, who could have written, what a folder holds and what is read of a file. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/look.h"
#include "host/paths.h"
#include "scratch.h"

static char shown[8192];

static const char *list(const char *path)
{
    struct cf_listing listing;
    struct cf_error err;
    if (cf_paths_list(path, &listing, &err) < 0) {
        snprintf(shown, sizeof shown, "%s", err.message);
        return shown;
    }
    size_t used = 0;
    shown[0] = '\0';
    for (size_t at = 0; at < listing.len; at++) {
        const struct cf_listed *listed = &listing.items[at];
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s %s%s%s;", listed->name,
                                 cf_path_type_name(cf_path_type_of(listed->kind)),
                                 listed->target != NULL ? " " : "",
                                 listed->target != NULL ? listed->target : "");
    }
    cf_listing_free(&listing);
    return shown;
}

CHECK_CASE(a_folder_is_listed_by_byte_with_types_and_targets)
{
    scratch_open();
    scratch_dir("b", 0755);
    scratch_file("a", "", 0600);
    scratch_file("B", "", 0600);
    scratch_file(".h", "", 0600);
    scratch_link("z", "no/where");
    int fd = scratch_socket("s", SOCK_DGRAM);
    CHECK_TEXT(list(scratch("")), ".h file;B file;a file;b dir;s socket;z link no/where;");
    CHECK_TEXT(list(scratch("b")), "");
    CHECK_HOLDS(list(scratch("a")), "/a: Not a directory");
    CHECK_HOLDS(list(scratch("none")), "/none: No such file or directory");
    cf_close_fd(&fd);
    scratch_close();
}

/* A socket of root's with this mode, judged by what an ordinary user's connect would meet. */
static const char *judged;

static int judge_and_connect(void)
{
    struct cf_error err;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", scratch(judged));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    cf_close_fd(&fd);
    int writable = cf_paths_writable(scratch(judged), &err);
    return CHECK_INT(writable, connected) ? writable : 99;
}

static int judge_as(uid_t uid, const char *name)
{
    judged = name;
    return as_user(uid, judge_and_connect);
}

CHECK_CASE(who_could_connect_is_judged_as_the_kernel_does)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to own what another user tries");
    scratch_open();
    scratch_dir("open", 0711);
    scratch_dir("shut", 0700);
    int fds[] = { scratch_socket("open/666", SOCK_STREAM),
                  scratch_socket("open/600", SOCK_STREAM),
                  scratch_socket("open/060", SOCK_STREAM),
                  scratch_socket("open/006", SOCK_STREAM),
                  scratch_socket("shut/666", SOCK_STREAM) };
    chmod(scratch("open/666"), 0666);
    chmod(scratch("open/600"), 0600);
    chmod(scratch("open/060"), 0060);
    CHECK_INT(chown(scratch("open/060"), 0, SOMEBODY), 0);
    /* The owner's own bits count, even where others have more. */
    chmod(scratch("open/006"), 0006);
    CHECK_INT(chown(scratch("open/006"), SOMEBODY, 0), 0);
    chmod(scratch("shut/666"), 0666);
    scratch_link("link", "open/666");
    CHECK_INT(judge_as(SOMEBODY, "open/666"), 1);
    CHECK_INT(judge_as(SOMEBODY, "open/600"), 0);
    CHECK_INT(judge_as(SOMEBODY, "open/060"), 1);
    CHECK_INT(judge_as(SOMEBODY, "open/006"), 0);
    CHECK_INT(judge_as(SOMEBODY, "shut/666"), 0);
    CHECK_INT(judge_as(SOMEBODY, "link"), 1);
    CHECK_INT(judge_as(0, "open/600"), 1);
    for (size_t at = 0; at < 5; at++)
        cf_close_fd(&fds[at]);
    scratch_close();
}

CHECK_CASE(an_access_control_list_counts)
{
    /* Version 2: owner rw-, user SOMEBODY rw-, group ---, mask rw-, others ---. */
    static const struct {
        uint32_t version;
        struct {
            uint16_t tag, perm;
            uint32_t id;
        } entries[5];
    } acl = { 2,
              { { 1, 6, UINT32_MAX },
                { 2, 6, SOMEBODY },
                { 4, 0, UINT32_MAX },
                { 16, 6, UINT32_MAX },
                { 32, 0, UINT32_MAX } } };
    if (geteuid() != 0)
        CHECK_SKIP("root, to own what another user tries");
    scratch_open();
    int fd = scratch_socket("s", SOCK_STREAM);
    chmod(scratch("s"), 0600);
    CHECK_INT(judge_as(SOMEBODY, "s"), 0);
    if (setxattr(scratch("s"), "system.posix_acl_access", &acl, sizeof acl, 0) < 0)
        check_skip("access control lists on /tmp");
    else
        CHECK_INT(judge_as(SOMEBODY, "s"), 1);
    cf_close_fd(&fd);
    scratch_close();
}

CHECK_CASE(nothing_there_is_not_a_no)
{
    struct cf_error err;
    CHECK_INT(cf_paths_writable("/no/such", &err), -1);
    CHECK_TEXT(err.message, "open /no/such: No such file or directory");
    CHECK_INT(cf_paths_writable("/dev/null", &err), 1);
}

static const char *trust(const char *name)
{
    struct cf_error err;
    if (cf_paths_trust(scratch(name), &err) == 0)
        return "trusted";
    snprintf(shown, sizeof shown, "%s", err.message);
    return shown;
}

CHECK_CASE(what_others_can_write_is_not_trusted)
{
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "", 0644);
    scratch_file("d/group", "", 0664);
    scratch_file("d/world", "", 0646);
    scratch_dir("loose", 0777);
    scratch_file("loose/f", "", 0644);
    scratch_dir("sticky", 01777);
    scratch_file("sticky/f", "", 0644);
    scratch_link("d/in", "../loose/f");
    scratch_link("loose/out", "../d/f");
    scratch_link("sticky/out", "../d/f");
    CHECK_TEXT(trust("d/f"), "trusted");
    CHECK_TEXT(trust("d"), "trusted");
    CHECK_HOLDS(trust("d/group"), "/d/group is writable for others (mode 0664)");
    CHECK_HOLDS(trust("d/world"), "/d/world is writable for others (mode 0646)");
    CHECK_HOLDS(trust("loose/f"), "/loose is writable for others (mode 0777)");
    CHECK_TEXT(trust("sticky/f"), "trusted");
    /* Anybody may add a file to the folder itself. */
    CHECK_HOLDS(trust("sticky"), "/sticky is writable for others (mode 1777)");
    CHECK_HOLDS(trust("d/in"), "/loose is writable for others (mode 0777)");
    CHECK_HOLDS(trust("loose/out"), "/loose is writable for others (mode 0777)");
    CHECK_TEXT(trust("sticky/out"), "trusted");
    CHECK_HOLDS(trust("none"), "none: No such file or directory");
    scratch_close();
}

CHECK_CASE(what_others_own_is_not_trusted)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to give files away");
    scratch_open();
    scratch_dir("d", 0755);
    scratch_file("d/f", "", 0644);
    scratch_dir("theirs", 0755);
    scratch_file("theirs/f", "", 0644);
    scratch_dir("sticky", 01777);
    scratch_link("sticky/out", "../d/f");
    scratch_link("theirs/out", "../d/f");
    CHECK_INT(lchown(scratch("theirs"), SOMEBODY, 0), 0);
    CHECK_INT(lchown(scratch("sticky/out"), SOMEBODY, 0), 0);
    CHECK_HOLDS(trust("theirs/f"),
                "/theirs belongs to uid 54321, neither to root nor to uid 0");
    CHECK_HOLDS(trust("sticky/out"), "/sticky/out belongs to uid 54321");
    CHECK_HOLDS(trust("theirs/out"), "/theirs belongs to uid 54321");
    scratch_close();
}

static int trust_own_and_root_s(void)
{
    bool right = CHECK_TEXT(trust("mine"), "trusted") && CHECK_TEXT(trust("root"), "trusted");
    return right ? 0 : 1;
}

CHECK_CASE(an_ordinary_user_trusts_its_own_and_root_s)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to give files away");
    scratch_open();
    scratch_file("mine", "", 0644);
    scratch_file("root", "", 0644);
    CHECK_INT(chown(scratch("mine"), SOMEBODY, SOMEBODY), 0);
    CHECK_INT(as_user(SOMEBODY, trust_own_and_root_s), 0);
    scratch_close();
}

static int trust_root_s_from_inside(void)
{
    struct cf_error err;
    if (enter_namespaces() < 0)
        return 2;
    bool right = CHECK_INT(cf_paths_trust("/etc/passwd", &err), -1) &&
                 CHECK_INT(err.number, EOVERFLOW) &&
                 CHECK_TEXT(err.message, "/ belongs to somebody outside this user namespace");
    return right ? 0 : 1;
}

CHECK_CASE(who_owns_a_file_is_not_known_where_root_is_not_mapped)
{
    int result = as_user(SOMEBODY, trust_root_s_from_inside);
    if (result == 2)
        CHECK_SKIP("user namespaces");
    CHECK_INT(result, 0);
}

static const char *content(const char *name, size_t max, bool follow)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_paths_read(scratch(name), max, follow, &text, &err) < 0)
        snprintf(shown, sizeof shown, "%s", err.message);
    else
        snprintf(shown, sizeof shown, "%s", text.data);
    return shown;
}

CHECK_CASE(only_regular_files_are_read)
{
    scratch_open();
    scratch_file("f", "text", 0600);
    scratch_link("l", "f");
    CHECK_INT(mkfifo(scratch("p"), 0600), 0);
    CHECK_TEXT(content("f", 4, false), "text");
    CHECK_HOLDS(content("f", 3, false), "more than 3 bytes");
    CHECK_TEXT(content("l", 4, true), "text");
    CHECK_HOLDS(content("l", 4, false), "/l: Too many levels of symbolic links");
    CHECK_HOLDS(content("p", 4, true), "/p: not a regular file");
    CHECK_HOLDS(content("", 4, true), "/: not a regular file");
    scratch_close();
}

static int cwd_that_is_gone(void)
{
    struct cf_error err;
    scratch_dir("gone", 0755);
    if (chdir(scratch("gone")) < 0 || rmdir(scratch("gone")) < 0)
        return 1;
    char *path = cf_cwd_read(&err);
    free(path);
    return CHECK(path == NULL) && CHECK_TEXT(err.message, "getcwd: No such file or directory")
               ? 0
               : 1;
}

CHECK_CASE(a_deleted_current_folder_is_an_error)
{
    scratch_open();
    CHECK_INT(as_user(geteuid(), cwd_that_is_gone), 0);
    scratch_close();
}

CHECK_MAIN
