/* What uid 0 could still write in /proc without capabilities is found, and only that. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "guard/proc.h"
#include "guarded.h"
#include "scratch.h"

static struct cf_proc_entries found;

static const struct cf_proc_entry *entry_of(const char *path)
{
    for (size_t at = 0; at < found.len; at++)
        if (strcmp(found.items[at].path, path) == 0)
            return &found.items[at];
    return NULL;
}

ATTEMPT(write_setting)
{
    return errno_of(faccessat(AT_FDCWD, "/proc/sys/kernel/core_pattern", W_OK, AT_EACCESS));
}

CHECK_CASE(root_inside_may_still_write_what_is_found)
{
    static const char *const covered[] = { "--ro-bind", "/proc/sys", "/proc/sys", NULL };
    struct cf_error err;
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(cf_proc_exposed(&found, &err), 0);
    const struct cf_proc_entry *sys = entry_of("/proc/sys");
    CHECK(sys != NULL && sys->is_folder);
    CHECK_INSIDE("write_setting", 0, NULL, NULL, 0);
    CHECK_INSIDE("write_setting", 0, NULL, covered, EROFS);
}

/* As the kernel answers somebody who has root's id and nothing else. */
static int ask_the_kernel(void)
{
    for (size_t at = 0; at < found.len; at++)
        if (!found.items[at].is_folder &&
            faccessat(AT_FDCWD, found.items[at].path, W_OK, AT_EACCESS) < 0 && errno != EROFS)
            return 1;
    return 0;
}

CHECK_CASE(what_is_found_is_what_the_kernel_allows)
{
    struct cf_error err;
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(cf_proc_exposed(&found, &err), 0);
    CHECK_INT(as_user(0, ask_the_kernel), 0);
    /* Processes, links and what everybody may write are none of its business. */
    CHECK(entry_of("/proc/self") == NULL);
    CHECK(entry_of("/proc/pressure") == NULL);
    CHECK(entry_of("/proc/1") == NULL);
    CHECK(entry_of("/proc/slabinfo") == NULL);
}

static int find_as_somebody(void)
{
    struct cf_error err;
    return CHECK_INT(cf_proc_exposed(&found, &err), 0) && CHECK_INT(found.len, 0) ? 0 : 1;
}

CHECK_CASE(for_an_ordinary_user_there_is_nothing)
{
    CHECK_INT(as_user(geteuid() == 0 ? SOMEBODY : geteuid(), find_as_somebody), 0);
}

GUARDED_MAIN
