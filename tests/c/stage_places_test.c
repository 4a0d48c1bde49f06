/* A stage holds wherever a run may be started, or says in advance that it cannot be had. */
#include "stage_rig.h"

#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* One of everything, through one restart and one rewrite. */
static void everything(struct rig *rig)
{
    static const struct cf_stage_entry entries[] = {
        { .name = "agent.sock", .as = CF_AS_INERT }, { .name = "secret", .as = CF_AS_ABSENT }
    };
    const char *dir = rig_path(rig, "run"), *big = rig_path(rig, "big");
    const char *work = rig_path(rig, "work"), *tmp = rig_path(rig, "tmp");
    rig_mkdir(dir);
    rig_mkdir(big);
    rig_mkdir(work);
    rig_mkdir(tmp);
    rig_mkdir(rig_path(rig, "cache"));
    rig_write(rig_path(rig, "run/secret"), "secret");
    rig_write(rig_path(rig, "run/kept"), "kept");
    rig_write(rig_path(rig, "big/secret"), "secret");
    rig_write(rig_path(rig, "big/kept"), "kept");
    int agent = rig_listen(rig_path(rig, "run/agent.sock"), false);
    int other = rig_listen(rig_path(rig, "run/other.sock"), false);
    struct cf_stage_op ops[] = {
        { .kind = CF_STAGE_ROOT, .path = "/" },
        { .kind = CF_STAGE_SHADOW,
          .path = big,
          .by = CF_BY_OVERLAY,
          .mode = CF_STAGE_MODE_OF_HOST,
          .entries = entries,
          .count = 2 },
        { .kind = CF_STAGE_PRIVATE, .path = rig_path(rig, "cache") },
        { .kind = CF_STAGE_SHADOW,
          .path = dir,
          .mode = CF_STAGE_MODE_OF_HOST,
          .entries = entries,
          .count = 2 },
        { .kind = CF_STAGE_SHADOW,
          .path = tmp,
          .mode = 01777,
          .writable = true,
          .others = CF_OTHERS_NONE },
        { .kind = CF_STAGE_BIND, .path = work, .writable = true },
        { .kind = CF_STAGE_PROTECT, .path = rig_path(rig, "work/.git/hooks"), .folder = true },
    };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
        SEE_INT(rig, cf_stage_result(run.stage, k)->outcome, CF_STAGE_DONE);
    SEE_TEXT(rig, rig_ask(&run, "sh / head -c 1 /dev/zero > /dev/null"), "0");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", dir), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/other.sock", dir), "ok");
    SEE_TEXT(rig, rig_ask(&run, "read %s/secret", dir), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/secret", big), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/kept", big), "kept");
    SEE_TEXT(rig, rig_ask(&run, "make %s/x", big), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s/x", work), "ok");
    SEE_TEXT(rig, rig_ask(&run, "make %s/x", tmp), "ok");
    SEE_TEXT(rig, rig_ask(&run, "make %s/x", rig_path(rig, "cache")), "ok");
    SEE_TEXT(rig, rig_ask(&run, "make %s/.git/hooks/x", work), "EROFS");
    close(agent);
    close(other);
    agent = rig_listen(rig_path(rig, "run/agent.sock"), true);
    other = rig_listen(rig_path(rig, "run/other.sock"), false);
    rig_replace(rig_path(rig, "run/kept"), "new");
    rig_replace(rig_path(rig, "run/secret"), "new");
    SEE_TEXT(rig, rig_until(&run, "ok", "connect %s/other.sock", dir), "ok");
    SEE_TEXT(rig, rig_until(&run, "new", "read %s/kept", dir), "new");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", dir), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "read %s/secret", dir), "ENOENT");
    close(agent);
    close(other);
    rig_stop(rig, &run);
    rig_free(&run);
    SEE(rig, access(rig_path(rig, "work/.git"), F_OK) < 0);
    SEE(rig, access(rig_path(rig, "tmp/x"), F_OK) < 0);
}

__attribute__((constructor(1000))) static void know_everything(void)
{
    rig_register("everything", everything);
}

CHECK_CASE(a_stage_holds_on_the_bare_host)
{
    rig_run_case("everything", RIG_HERE);
}

CHECK_CASE(a_stage_holds_where_the_hosts_mounts_are_private)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to make mounts private");
    rig_run_case("everything", RIG_PRIVATE_ROOT);
}

CHECK_CASE(a_stage_holds_where_the_tree_is_a_mount_of_its_own)
{
    if (geteuid() != 0)
        CHECK_SKIP("root, to mount");
    rig_run_case("everything", RIG_OWN_TMP);
}

CHECK_CASE(a_stage_holds_as_root_of_a_user_namespace)
{
    rig_run_case("everything", RIG_USERNS);
}

CHECK_CASE(a_stage_holds_inside_an_outer_bwrap)
{
    rig_run_case("everything", RIG_OUTER_BWRAP);
}

CHECK_CASE(a_stage_can_be_had_here)
{
    struct cf_error err = { 0 };
    CHECK_INT(cf_stage_probe(&err), 0);
    CHECK_TEXT(err.message, "");
}

static const struct {
    unsigned call, number;
    const char *message;
} missing[] = {
    { SYS_openat2, ENOSYS, "open /proc: Function not implemented" },
    { SYS_open_tree, ENOSYS, "open_tree /dev/null: Function not implemented" },
    { SYS_move_mount, ENOSYS, "move_mount to /proc: Function not implemented" },
    { SYS_fsopen, ENOSYS, "fsopen tmpfs: Function not implemented" },
    { SYS_fsconfig, ENOSYS, "fsconfig tmpfs mode 755: Function not implemented" },
    { SYS_fsmount, ENOSYS, "fsmount tmpfs: Function not implemented" },
    { SYS_mount_setattr, ENOSYS,
      "mount_setattr of the copy of /dev/null: Function not implemented" },
    { SYS_pidfd_open, ENOSYS, "pidfd_open: Function not implemented" },
    { SYS_close_range, ENOSYS, "close_range: Function not implemented" },
    { SYS_unshare, EPERM, "unshare a user and mount namespace: Operation not permitted" },
    { SYS_mount, EACCES, "make / private: Permission denied" },
};

CHECK_CASE(a_kernel_without_a_call_is_told_in_advance_with_the_call_named)
{
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++) {
        int out[2];
        CHECK(pipe(out) == 0);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct cf_error err = { 0 };
            rig_refuse(missing[k].call, missing[k].number);
            int got = cf_stage_probe(&err);
            dprintf(out[1], "%s", got < 0 ? err.message : "can be had");
            _exit(0);
        }
        char text[300] = "";
        close(out[1]);
        ssize_t length = read(out[0], text, sizeof text - 1);
        text[length < 0 ? 0 : length] = '\0';
        close(out[0]);
        waitpid(child, NULL, 0);
        CHECK_TEXT(text, missing[k].message);
    }
}

/* Whatever fails after the probe said yes, nothing is started. */
CHECK_CASE(a_stage_that_fails_late_ends_the_run_with_the_cause)
{
    for (size_t k = 0; k < sizeof missing / sizeof *missing; k++) {
        int out[2];
        CHECK(pipe(out) == 0);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct cf_error err = { 0 };
            struct cf_stage_entry entry = { .name = "x", .as = CF_AS_INERT };
            struct cf_stage_op ops[] = {
                { .kind = CF_STAGE_ROOT, .path = "/" },
                { .kind = CF_STAGE_SHADOW,
                  .path = "/run",
                  .mode = CF_STAGE_MODE_OF_HOST,
                  .entries = &entry,
                  .count = 1 },
                { .kind = CF_STAGE_HIDE, .path = "/etc/hostname" },
            };
            struct cf_stage *stage = cf_stage_new(ops, 3, NULL, &err);
            pid_t runner = fork();
            if (runner == 0) {
                rig_refuse(missing[k].call, missing[k].number);
                int got = cf_stage_prepare(stage, &err);
                dprintf(out[1], "%d", got);
                _exit(err.message[0] != '\0' ? 0 : 1);
            }
            int status = 0;
            waitpid(runner, &status, 0);
            int finished = cf_stage_finish(stage, 5000, &err);
            cf_stage_free(stage);
            dprintf(out[1], " %d %d %d", status, finished, rig_is_alone(1000));
            _exit(0);
        }
        char text[100] = "";
        close(out[1]);
        size_t used = 0;
        for (ssize_t got; (got = read(out[0], text + used, sizeof text - 1 - used)) > 0;)
            used += (size_t)got;
        close(out[0]);
        waitpid(child, NULL, 0);
        CHECK_TEXT(text, "-1 0 0 1");
    }
}

CHECK_MAIN
