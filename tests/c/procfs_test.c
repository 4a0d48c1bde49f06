/* Mount tables, process status and namespaces are read whole, and never guessed. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "check.h"
#include "host/mounts.h"
#include "host/status.h"

static char shown[8192];

static const char *mounts(const char *text, size_t len)
{
    struct cf_mounts read = { .len = 0 };
    struct cf_error err;
    CHECK_INT(cf_mounts_parse(text, len, &read, &err), 0);
    size_t used = 0;
    for (size_t at = 0; at < read.len; at++) {
        const struct cf_mount *mount = &read.items[at];
        used += (size_t)snprintf(shown + used, sizeof shown - used,
                                 "%d<%d %u:%u [%s] [%s] [%s] [%s] [%s] [%s] [%s]\n", mount->id,
                                 mount->parent, major(mount->dev), minor(mount->dev),
                                 mount->root, mount->path, mount->options, mount->optional,
                                 mount->fstype, mount->source, mount->super);
    }
    snprintf(shown + used, sizeof shown - used, "%zu unreadable", read.unreadable);
    cf_mounts_free(&read);
    return shown;
}

#define MOUNTS(text) mounts(text, sizeof text - 1)

CHECK_CASE(mounts_are_read_with_every_field)
{
    CHECK_TEXT(
        MOUNTS("36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root "
               "rw,errors=continue\n"
               "37 36 0:70000 / /a\\040b\\134c\\012d ro shared:1 master:2 unbindable - fuse.x "
               "host:/x\\011y rw,a=b c\n"
               "38 1 0:5 / /proc rw - proc  rw\n"),
        "36<35 98:0 [/mnt1] [/mnt2] [rw,noatime] [master:1] [ext3] [/dev/root] "
        "[rw,errors=continue]\n"
        "37<36 0:70000 [/] [/a b\\c\nd] [ro] [shared:1 master:2 unbindable] [fuse.x] "
        "[host:/x\ty] [rw,a=b c]\n"
        "38<1 0:5 [/] [/proc] [rw] [] [proc] [] [rw]\n"
        "0 unreadable");
}

CHECK_CASE(an_escape_is_one_of_octal_digits_only)
{
    CHECK_TEXT(MOUNTS("1 2 0:1 / /a\\04\\9\\477\\\\043 rw - x y z\n"),
               "1<2 0:1 [/] [/a\\04\\9\\477\\#] [rw] [] [x] [y] [z]\n0 unreadable");
}

CHECK_CASE(lines_that_are_no_mount_are_counted)
{
    static const char *const lines[] = {
        "\n",
        "36\n",
        "36 35 98:0 /mnt1 /mnt2 rw master:1 ext3 /dev/root rw\n",
        "x 35 98:0 / /m rw - a b c\n",
        "36 35 98 / /m rw - a b c\n",
        "36 35 98: / /m rw - a b c\n",
        "36 35 98:x / /m rw - a b c\n",
        "36 35 98:0 / m rw - a b c\n",
        "36 35 98:0 / /m rw - a b\n",
        "99999999999 35 98:0 / /m rw - a b c\n",
        "36 35 98:0 / /m rw - a b c",
    };
    for (size_t at = 0; at < sizeof lines / sizeof *lines; at++)
        CHECK_TEXT(mounts(lines[at], strlen(lines[at])), "1 unreadable");
    CHECK_TEXT(MOUNTS("36 35 98:0 / /m\0m rw - a b c\n"), "1 unreadable");
    CHECK_TEXT(MOUNTS(""), "0 unreadable");
}

CHECK_CASE(the_caller_s_own_mounts_begin_at_its_root)
{
    struct cf_mounts read = { .len = 0 };
    struct cf_error err;
    struct stat root;
    bool found = false;
    CHECK_INT(cf_mounts_read(0, &read, &err), 0);
    CHECK_INT(read.unreadable, 0);
    CHECK_INT(stat("/", &root), 0);
    for (size_t at = 0; at < read.len; at++)
        found = found ||
                (strcmp(read.items[at].path, "/") == 0 && read.items[at].dev == root.st_dev);
    CHECK(found);
    cf_mounts_free(&read);
    CHECK_INT(cf_mounts_read(2147483647, &read, &err), -1);
    CHECK_TEXT(err.message, "open /proc/2147483647/mountinfo: No such file or directory");
}

static const char *status(const char *text, size_t len)
{
    struct cf_status read = { .len = 0 };
    struct cf_error err;
    CHECK_INT(cf_status_parse(text, len, &read, &err), 0);
    size_t used = 0;
    for (size_t at = 0; at < read.len; at++) {
        const struct cf_status_field *field = &read.items[at];
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s/%u:", field->name,
                                 field->kind);
        for (size_t i = 0; field->kind != CF_STATUS_TEXT && i < field->count; i++)
            used += (size_t)snprintf(shown + used, sizeof shown - used, " %llx",
                                     (unsigned long long)field->numbers[i]);
        if (field->kind == CF_STATUS_TEXT)
            used += (size_t)snprintf(shown + used, sizeof shown - used, " [%s]", field->text);
        used += (size_t)snprintf(shown + used, sizeof shown - used, "\n");
    }
    snprintf(shown + used, sizeof shown - used, "%zu unreadable", read.unreadable);
    cf_status_free(&read);
    return shown;
}

#define STATUS(text) status(text, sizeof text - 1)

CHECK_CASE(status_fields_have_the_kind_of_their_name)
{
    CHECK_TEXT(STATUS("Name:\ta b: c\nUid:\t1\t2\t3\t4\nGroups:\t5 6 \nCapEff:\t"
                      "ffffffffffffffff\nNoNewPrivs:\t1\nNew field:\t \nGroups:\t"),
               "Name/0: [a b: c]\n"
               "Uid/3: 1 2 3 4\n"
               "Groups/4: 5 6\n"
               "CapEff/2: ffffffffffffffff\n"
               "NoNewPrivs/1: 1\n"
               "New field/0: []\n"
               "Groups/4:\n"
               "0 unreadable");
}

CHECK_CASE(a_value_of_another_kind_stays_text_and_is_counted)
{
    CHECK_TEXT(STATUS("Uid:\t1\t2\t3\nSeccomp:\t-1\nCapEff:\t0x1\nThreads:\t1 2\nPid:\t\n"
                      "PPid:\t99999999999999999999\nGid:\t1 2 3 4x\n"),
               "Uid/0: [1\t2\t3]\nSeccomp/0: [-1]\nCapEff/0: [0x1]\nThreads/0: [1 2]\n"
               "Pid/0: []\nPPid/0: [99999999999999999999]\nGid/0: [1 2 3 4x]\n7 unreadable");
}

CHECK_CASE(lines_that_are_no_field_are_counted)
{
    CHECK_TEXT(STATUS("no colon\n:\tx\n\nA name that is longer than any the kernel has:\tx\n"
                      "X:\ta\0b\n"),
               "5 unreadable");
    CHECK_TEXT(STATUS(""), "0 unreadable");
}

CHECK_CASE(the_caller_s_own_status_is_right)
{
    struct cf_status read = { .len = 0 };
    struct cf_error err;
    CHECK_INT(cf_status_read(0, &read, &err), 0);
    const struct cf_status_field *pid = cf_status_find(&read, "Pid");
    const struct cf_status_field *uid = cf_status_find(&read, "Uid");
    const struct cf_status_field *name = cf_status_find(&read, "Name");
    CHECK_INT(pid->numbers[0], getpid());
    CHECK_INT(uid->numbers[1], geteuid());
    CHECK_TEXT(name->text, "procfs_test");
    CHECK(cf_status_find(&read, "Nothing") == NULL);
    CHECK_INT(read.unreadable, 0);
    cf_status_free(&read);
    CHECK_INT(cf_status_read(2147483647, &read, &err), -1);
    CHECK_TEXT(err.message, "open /proc/2147483647/status: No such file or directory");
}

CHECK_CASE(the_caller_s_namespaces_are_named)
{
    struct cf_namespaces spaces;
    struct cf_error err;
    struct stat about;
    char wanted[64] = "", got[64] = "";
    CHECK_INT(cf_namespaces_read(0, &spaces, &err), 0);
    CHECK_INT(stat("/proc/self/ns/mnt", &about), 0);
    snprintf(wanted, sizeof wanted, "mnt:[%llu]", (unsigned long long)about.st_ino);
    for (size_t at = 0; at < spaces.len; at++) {
        CHECK_INT(spaces.items[at].number, 0);
        if (strcmp(spaces.items[at].name, "mnt") == 0)
            snprintf(got, sizeof got, "%s", spaces.items[at].target);
    }
    CHECK_TEXT(got, wanted);
    CHECK_INT(cf_namespaces_read(2147483647, &spaces, &err), -1);
}

CHECK_MAIN
