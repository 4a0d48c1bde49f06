/* The /dev of a run: the harmless devices, what was granted, and nothing else of the host's. */
#include "stage_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fds.h"

static const struct cf_stage_op root = { .kind = CF_STAGE_ROOT, .path = "/" };

RIG_CASE(only_harmless_devices_are_there)
{
    struct rig_run run;
    rig_start(rig, &run, &root, 1);
    SEE_TEXT(rig,
             rig_ask(&run, "sh /dev test \"$(echo $(ls))\" = 'core fd full null ptmx pts "
                           "random shm stderr stdin stdout tty urandom zero'"),
             "0");
    SEE_TEXT(rig, rig_ask(&run, "sh / head -c 1 /dev/urandom > /dev/null"), "0");
    SEE_TEXT(rig, rig_ask(&run, "sh / test $(head -c 3 /dev/zero | wc -c) = 3"), "0");
    SEE(rig, rig_ask(&run, "sh / echo full > /dev/full")[0] != '0');
    SEE_TEXT(rig, rig_ask(&run, "sh / script -qec true /dev/null < /dev/null"), "0");
    SEE_TEXT(rig, rig_ask(&run, "make /dev/shm/own"), "ok");
    SEE_TEXT(rig, rig_ask(&run, "sh / test ! -e /dev/console"), "0");
    rig_stop(rig, &run);
    rig_free(&run);
}

/* Its owner is root, whose id a command may have. */
RIG_CASE(a_device_of_the_host_cannot_be_changed)
{
    struct stat before, after;
    struct rig_run run;
    rig_start(rig, &run, &root, 1);
    SEE_INT(rig, stat("/dev/null", &before), 0);
    SEE(rig, rig_ask(&run, "sh / chmod 640 /dev/null")[0] != '0');
    SEE(rig, rig_ask(&run, "sh / touch -d @1 /dev/null")[0] != '0');
    SEE_INT(rig, stat("/dev/null", &after), 0);
    SEE_INT(rig, before.st_mode, after.st_mode);
    SEE_INT(rig, before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_device_elsewhere_cannot_be_opened)
{
    const char *node = rig_path(rig, "zero");
    struct rig_run run;
    if (!rig->as_root)
        return;
    SEE_INT(rig, mknod(node, S_IFCHR | 0666, makedev(1, 5)), 0);
    cf_autoclose int outside = open(node, O_RDONLY | O_CLOEXEC);
    SEE(rig, outside >= 0);
    rig_start(rig, &run, &root, 1);
    SEE(rig, rig_ask(&run, "sh / head -c 1 %s", node)[0] != '0');
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_granted_device_and_a_console_are_seen)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64] = "";
    struct rig_run run;
    SEE(rig, master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0 &&
                 ptsname_r(master, name, sizeof name) == 0);
    struct cf_stage_op ops[] = {
        root,
        { .kind = CF_STAGE_DEV, .path = "/dev", .console = name },
        { .kind = CF_STAGE_DEVICE, .path = "/dev/kmsg" },
        { .kind = CF_STAGE_DEVICE, .path = "/dev/by/name", .source = "/dev/kmsg" },
        { .kind = CF_STAGE_DEVICE, .path = "/dev/net/tun" },
    };
    bool has_tun = access("/dev/net/tun", F_OK) == 0;
    rig_start(rig, &run, ops, has_tun ? 5 : 4);
    SEE_TEXT(rig, rig_ask(&run, "sh / test -c /dev/console && test -c /dev/kmsg"), "0");
    SEE_TEXT(rig, rig_ask(&run, "sh / test /dev/by/name -ef /dev/kmsg"), "0");
    SEE_TEXT(rig, rig_ask(&run, "sh / test %s -c /dev/net/tun", has_tun ? "" : "!"), "0");
    rig_stop(rig, &run);
    rig_free(&run);
    close(master);
}

RIG_CASE(a_console_elsewhere_is_no_operation)
{
    struct cf_error err;
    const struct cf_stage_op op = { .kind = CF_STAGE_DEV, .path = "/dev", .console = "/tmp/x" };
    SEE(rig, cf_stage_new(&op, 1, NULL, &err) == NULL);
    SEE_INT(rig, err.number, 22);
}

CHECK_MAIN
