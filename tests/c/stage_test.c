/* Refusals that last whatever the host does, and what is kept stays live: shadows by tmpfs. */
#include "stage_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

RIG_CASE(a_refused_socket_stays_refused_when_its_daemon_restarts)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/agent.sock");
    rig_mkdir(run_dir);
    int first = rig_listen(path, false);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    for (int round = 0; round < 20; round++) {
        close(first);
        first = rig_listen(path, round % 2);
        for (int ask = 0; ask < 10; ask++)
            SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    }
    SEE_TEXT(rig, rig_ask(&run, "read %s", path), "EACCES");
    close(first);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_listed_socket_that_appears_later_is_refused)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/late.sock");
    rig_mkdir(run_dir);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    int late = rig_listen(path, false);
    for (int ask = 0; ask < 100; ask++)
        SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    close(late);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(an_off_list_socket_is_reachable_before_and_after_its_daemon_restarts)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/db.sock");
    rig_mkdir(run_dir);
    int agent = rig_listen(rig_path(rig, "run/agent.sock"), false);
    int database = rig_listen(path, false);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ok");
    for (int round = 0; round < 6; round++) {
        close(database);
        database = rig_listen(path, round % 2);
        SEE_TEXT(rig, rig_until(&run, "ok", "connect %s", path), "ok");
    }
    close(database);
    unlink(path);
    SEE_TEXT(rig, rig_until(&run, "ENOENT", "connect %s", path), "ENOENT");
    database = rig_listen(path, false);
    SEE_TEXT(rig, rig_until(&run, "ok", "connect %s", path), "ok");
    SEE_TEXT(rig, rig_ask(&run, "connect %s", rig_path(rig, "run/agent.sock")), "ECONNREFUSED");
    close(agent);
    close(database);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_new_off_list_socket_and_file_and_folder_are_put)
{
    const char *run_dir = rig_path(rig, "run");
    rig_mkdir(run_dir);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    int fresh = rig_listen(rig_path(rig, "run/new.sock"), false);
    rig_write(rig_path(rig, "run/new.txt"), "text");
    rig_mkdir(rig_path(rig, "run/folder"));
    rig_write(rig_path(rig, "run/folder/inner"), "deep");
    SEE(rig, symlink("new.txt", rig_path(rig, "run/link")) == 0);
    SEE_TEXT(rig, rig_until(&run, "ok", "connect %s", rig_path(rig, "run/new.sock")), "ok");
    SEE_TEXT(rig, rig_until(&run, "text", "read %s", rig_path(rig, "run/new.txt")), "text");
    SEE_TEXT(rig, rig_until(&run, "text", "read %s", rig_path(rig, "run/link")), "text");
    SEE_TEXT(rig, rig_until(&run, "deep", "read %s", rig_path(rig, "run/folder/inner")),
             "deep");
    /* Live: what happens in a kept folder needs no keeper. */
    rig_write(rig_path(rig, "run/folder/more"), "more");
    SEE_TEXT(rig, rig_ask(&run, "read %s", rig_path(rig, "run/folder/more")), "more");
    SEE_TEXT(rig, rig_ask(&run, "write %s x", rig_path(rig, "run/new.txt")), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s", rig_path(rig, "run/folder/x")), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s", rig_path(rig, "run/x")), "EROFS");
    rig_remove_tree(rig_path(rig, "run/folder"));
    SEE_TEXT(rig, rig_until(&run, "ENOENT", "type %s", rig_path(rig, "run/folder")), "ENOENT");
    close(fresh);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_hidden_file_rewritten_or_made_later_stays_hidden)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/secret");
    rig_mkdir(run_dir);
    rig_write(path, "first");
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "read %s", path), "ENOENT");
    for (int round = 0; round < 50; round++) {
        rig_replace(path, "again");
        SEE_TEXT(rig, rig_ask(&run, "read %s", path), "ENOENT");
    }
    /* Under another name it is the same file. */
    rig_rename(path, rig_path(rig, "run/secret.old"));
    SEE(rig, link(rig_path(rig, "run/secret.old"), rig_path(rig, "run/secret.link")) == 0);
    rig_sleep(50);
    SEE_TEXT(rig, rig_ask(&run, "read %s", rig_path(rig, "run/secret.old")), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "read %s", rig_path(rig, "run/secret.link")), "EACCES");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_name_that_matches_a_refused_pattern_is_refused_whenever_it_comes)
{
    static const struct cf_stage_entry patterns[] = {
        { .name = "S.*", .as = CF_AS_INERT, .glob = true },
        { .name = "*.key", .as = CF_AS_ABSENT, .glob = true },
        { .name = "S.kept", .as = CF_AS_KEEP },
    };
    const char *dir = rig_path(rig, "run");
    rig_mkdir(dir);
    rig_write(rig_path(rig, "run/old.key"), "key");
    rig_write(rig_path(rig, "run/plain"), "plain");
    int early = rig_listen(rig_path(rig, "run/S.early"), false);
    int kept = rig_listen(rig_path(rig, "run/S.kept"), false);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(dir) };
    ops[1].entries = patterns;
    ops[1].count = 3;
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "list %s", dir), "S.kept plain");
    int late = rig_listen(rig_path(rig, "run/S.late"), false);
    rig_write(rig_path(rig, "run/new.key"), "key");
    rig_rename(rig_path(rig, "run/old.key"), rig_path(rig, "run/copy"));
    rig_sleep(50);
    SEE_TEXT(rig, rig_ask(&run, "connect %s/S.late", dir), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/new.key", dir), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/copy", dir), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/S.kept", dir), "ok");
    close(early);
    close(kept);
    close(late);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(another_name_of_a_refused_socket_is_refused_too)
{
    const char *run_dir = rig_path(rig, "run"), *other_dir = rig_path(rig, "run2");
    rig_mkdir(run_dir);
    rig_mkdir(other_dir);
    int agent = rig_listen(rig_path(rig, "run/agent.sock"), false);
    SEE(rig, link(rig_path(rig, "run/agent.sock"), rig_path(rig, "run/a.early")) == 0);
    SEE(rig, link(rig_path(rig, "run/agent.sock"), rig_path(rig, "run2/a.early")) == 0);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir), rig_shadow(other_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "connect %s/a.early", run_dir), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/a.early", other_dir), "ECONNREFUSED");
    SEE(rig, link(rig_path(rig, "run/agent.sock"), rig_path(rig, "run/z.late")) == 0);
    rig_rename(rig_path(rig, "run/agent.sock"), rig_path(rig, "run/moved"));
    for (int ask = 0; ask < 100; ask++) {
        SEE(rig, strcmp(rig_ask(&run, "connect %s/z.late", run_dir), "ok") != 0);
        SEE(rig, strcmp(rig_ask(&run, "connect %s/moved", run_dir), "ok") != 0);
    }
    SEE_TEXT(rig, rig_until(&run, "ECONNREFUSED", "connect %s/moved", run_dir), "ECONNREFUSED");
    close(agent);
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->refused, 2);
    rig_free(&run);
}

RIG_CASE(a_temporary_name_that_becomes_a_refused_one_is_never_put)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/agent.sock");
    rig_mkdir(run_dir);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    for (int round = 0; round < 5; round++) {
        int early = rig_listen(rig_path(rig, "run/agent.sock.tmp"), false);
        for (int ask = 0; ask < 20; ask++)
            SEE_TEXT(rig, rig_ask(&run, "connect %s.tmp", path), "ENOENT");
        rig_rename(rig_path(rig, "run/agent.sock.tmp"), path);
        SEE_TEXT(rig, rig_ask(&run, "connect %s.tmp", path), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
        close(early);
    }
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_secret_is_not_readable_under_the_name_it_is_written_as)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/secret");
    const char *early = rig_path(rig, "run/secret.tmp"), *kept = rig_path(rig, "run/kept");
    rig_mkdir(run_dir);
    rig_write(kept, "1");
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    for (int round = 0; round < 5; round++) {
        rig_write(early, "secret");
        for (int ask = 0; ask < 20; ask++)
            SEE_TEXT(rig, rig_ask(&run, "read %s", early), "ENOENT");
        rig_rename(early, path);
        SEE_TEXT(rig, rig_ask(&run, "read %s", early), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "read %s", path), "ENOENT");
        /* What was there before is put again at once. */
        rig_replace(kept, "2");
        SEE_TEXT(rig, rig_until(&run, "2", "read %s", kept), "2");
    }
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_made_again_is_shadowed_again)
{
    const char *run_dir = rig_path(rig, "run"), *path = rig_path(rig, "run/agent.sock");
    rig_mkdir(run_dir);
    rig_write(rig_path(rig, "run/kept"), "1");
    int agent = rig_listen(path, false);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    rig_rename(run_dir, rig_path(rig, "run.old"));
    rig_mkdir(run_dir);
    rig_write(rig_path(rig, "run/kept"), "2");
    SEE_TEXT(rig, rig_until(&run, "agent.sock kept late.sock", "list %s", run_dir),
             "agent.sock kept late.sock");
    SEE_TEXT(rig, rig_ask(&run, "read %s/kept", run_dir), "2");
    close(agent);
    agent = rig_listen(path, false);
    for (int ask = 0; ask < 50; ask++)
        SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", rig_path(rig, "run.old")),
             "ECONNREFUSED");
    /* Removed altogether, for a while. */
    close(agent);
    rig_remove_tree(run_dir);
    SEE_TEXT(rig, rig_until(&run, "ENOENT", "type %s", run_dir), "ENOENT");
    rig_mkdir(run_dir);
    SEE_TEXT(rig, rig_until(&run, "agent.sock late.sock", "list %s", run_dir),
             "agent.sock late.sock");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_below_a_shadowed_one_is_followed_without_any_window)
{
    const char *run_dir = rig_path(rig, "run"), *user_dir = rig_path(rig, "run/user");
    const char *path = rig_path(rig, "run/user/agent.sock");
    static const struct cf_stage_entry folder[] = { { .name = "user", .as = CF_AS_DIR } };
    rig_mkdir(run_dir);
    struct cf_stage_op above = rig_shadow(run_dir);
    above.entries = folder;
    above.count = 1;
    struct cf_stage_op ops[] = { rig_root(), above, rig_shadow(user_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    /* Absent on the host, yet refused in advance. */
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    for (int round = 0; round < 10; round++) {
        rig_mkdir(user_dir);
        rig_write(rig_path(rig, "run/user/kept"), "here");
        int agent = rig_listen(path, false);
        for (int ask = 0; ask < 20; ask++)
            SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
        SEE_TEXT(rig, rig_until(&run, "here", "read %s/kept", user_dir), "here");
        close(agent);
        if (round % 2)
            rig_rename(user_dir, rig_path(rig, "run/old%d", round));
        else
            rig_remove_tree(user_dir);
        SEE_TEXT(rig, rig_until(&run, "ENOENT", "type %s/kept", user_dir), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
        SEE(rig, strcmp(rig_ask(&run, "connect %s/old%d/agent.sock", run_dir, round), "ok"));
    }
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_mount_that_the_host_makes_later_does_not_appear)
{
    if (!rig->as_root)
        return;
    const char *run_dir = rig_path(rig, "run"), *kept = rig_path(rig, "run/kept");
    rig_mkdir(run_dir);
    rig_mkdir(kept);
    rig_mkdir(rig_path(rig, "plain"));
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(run_dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE(rig, mount("later", kept, "tmpfs", 0, NULL) == 0);
    SEE(rig, mount("later", rig_path(rig, "plain"), "tmpfs", 0, NULL) == 0);
    SEE(rig, mount("later", run_dir, "tmpfs", 0, NULL) == 0);
    rig_write(rig_path(rig, "run/stick"), "x");
    rig_write(rig_path(rig, "plain/stick"), "x");
    rig_sleep(50);
    SEE_TEXT(rig, rig_ask(&run, "list %s", run_dir), "agent.sock kept late.sock");
    SEE_TEXT(rig, rig_ask(&run, "list %s", kept), "(empty)");
    SEE_TEXT(rig, rig_ask(&run, "list %s", rig_path(rig, "plain")), "(empty)");
    rig_stop(rig, &run);
    SEE(rig, umount2(run_dir, MNT_DETACH) == 0 && umount2(kept, MNT_DETACH) == 0 &&
                 umount2(rig_path(rig, "plain"), MNT_DETACH) == 0);
    rig_free(&run);
}

RIG_CASE(sockets_off_the_list_are_inert_where_only_files_are_kept)
{
    const char *run_dir = rig_path(rig, "run");
    rig_mkdir(run_dir);
    rig_write(rig_path(rig, "run/file"), "text");
    int other = rig_listen(rig_path(rig, "run/other.sock"), false);
    int listed = rig_listen(rig_path(rig, "run/listed.sock"), false);
    static const struct cf_stage_entry keep[] = { { .name = "listed.sock", .as = CF_AS_KEEP } };
    struct cf_stage_op only = rig_shadow(run_dir);
    only.others = CF_OTHERS_FILES;
    only.entries = keep;
    only.count = 1;
    struct cf_stage_op ops[] = { rig_root(), only };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "read %s/file", run_dir), "text");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/listed.sock", run_dir), "ok");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/other.sock", run_dir), "ECONNREFUSED");
    close(listed);
    listed = rig_listen(rig_path(rig, "run/listed.sock"), true);
    SEE_TEXT(rig, rig_until(&run, "ok", "connect %s/listed.sock", run_dir), "ok");
    close(other);
    close(listed);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_private_place_is_empty_and_a_socket_bound_into_it_is_followed)
{
    const char *tmp = rig_path(rig, "tmp"), *path = rig_path(rig, "tmp/deep/db.sock");
    rig_mkdir(tmp);
    rig_mkdir(rig_path(rig, "tmp/deep"));
    rig_write(rig_path(rig, "tmp/hosts"), "x");
    int database = rig_listen(path, false);
    struct cf_stage_op ops[] = {
        rig_root(),
        { .kind = CF_STAGE_SHADOW,
          .path = tmp,
          .mode = 01777,
          .writable = true,
          .others = CF_OTHERS_NONE },
        { .kind = CF_STAGE_BIND, .path = path },
    };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "list %s", tmp), "deep");
    SEE_TEXT(rig, rig_ask(&run, "make %s/mine", tmp), "ok");
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ok");
    for (int round = 0; round < 4; round++) {
        close(database);
        database = rig_listen(path, round % 2);
        SEE_TEXT(rig, rig_until(&run, "ok", "connect %s", path), "ok");
    }
    close(database);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_that_cannot_be_searched_is_skipped_and_said_so)
{
    if (rig->as_root || getuid() == 0)
        return;
    /* Nobody else's folder can be made here without root, so one that is always there. */
    struct cf_stage_op ops[] = { rig_root(), rig_shadow("/root/nowhere"),
                                 rig_shadow(rig_path(rig, "none")) };
    if (access("/root", X_OK) == 0)
        return;
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_INT(rig, cf_stage_result(run.stage, 1)->outcome, CF_STAGE_SKIPPED);
    SEE_INT(rig, cf_stage_result(run.stage, 1)->reason, CF_REASON_UNSEARCHABLE);
    SEE_INT(rig, cf_stage_result(run.stage, 2)->outcome, CF_STAGE_SKIPPED);
    SEE_INT(rig, cf_stage_result(run.stage, 2)->reason, CF_REASON_ABSENT);
    /* The keeper does it when it comes. */
    rig_mkdir(rig_path(rig, "none"));
    SEE_TEXT(rig, rig_until(&run, "agent.sock late.sock", "list %s", rig_path(rig, "none")),
             "agent.sock late.sock");
    rig_stop(rig, &run);
    rig_free(&run);
}

CHECK_MAIN
