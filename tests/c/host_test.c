/* What can be tried is really tried, ends in time, and only a success is remembered. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/bwrap.h"
#include "host/cache.h"
#include "host/child.h"
#include "host/ids.h"
#include "host/kernel.h"
#include "host/procfs.h"
#include "host/program.h"
#include "scratch.h"

static char shown[8192];
static const char *const no_env[] = { "LC_ALL=C", NULL };

static int shell(const char *script, int milliseconds, size_t max, struct cf_error *err)
{
    const char *argv[] = { "sh", "-c", script, NULL };
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    int status = cf_child_run("/bin/sh", argv, no_env, milliseconds, max, &output, err);
    snprintf(shown, sizeof shown, "%s", output.data != NULL ? output.data : "");
    return status;
}

CHECK_CASE(a_child_s_output_and_status_are_had)
{
    struct cf_error err;
    CHECK_INT(WEXITSTATUS(shell("echo out; echo err >&2; exit 7", 5000, 100, &err)), 7);
    CHECK_TEXT(shown, "out\nerr\n");
    CHECK_INT(WTERMSIG(shell("kill -9 $$", 5000, 100, &err)), 9);
    CHECK_INT(shell("cat; echo \"$HOME\"", 5000, 100, &err), 0);
    CHECK_TEXT(shown, "\n");
}

CHECK_CASE(a_program_that_cannot_be_executed_says_why)
{
    struct cf_error err;
    const char *argv[] = { "x", NULL };
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    CHECK_INT(cf_child_run("/no/such", argv, no_env, 5000, 10, &output, &err), -1);
    CHECK_TEXT(err.message, "execute /no/such: No such file or directory");
}

CHECK_CASE(a_child_that_goes_on_is_killed)
{
    struct cf_error err;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    CHECK_INT(shell("sleep 60", 100, 100, &err), -1);
    CHECK_TEXT(err.message, "run /bin/sh: Connection timed out");
    CHECK_INT(shell("exec >/dev/null 2>&1; sleep 60", 100, 100, &err), -1);
    CHECK_INT(shell("yes", 5000, 10000, &err), -1);
    CHECK_TEXT(err.message, "run /bin/sh: File too large");
    clock_gettime(CLOCK_MONOTONIC, &end);
    CHECK(end.tv_sec - start.tv_sec < 5);
}

CHECK_CASE(a_caller_that_ignores_sigchld_still_has_the_status)
{
    struct cf_error err;
    struct sigaction after;
    signal(SIGCHLD, SIG_IGN);
    CHECK_INT(WEXITSTATUS(shell("exit 3", 5000, 100, &err)), 3);
    sigaction(SIGCHLD, NULL, &after);
    CHECK(after.sa_handler == SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
}

CHECK_CASE(a_child_starts_with_plain_signals_and_no_descriptor)
{
    struct cf_error err;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    CHECK_INT(
        shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd", 5000, 1000, &err),
        0);
    CHECK_TEXT(shown, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n");
    signal(SIGPIPE, SIG_DFL);
    cf_close_fd(&fd);
}

static const char *options_of(const char *help)
{
    struct cf_bwrap bwrap = { .setuid = false };
    struct cf_error err;
    CHECK_INT(cf_bwrap_parse(help, strlen(help), &bwrap, &err), 0);
    size_t used = 0;
    shown[0] = '\0';
    for (size_t at = 0; at < bwrap.option_count; at++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s ", bwrap.options[at]);
    CHECK(!cf_bwrap_has(&bwrap, "--none"));
    CHECK(bwrap.option_count == 0 || cf_bwrap_has(&bwrap, bwrap.options[0]));
    cf_bwrap_free(&bwrap);
    return shown;
}

CHECK_CASE(options_are_the_first_words_of_the_help_s_lines)
{
    CHECK_TEXT(options_of("usage: bwrap [OPTIONS...] [--] COMMAND\n\n"
                          "    --help                 Print this help\n"
                          "\t--args FD  Parse --not-this\n"
                          "    --args FD  twice\n"
                          "    --bare\n"
                          "    -- nothing\n    --[no-]x y\n    -x y\n    --Big z\n    --=a b\n"
                          "    --cut-off"),
               "--args --bare --help ");
    CHECK_TEXT(options_of(""), "");
}

static bool have_bwrap(void)
{
    return access("/usr/bin/bwrap", X_OK) == 0;
}

CHECK_CASE(the_installed_bwrap_tells_what_it_can_do)
{
    struct cf_bwrap bwrap;
    struct cf_error err;
    if (!have_bwrap())
        CHECK_SKIP("bwrap");
    CHECK_INT(cf_bwrap_read("/usr/bin/bwrap", NULL, &bwrap, &err), 0);
    CHECK(cf_bwrap_has(&bwrap, "--args"));
    CHECK(cf_bwrap_has(&bwrap, "--json-status-fd"));
    CHECK(bwrap.version[0] >= '0' && bwrap.version[0] <= '9');
    cf_bwrap_free(&bwrap);
}

/* A program that answers as bwrap does and writes down each time it is asked. */
static void fake_bwrap(const char *help)
{
    char script[1024];
    snprintf(script, sizeof script,
             "#!/bin/sh\necho \"$1\" >> %s\n[ \"$1\" = --help ] && echo '%s' || echo x 1.2\n",
             scratch("asked"), help);
    scratch_file("bwrap", script, 0755);
}

static const char *asked(void)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, scratch("asked"), 1000, &text, &err) < 0)
        return "";
    snprintf(shown, sizeof shown, "%s", text.data);
    unlink(scratch("asked"));
    return shown;
}

CHECK_CASE(bwrap_is_asked_once_until_it_changes)
{
    struct cf_bwrap bwrap;
    struct cf_error err;
    scratch_open();
    fake_bwrap(" --one x");
    for (int at = 0; at < 2; at++) {
        CHECK_INT(cf_bwrap_read(scratch("bwrap"), scratch("cache"), &bwrap, &err), 0);
        CHECK_TEXT(bwrap.version, "1.2");
        CHECK_INT(bwrap.option_count, 1);
        CHECK_TEXT(bwrap.options[0], "--one");
        cf_bwrap_free(&bwrap);
    }
    CHECK_TEXT(asked(), "--version\n--help\n");
    fake_bwrap(" --other x");
    CHECK_INT(cf_bwrap_read(scratch("bwrap"), scratch("cache"), &bwrap, &err), 0);
    CHECK_TEXT(bwrap.options[0], "--other");
    cf_bwrap_free(&bwrap);
    CHECK_TEXT(asked(), "--version\n--help\n");
    scratch_close();
}

CHECK_CASE(a_bwrap_that_fails_or_says_nothing_is_an_error)
{
    struct cf_bwrap bwrap;
    struct cf_error err;
    scratch_open();
    fake_bwrap("nothing here");
    CHECK_INT(cf_bwrap_read(scratch("bwrap"), NULL, &bwrap, &err), -1);
    CHECK_HOLDS(err.message, "--help: names no option");
    scratch_file("bwrap", "#!/bin/sh\nexit 3\n", 0755);
    CHECK_INT(cf_bwrap_read(scratch("bwrap"), NULL, &bwrap, &err), -1);
    CHECK_HOLDS(err.message, "--version: ended with wait status 768");
    CHECK_INT(cf_bwrap_read("/no/such", NULL, &bwrap, &err), -1);
    CHECK_TEXT(err.message, "stat /no/such: No such file or directory");
    scratch_close();
}

static const char *remembered(const char *key)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    cf_autoclose int cache = cf_cache_open(scratch("c"), &err);
    if (cache < 0)
        return strcpy(shown, err.message);
    if (cf_cache_get(cache, "n", key, &text) == 0)
        return "nothing";
    snprintf(shown, sizeof shown, "%s", text.data);
    return shown;
}

CHECK_CASE(a_text_is_remembered_for_its_key_only)
{
    struct cf_error err;
    struct stat about;
    scratch_open();
    int cache = cf_cache_open(scratch("c"), &err);
    CHECK_INT(fstat(cache, &about), 0);
    CHECK_INT(about.st_mode & 07777, 0700);
    CHECK_INT(cf_cache_put(cache, "n", "key 1", "a\nb", 3, &err), 0);
    CHECK_TEXT(remembered("key 1"), "a\nb");
    CHECK_TEXT(remembered("key"), "nothing");
    CHECK_TEXT(remembered("key 1\na"), "b");
    CHECK_INT(cf_cache_put(cache, "n", "key 2", "c", 1, &err), 0);
    CHECK_TEXT(remembered("key 1"), "nothing");
    CHECK_TEXT(remembered("key 2"), "c");
    cf_close_fd(&cache);
    scratch_close();
}

CHECK_CASE(a_cache_that_others_could_have_written_is_not_used)
{
    struct cf_error err;
    scratch_open();
    scratch_dir("c", 0755);
    CHECK_HOLDS(remembered("k"), "mode 0755): Operation not permitted");
    CHECK_INT(rmdir(scratch("c")), 0);
    scratch_dir("real", 0700);
    scratch_link("c", "real");
    CHECK_INT(cf_cache_open(scratch("c"), &err), -1);
    scratch_file("real/target", "k\nplanted", 0600);
    scratch_link("real/n", "target");
    CHECK_INT(unlink(scratch("c")), 0);
    CHECK_INT(rename(scratch("real"), scratch("c")), 0);
    CHECK_TEXT(remembered("k"), "nothing");
    scratch_close();
}

static const char *probe(const char *bwrap, const char *cache)
{
    static const char *const answers[] = { "no", "yes", "unknown" };
    struct cf_procfs_probe tried;
    cf_procfs_try(bwrap, cache, &tried);
    snprintf(shown, sizeof shown, "%s%s%s%s%s", answers[tried.mountable],
             tried.cached ? " cached" : "", tried.no_userns ? " without namespaces" : "",
             tried.reason.message[0] != '\0' ? ": " : "", tried.reason.message);
    return shown;
}

static void answering(const char *message, int status)
{
    char script[512];
    snprintf(script, sizeof script, "#!/bin/sh\necho '%s' >&2\nexit %d\n", message, status);
    scratch_file("bwrap", script, 0755);
}

CHECK_CASE(a_procfs_is_tried_and_a_yes_remembered)
{
    scratch_open();
    answering("", 0);
    CHECK_TEXT(probe(scratch("bwrap"), scratch("cache")), "yes");
    CHECK_TEXT(probe(scratch("bwrap"), scratch("cache")), "yes cached");
    CHECK_TEXT(probe(scratch("bwrap"), NULL), "yes");
    scratch_close();
}

CHECK_CASE(a_no_is_told_with_bwrap_s_reason_and_never_remembered)
{
    const char *no = "no: bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
    scratch_open();
    scratch_file("bwrap",
                 "#!/bin/sh\necho \"bwrap: Can't mount proc on /newroot/proc: Operation not "
                 "permitted\" >&2\nexit 1\n",
                 0755);
    CHECK_TEXT(probe(scratch("bwrap"), scratch("cache")), no);
    CHECK_TEXT(probe(scratch("bwrap"), scratch("cache")), no);
    answering("bwrap: No permissions to create new namespace, likely because ...", 1);
    CHECK_TEXT(probe(scratch("bwrap"), scratch("cache")),
               "unknown without namespaces: bwrap: No permissions to create new namespace, "
               "likely because ...");
    answering("", 4);
    CHECK_TEXT(probe(scratch("bwrap"), NULL), "unknown: the probe ended with wait status 1024");
    CHECK_TEXT(probe("/no/such", NULL), "unknown: execute /no/such: No such file or directory");
    scratch_close();
}

static int probe_for_real(void)
{
    return strcmp(probe("/usr/bin/bwrap", NULL), "yes") == 0 ? 0 : 1;
}

CHECK_CASE(the_probe_and_bwrap_itself_agree)
{
    if (!have_bwrap())
        CHECK_SKIP("bwrap");
    const char *argv[] = { "bwrap",  "--unshare-all", "--ro-bind", "/", "/",
                           "--proc", "/proc",         "/bin/true", NULL };
    struct cf_error err;
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    int status = cf_child_run("/usr/bin/bwrap", argv, no_env, 10000, 10000, &output, &err);
    CHECK_INT(probe_for_real(), status == 0 ? 0 : 1);
    CHECK_INT(as_user(SOMEBODY, probe_for_real), status == 0 ? 0 : 1);
}

CHECK_CASE(a_user_namespace_is_tried_in_a_child)
{
    struct cf_error err;
    struct stat before, after;
    CHECK_INT(stat("/proc/self/ns/user", &before), 0);
    int allowed = cf_kernel_try_userns(&err);
    CHECK(allowed == 0 || allowed == 1);
    CHECK_INT(stat("/proc/self/ns/user", &after), 0);
    CHECK_INT(after.st_ino, before.st_ino);
}

static int userns_without_processes(void)
{
    struct cf_error err;
    struct rlimit none = { 0, 0 };
    if (setrlimit(RLIMIT_NPROC, &none) < 0 || cf_kernel_try_userns(&err) != -1)
        return 1;
    return CHECK_TEXT(err.message, "fork: Resource temporarily unavailable") ? 0 : 1;
}

CHECK_CASE(what_cannot_be_tried_is_not_a_no)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to become a user without processes");
    CHECK_INT(as_user(SOMEBODY, userns_without_processes), 0);
}

CHECK_CASE(the_kernel_is_named)
{
    struct cf_kernel kernel;
    struct utsname name;
    struct cf_error err;
    uname(&name);
    CHECK_INT(cf_kernel_read(&kernel, &err), 0);
    CHECK_TEXT(kernel.release, name.release);
    CHECK_TEXT(kernel.machine, name.machine);
    CHECK(kernel.landlock >= 0);
}

static int ids_of_somebody(void)
{
    struct cf_ids ids;
    struct cf_error err;
    if (cf_ids_read(&ids, &err) < 0)
        return 1;
    bool right = CHECK_INT(ids.euid, SOMEBODY) && CHECK_INT(ids.gid, SOMEBODY) &&
                 CHECK_INT(ids.group_count, 0);
    cf_ids_free(&ids);
    return right ? 0 : 1;
}

CHECK_CASE(ids_and_the_password_file)
{
    struct cf_passwd passwd;
    struct cf_error err;
    if (geteuid() == 0)
        CHECK_INT(as_user(SOMEBODY, ids_of_somebody), 0);
    CHECK_INT(cf_passwd_read(0, &passwd, &err), 1);
    CHECK_TEXT(passwd.name, "root");
    CHECK_TEXT(passwd.dir, "/root");
    cf_passwd_free(&passwd);
    CHECK_INT(cf_passwd_read(SOMEBODY, &passwd, &err), 0);
    CHECK(passwd.name == NULL);
}

static const char *find(const char *name, const char *path)
{
    struct cf_error err;
    char *found = cf_program_find(name, path, &err);
    snprintf(shown, sizeof shown, "%s", found != NULL ? found : err.message);
    free(found);
    return shown;
}

CHECK_CASE(a_program_is_found_as_a_shell_finds_it)
{
    char path[512], wanted[128];
    scratch_open();
    scratch_dir("a", 0755);
    scratch_dir("b", 0755);
    scratch_file("a/p", "", 0644);
    scratch_file("b/p", "", 0755);
    scratch_file("a/q", "", 0644);
    scratch_dir("b/d", 0755);
    snprintf(path, sizeof path, "%s:/no/such:%s", scratch("a"), scratch("b"));
    snprintf(wanted, sizeof wanted, "%s", scratch("b/p"));
    CHECK_TEXT(find("p", path), wanted);
    CHECK_TEXT(find("q", path), "find q: Permission denied");
    CHECK_TEXT(find("d", path), "find d: Permission denied");
    CHECK_TEXT(find("r", path), "find r: No such file or directory");
    CHECK_TEXT(find("", path), "find : No such file or directory");
    CHECK_TEXT(find(scratch("b/p"), ""), wanted);
    scratch_close();
}

CHECK_CASE(folders_that_depend_on_where_one_stands_are_passed_over)
{
    char before[4096];
    CHECK(getcwd(before, sizeof before) != NULL);
    scratch_open();
    scratch_file("p", "", 0755);
    scratch_dir("bin", 0755);
    scratch_file("bin/p", "", 0755);
    CHECK_INT(chdir(scratch("")), 0);
    CHECK_TEXT(find("p", "bin"), "find p: No such file or directory");
    CHECK_TEXT(find("p", ":.:"), "find p: No such file or directory");
    CHECK_TEXT(find("p", ""), "find p: No such file or directory");
    CHECK_INT(chdir(before), 0);
    scratch_close();
}

CHECK_MAIN
