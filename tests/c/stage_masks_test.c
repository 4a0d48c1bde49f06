/* Masks, the writable place, hard names, and what the stage does not take. */
#include "stage_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

RIG_CASE(a_masked_file_is_masked_again_when_the_host_rewrites_it)
{
    const char *work = rig_path(rig, "work"), *secret = rig_path(rig, "work/.env");
    const char *later = rig_path(rig, "work/late.env"), *dir = rig_path(rig, "work/vault");
    rig_mkdir(work);
    rig_mkdir(dir);
    rig_write(rig_path(rig, "work/vault/key"), "key");
    rig_write(secret, "secret");
    SEE(rig, symlink("/etc/hostname", rig_path(rig, "work/link")) == 0);
    struct cf_stage_op ops[] = {
        rig_root(),
        { .kind = CF_STAGE_BIND, .path = work, .writable = true },
        { .kind = CF_STAGE_HIDE, .path = secret, .mode = CF_STAGE_MODE_OF_HOST },
        { .kind = CF_STAGE_HIDE, .path = later, .mode = CF_STAGE_MODE_OF_HOST },
        { .kind = CF_STAGE_HIDE, .path = dir, .mode = 0555 },
        { .kind = CF_STAGE_HIDE, .path = rig_path(rig, "work/link") },
    };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "read %s", secret), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "list %s", dir), "(empty)");
    SEE_TEXT(rig, rig_ask(&run, "read %s/link", work), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "make %s/mine", work), "ok");
    for (int round = 0; round < 5; round++) {
        rig_replace(secret, "again");
        SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s", secret), "EACCES");
    }
    rig_write(later, "late");
    SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s", later), "EACCES");
    rig_rename(dir, rig_path(rig, "work/vault.old"));
    rig_mkdir(dir);
    rig_write(rig_path(rig, "work/vault/key"), "key");
    SEE_TEXT(rig, rig_until(&run, "(empty)", "list %s", dir), "(empty)");
    SEE_TEXT(rig, rig_ask(&run, "read %s/key", rig_path(rig, "work/vault.old")), "ENOENT");
    rig_stop(rig, &run);
    SEE(rig, cf_stage_report(run.stage)->pinned >= 7);
    rig_free(&run);
}

RIG_CASE(a_folder_of_masks_is_the_hosts_but_for_the_names_that_are_refused)
{
    static const struct cf_stage_entry entries[] = { { .name = "secret", .as = CF_AS_INERT },
                                                     { .name = "vault", .as = CF_AS_ABSENT },
                                                     { .name = "late", .as = CF_AS_INERT } };
    const char *dir = rig_path(rig, "dir");
    rig_mkdir(dir);
    rig_mkdir(rig_path(rig, "dir/vault"));
    rig_write(rig_path(rig, "dir/vault/key"), "key");
    rig_write(rig_path(rig, "dir/secret"), "secret");
    rig_write(rig_path(rig, "dir/plain"), "plain");
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(dir) };
    ops[1].by = CF_BY_MASK;
    ops[1].entries = entries;
    ops[1].count = 3;
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    char mounts[32];
    SEE_TEXT(rig, rig_ask(&run, "read %s/plain", dir), "plain");
    SEE_TEXT(rig, rig_ask(&run, "read %s/secret", dir), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "list %s/vault", dir), "EACCES");
    for (int round = 0; round < 5; round++) {
        rig_replace(rig_path(rig, "dir/secret"), "again");
        SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s/secret", dir), "EACCES");
    }
    rig_write(rig_path(rig, "dir/late"), "late");
    SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s/late", dir), "EACCES");
    snprintf(mounts, sizeof mounts, "%s", rig_ask(&run, "mounts"));
    for (int round = 0; round < 5; round++) {
        rig_rename(rig_path(rig, "dir/vault"), rig_path(rig, "dir/v2"));
        rig_rename(rig_path(rig, "dir/v2"), rig_path(rig, "dir/vault"));
    }
    rig_sleep(50);
    SEE_TEXT(rig, rig_ask(&run, "mounts"), mounts);
    SEE_TEXT(rig, rig_ask(&run, "list %s/vault", dir), "EACCES");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_with_masks_of_its_own_shows_in_a_hidden_one)
{
    static const struct cf_stage_entry secret[] = { { .name = "secret", .as = CF_AS_INERT } };
    const char *vault = rig_path(rig, "vault"), *shown = rig_path(rig, "vault/shown");
    rig_mkdir(vault);
    rig_mkdir(shown);
    rig_write(rig_path(rig, "vault/shown/plain"), "plain");
    rig_write(rig_path(rig, "vault/shown/secret"), "secret");
    struct cf_stage_op ops[] = {
        rig_root(),
        { .kind = CF_STAGE_SHADOW, .path = vault, .others = CF_OTHERS_NONE, .mode = 0111 },
        { .kind = CF_STAGE_BIND, .path = shown },
        { .kind = CF_STAGE_SHADOW,
          .path = shown,
          .by = CF_BY_MASK,
          .mode = CF_STAGE_MODE_OF_HOST,
          RIG_ENTRIES(secret) }
    };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    /* Another name in the hidden folder makes the keeper look at it. */
    rig_mkdir(rig_path(rig, "vault/new"));
    rig_sleep(100);
    SEE_TEXT(rig, rig_ask(&run, "read %s/plain", shown), "plain");
    SEE_TEXT(rig, rig_ask(&run, "read %s/secret", shown), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "list %s/new", vault), "ENOENT");
    /* Under another name it is still what has refused names in it. */
    rig_rename(shown, rig_path(rig, "vault/moved"));
    rig_sleep(100);
    SEE_TEXT(rig, rig_ask(&run, "read %s/moved/secret", vault), "ENOTDIR");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_name_that_comes_in_a_protected_folder_is_masked_too)
{
    static const struct cf_stage_entry entries[] = { { .name = "late", .as = CF_AS_ABSENT },
                                                     { .name = "vault", .as = CF_AS_ABSENT } };
    const char *work = rig_path(rig, "work"), *dir = rig_path(rig, "work/dir");
    rig_mkdir(work);
    rig_mkdir(dir);
    struct cf_stage_op ops[] = { rig_root(),
                                 { .kind = CF_STAGE_BIND, .path = work, .writable = true },
                                 { .kind = CF_STAGE_SHADOW,
                                   .path = dir,
                                   .by = CF_BY_MASK,
                                   .mode = CF_STAGE_MODE_OF_HOST,
                                   RIG_ENTRIES(entries) },
                                 { .kind = CF_STAGE_PROTECT, .path = dir, .folder = true } };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    rig_write(rig_path(rig, "work/dir/late"), "late");
    rig_mkdir(rig_path(rig, "work/dir/vault"));
    SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s/late", dir), "EACCES");
    SEE_TEXT(rig, rig_until(&run, "EACCES", "list %s/vault", dir), "EACCES");
    /* And in the one that the host makes in its place. */
    rig_mkdir(rig_path(rig, "work/new"));
    rig_write(rig_path(rig, "work/new/late"), "late");
    rig_rename(dir, rig_path(rig, "work/old"));
    rig_rename(rig_path(rig, "work/new"), dir);
    SEE_TEXT(rig, rig_until(&run, "EACCES", "read %s/late", dir), "EACCES");
    rig_mkdir(rig_path(rig, "work/dir/vault"));
    SEE_TEXT(rig, rig_until(&run, "EACCES", "list %s/vault", dir), "EACCES");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(the_writable_place_is_the_file_that_the_plan_saw_or_nothing_starts)
{
    rig_mkdir(rig_path(rig, "work"));
    struct stat st;
    SEE(rig, stat(rig_path(rig, "work"), &st) == 0);
    struct cf_stage_op ops[] = { rig_root(),
                                 { .kind = CF_STAGE_BIND,
                                   .path = rig_path(rig, "work"),
                                   .writable = true,
                                   .expected = true,
                                   .dev = st.st_dev,
                                   .ino = st.st_ino + 1 } };
    struct cf_error err = { 0 };
    int out[2];
    SEE(rig, pipe(out) == 0);
    struct cf_stage *stage = cf_stage_new(RIG_OPS(ops), NULL, &err);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int got = cf_stage_prepare(stage, &err);
        dprintf(out[1], "%d %s", got, err.message);
        _exit(0);
    }
    close(out[1]);
    char text[300] = "", wanted[300];
    rig_sleep(50);
    SEE(rig, read(out[0], text, sizeof text - 1) > 0);
    close(out[0]);
    snprintf(wanted, sizeof wanted, "-1 %s is no longer the file that the plan was made for",
             rig_path(rig, "work"));
    SEE_TEXT(rig, text, wanted);
    SEE_INT(rig, cf_stage_finish(stage, 2000, &err), 0);
    cf_stage_free(stage);
    SEE(rig, rig_is_alone(1000));
}

RIG_CASE(names_that_are_hard_to_write_are_kept_and_refused_alike)
{
    static const char *const names[] = { "with space", "tab\there", "back\\slash", "\xff\xfe",
                                         "-dash",      "(deleted)", "a\\040b",     "\xc3\xa9" };
    const size_t count = sizeof names / sizeof *names;
    struct cf_stage_entry entries[8];
    const char *dir = rig_path(rig, "run"), *other = rig_path(rig, "kept");
    rig_mkdir(dir);
    rig_mkdir(other);
    for (size_t k = 0; k < count; k++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        rig_write(path, "refused");
        snprintf(path, sizeof path, "%s/%s", other, names[k]);
        rig_write(path, "kept");
        entries[k] = (struct cf_stage_entry){ .name = names[k], .as = CF_AS_ABSENT };
    }
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(other), rig_shadow(dir) };
    ops[1].count = 0;
    ops[2].entries = entries;
    ops[2].count = count;
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "list %s", dir), "(empty)");
    SEE_INT(rig, cf_stage_report(run.stage)->kept, count);
    SEE_TEXT(
        rig,
        rig_ask(&run, "sh %s cat ./* | tr -d '\\n' | grep -c '^\\(kept\\)\\{8\\}$'", other),
        "0");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(without_inotify_the_keeper_looks_every_quarter_of_a_second)
{
    rig_refuse(SYS_inotify_init1, EMFILE);
    const char *dir = rig_path(rig, "run"), *path = rig_path(rig, "run/db.sock");
    rig_mkdir(dir);
    int database = rig_listen(path, false);
    struct cf_stage_op ops[] = { rig_root(), rig_shadow(dir) };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    close(database);
    database = rig_listen(path, false);
    SEE_TEXT(rig, rig_until(&run, "ok", "connect %s", path), "ok");
    close(database);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_storm_of_names_in_the_writable_place_does_not_keep_the_keeper_from_its_work)
{
    const char *work = rig_path(rig, "work"), *config = rig_path(rig, "work/config");
    rig_mkdir(work);
    rig_write(config, "1");
    struct cf_stage_op ops[] = { rig_root(),
                                 { .kind = CF_STAGE_BIND, .path = work, .writable = true },
                                 { .kind = CF_STAGE_PROTECT, .path = config } };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    for (int k = 0; k < 4; k++)
        rig_ask(&run,
                "sh %s sh -c 'while :; do : >n%d; mv n%d m%d; rm m%d; done' >/dev/null 2>&1 &",
                work, k, k, k, k);
    for (int round = 0; round < 10; round++) {
        rig_sleep(30);
        rig_replace(config, "2");
        SEE_TEXT(rig, rig_until(&run, "EROFS", "write %s evil", config), "EROFS");
    }
    rig_stop(rig, &run);
    SEE(rig, cf_stage_report(run.stage)->pinned >= 10);
    rig_free(&run);
}

CHECK_CASE(operations_that_break_the_rules_are_not_taken)
{
    static const char *const paths[] = { "relative", "/a//b", "/a/../b", "/a/", "/a/.", "" };
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        struct cf_error err = { 0 };
        struct cf_stage_op op = { .kind = CF_STAGE_HIDE, .path = paths[k] };
        CHECK(cf_stage_new(&op, 1, NULL, &err) == NULL);
        CHECK_HOLDS(err.message, "stage path");
    }
    static const char *const names[] = { "", ".", "..", "a/b" };
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct cf_error err = { 0 };
        struct cf_stage_entry entry = { .name = names[k], .as = CF_AS_INERT };
        struct cf_stage_op op = {
            .kind = CF_STAGE_SHADOW, .path = "/x", .entries = &entry, .count = 1
        };
        CHECK(cf_stage_new(&op, 1, NULL, &err) == NULL);
        CHECK_TEXT(err.message, "entry of the shadow of /x: Invalid argument");
    }
}

CHECK_MAIN
