/* bwrap is asked what it can do, a procfs is really tried, and only a yes is remembered. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/bwrap.h"
#include "host/child.h"
#include "host/procfs.h"
#include "scratch.h"

static char shown[8192];
static const char *const no_env[] = { "LC_ALL=C", NULL };

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

static const char *probe(const char *bwrap, const char *cache)
{
    static const char *const answers[] = { "no", "yes", "unknown" };
    struct cf_procfs_probe tried;
    cf_procfs_try(bwrap, cache, &tried);
    snprintf(shown, sizeof shown, "%s%s%s%s%s%s", answers[tried.mountable],
             tried.cached ? " cached" : "", tried.no_userns ? " without namespaces" : "",
             tried.no_sandbox ? " without a sandbox" : "",
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
               "unknown without namespaces without a sandbox: bwrap: No permissions to create "
               "new namespace, likely because ...");
    answering("bwrap: Failed to make / slave: Operation not permitted", 1);
    CHECK_TEXT(probe(scratch("bwrap"), NULL), "unknown without a sandbox: bwrap: Failed to "
                                              "make / slave: Operation not permitted");
    answering("bwrap: execvp /bin/sh: No such file or directory", 1);
    CHECK_TEXT(probe(scratch("bwrap"), NULL),
               "unknown: bwrap: execvp /bin/sh: No such file or directory");
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

/* What an ordinary container has: a /proc with something over it cannot be mounted anew. */
static int probe_with_a_masked_proc(void)
{
    if (enter_namespaces() < 0)
        return 2;
    if (mount("/dev/null", "/proc/cpuinfo", NULL, MS_BIND, NULL) < 0)
        return 2;
    /* From bwrap 0.12 on the path is told as it is inside, before that below /newroot. */
    bool is_newer = strstr(probe("/usr/bin/bwrap", NULL), "/newroot") == NULL;
    const char *wanted =
        is_newer ? "no: bwrap: Can't mount proc on /proc: Operation not permitted"
                 : "no: bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
    return CHECK_TEXT(probe("/usr/bin/bwrap", NULL), wanted) ? 0 : 1;
}

CHECK_CASE(a_masked_proc_is_a_no)
{
    if (!have_bwrap())
        CHECK_SKIP("bwrap");
    int result = as_user(SOMEBODY, probe_with_a_masked_proc);
    if (result == 2)
        CHECK_SKIP("user namespaces");
    CHECK_INT(result, 0);
}

CHECK_MAIN
