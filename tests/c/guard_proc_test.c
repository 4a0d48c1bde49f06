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

ATTEMPT(read_slabinfo)
{
    return errno_of(faccessat(AT_FDCWD, "/proc/slabinfo", R_OK, AT_EACCESS));
}

CHECK_CASE(root_inside_may_still_write_what_is_found)
{
    static const char *const covered[] = { "--ro-bind", "/proc/sys", "/proc/sys",
                                           "--ro-bind", "/dev/null", "/proc/slabinfo",
                                           NULL };
    struct cf_error err;
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(cf_proc_exposed(false, &found, &err), 0);
    for (size_t at = 0; at < found.len; at++)
        CHECK(!found.items[at].is_private);
    const struct cf_proc_entry *sys = entry_of("/proc/sys");
    CHECK(sys != NULL && sys->is_folder && sys->is_writable && !sys->is_private);
    CHECK_INSIDE("write_setting", 0, NULL, NULL, 0);
    CHECK_INSIDE("write_setting", 0, NULL, covered, EROFS);
}

CHECK_CASE(what_only_root_may_read_is_found)
{
    struct cf_error err;
    if (geteuid() != 0)
        CHECK_SKIP("root");
    CHECK_INT(cf_proc_exposed(true, &found, &err), 0);
    const struct cf_proc_entry *slabs = entry_of("/proc/slabinfo");
    if (access("/proc/slabinfo", F_OK) == 0) {
        CHECK(slabs != NULL && !slabs->is_folder && slabs->is_private && !slabs->is_writable);
        CHECK_INSIDE("read_slabinfo", 0, NULL, NULL, 0);
        CHECK_INSIDE("read_slabinfo", SOMEBODY, NULL, NULL, EACCES);
    }
    /* Processes, links and what everybody may write are none of its business. */
    CHECK(entry_of("/proc/self") == NULL);
    CHECK(entry_of("/proc/pressure") == NULL);
    CHECK(entry_of("/proc/1") == NULL);
}

static int find_as_somebody(void)
{
    struct cf_error err;
    return CHECK_INT(cf_proc_exposed(true, &found, &err), 0) && CHECK_INT(found.len, 0) ? 0 : 1;
}

CHECK_CASE(for_an_ordinary_user_there_is_nothing)
{
    CHECK_INT(as_user(geteuid() == 0 ? SOMEBODY : geteuid(), find_as_somebody), 0);
}

GUARDED_MAIN
