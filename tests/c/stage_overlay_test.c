/* Big folders by overlay, and folders whose changes stay with the run. */
#include "stage_rig.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cf_stage_entry home_entries[] = {
    { .name = ".config", .as = CF_AS_DIR },
    { .name = ".netrc", .as = CF_AS_ABSENT },
    { .name = "agent.sock", .as = CF_AS_INERT },
    { .name = "late.sock", .as = CF_AS_INERT }
};
static const struct cf_stage_entry config_entries[] = { { .name = "gh", .as = CF_AS_DIR } };
static const struct cf_stage_entry gh_entries[] = { { .name = "hosts.yml",
                                                      .as = CF_AS_ABSENT } };

/* A home with 300 files, of which three folders deep one name is hidden. */
static size_t draw_home(struct rig *rig, struct cf_stage_op *ops)
{
    const char *home = rig_path(rig, "home");
    rig_mkdir(home);
    rig_mkdir(rig_path(rig, "home/.config"));
    rig_mkdir(rig_path(rig, "home/.config/gh"));
    rig_write(rig_path(rig, "home/.config/gh/hosts.yml"), "token");
    rig_write(rig_path(rig, "home/.config/gh/plain"), "plain");
    rig_write(rig_path(rig, "home/.netrc"), "password");
    for (int k = 0; k < 300; k++)
        rig_write(rig_path(rig, "home/file%d", k), "text");
    struct cf_stage_op shadow = { .kind = CF_STAGE_SHADOW,
                                  .by = CF_BY_OVERLAY,
                                  .mode = CF_STAGE_MODE_OF_HOST };
    ops[0] = rig_root();
    for (int k = 1; k < 4; k++)
        ops[k] = shadow;
    ops[1].path = home;
    ops[1].entries = home_entries;
    ops[1].count = 4;
    ops[2].path = rig_path(rig, "home/.config");
    ops[2].entries = config_entries;
    ops[2].count = 1;
    ops[3].path = rig_path(rig, "home/.config/gh");
    ops[3].entries = gh_entries;
    ops[3].count = 1;
    return 4;
}

RIG_CASE(an_overlaid_folder_shows_all_but_what_is_refused_whatever_the_host_does)
{
    struct cf_stage_op ops[4];
    size_t count = draw_home(rig, ops);
    const char *home = rig_path(rig, "home");
    int agent = rig_listen(rig_path(rig, "home/agent.sock"), false);
    int other = rig_listen(rig_path(rig, "home/other.sock"), false);
    struct rig_run run;
    rig_start(rig, &run, ops, count);
    for (size_t k = 1; k < count; k++)
        SEE_INT(rig, cf_stage_result(run.stage, k)->outcome, CF_STAGE_DONE);
    SEE_INT(rig, cf_stage_result(run.stage, 1)->reason, CF_REASON_NONE);
    SEE_TEXT(rig, rig_ask(&run, "read %s/file7", home), "text");
    SEE_TEXT(rig, rig_ask(&run, "make %s/mine", home), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.netrc", home), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/hosts.yml", home), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/plain", home), "plain");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", home), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/late.sock", home), "ECONNREFUSED");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/other.sock", home), "ok");
    for (int round = 0; round < 10; round++) {
        rig_replace(rig_path(rig, "home/.netrc"), "again");
        rig_replace(rig_path(rig, "home/.config/gh/hosts.yml"), "again");
        close(agent);
        agent = rig_listen(rig_path(rig, "home/agent.sock"), round % 2);
        SEE_TEXT(rig, rig_ask(&run, "read %s/.netrc", home), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/hosts.yml", home), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", home), "ECONNREFUSED");
    }
    rig_sleep(30);
    SEE_TEXT(rig, rig_ask(&run, "connect %s/agent.sock", home), "ECONNREFUSED");
    int late = rig_listen(rig_path(rig, "home/late.sock"), false);
    SEE_TEXT(rig, rig_ask(&run, "connect %s/late.sock", home), "ECONNREFUSED");
    close(agent);
    close(other);
    close(late);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(what_the_host_replaces_in_an_overlaid_folder_is_seen)
{
    struct cf_stage_op ops[4];
    size_t count = draw_home(rig, ops);
    const char *home = rig_path(rig, "home");
    int other = rig_listen(rig_path(rig, "home/other.sock"), false);
    struct rig_run run;
    rig_start(rig, &run, ops, count);
    SEE_TEXT(rig, rig_ask(&run, "read %s/file7", home), "text");
    rig_replace(rig_path(rig, "home/file7"), "new");
    SEE_TEXT(rig, rig_until(&run, "new", "read %s/file7", home), "new");
    rig_replace(rig_path(rig, "home/file7"), "newer");
    SEE_TEXT(rig, rig_until(&run, "newer", "read %s/file7", home), "newer");
    rig_replace(rig_path(rig, "home/.config/gh/plain"), "inner");
    SEE_TEXT(rig, rig_until(&run, "inner", "read %s/.config/gh/plain", home), "inner");
    rig_write(rig_path(rig, "home/fresh"), "fresh");
    SEE_TEXT(rig, rig_until(&run, "fresh", "read %s/fresh", home), "fresh");
    for (int round = 0; round < 4; round++) {
        close(other);
        other = rig_listen(rig_path(rig, "home/other.sock"), round % 2);
        SEE_TEXT(rig, rig_until(&run, "ok", "connect %s/other.sock", home), "ok");
    }
    close(other);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_renamed_under_an_overlay_does_not_show_what_it_hid)
{
    struct cf_stage_op ops[4];
    size_t count = draw_home(rig, ops);
    const char *home = rig_path(rig, "home");
    struct rig_run run;
    rig_start(rig, &run, ops, count);
    rig_rename(rig_path(rig, "home/.config"), rig_path(rig, "home/.config.old"));
    rig_sleep(50);
    SEE(rig, strcmp(rig_ask(&run, "read %s/.config.old/gh/hosts.yml", home), "token") != 0);
    rig_mkdir(rig_path(rig, "home/.config"));
    rig_mkdir(rig_path(rig, "home/.config/gh"));
    rig_write(rig_path(rig, "home/.config/gh/hosts.yml"), "token");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/hosts.yml", home), "ENOENT");
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_writable_place_and_a_tmpfs_shadow_lie_well_on_an_overlay)
{
    struct cf_stage_op ops[8];
    size_t count = draw_home(rig, ops);
    const char *home = rig_path(rig, "home");
    rig_mkdir(rig_path(rig, "home/work"));
    rig_mkdir(rig_path(rig, "home/.ssh"));
    rig_write(rig_path(rig, "home/.ssh/id"), "key");
    rig_mkdir(rig_path(rig, "home/cache"));
    ops[count++] = (struct cf_stage_op){ .kind = CF_STAGE_SHADOW,
                                         .path = rig_path(rig, "home/.ssh"),
                                         .mode = 0,
                                         .others = CF_OTHERS_NONE };
    ops[count++] =
        (struct cf_stage_op){ .kind = CF_STAGE_PRIVATE, .path = rig_path(rig, "home/cache") };
    ops[count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                         .path = rig_path(rig, "home/work"),
                                         .writable = true };
    struct rig_run run;
    rig_start(rig, &run, ops, count);
    SEE_TEXT(rig, rig_ask(&run, "read %s/.ssh/id", home), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "make %s/work/mine", home), "ok");
    SEE_TEXT(rig, rig_ask(&run, "make %s/cache/mine", home), "ok");
    SEE(rig, access(rig_path(rig, "home/work/mine"), F_OK) == 0);
    SEE(rig, access(rig_path(rig, "home/cache/mine"), F_OK) < 0);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_folder_with_a_mount_below_is_shadowed_by_tmpfs_instead)
{
    if (!rig->as_root)
        return;
    struct cf_stage_op ops[4];
    size_t count = draw_home(rig, ops);
    const char *home = rig_path(rig, "home");
    rig_mkdir(rig_path(rig, "home/stick"));
    SEE(rig, mount("stick", rig_path(rig, "home/stick"), "tmpfs", 0, NULL) == 0);
    rig_write(rig_path(rig, "home/stick/f"), "on it");
    struct rig_run run;
    rig_start(rig, &run, ops, count);
    for (size_t k = 1; k < count; k++) {
        SEE_INT(rig, cf_stage_result(run.stage, k)->outcome, CF_STAGE_DONE);
        SEE_INT(rig, cf_stage_result(run.stage, k)->reason, CF_REASON_NO_OVERLAY);
    }
    SEE_TEXT(rig, rig_ask(&run, "read %s/stick/f", home), "on it");
    SEE_TEXT(rig, rig_ask(&run, "read %s/file299", home), "text");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.netrc", home), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/hosts.yml", home), "ENOENT");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.config/gh/plain", home), "plain");
    SEE_TEXT(rig, rig_ask(&run, "connect %s/late.sock", home), "ECONNREFUSED");
    rig_stop(rig, &run);
    SEE(rig, umount2(rig_path(rig, "home/stick"), MNT_DETACH) == 0);
    rig_free(&run);
}

RIG_CASE(what_is_written_to_a_private_folder_stays_with_the_run)
{
    const char *cache = rig_path(rig, "cache");
    rig_mkdir(cache);
    rig_mkdir(rig_path(rig, "cache/sub"));
    rig_write(rig_path(rig, "cache/old"), "old");
    rig_write(rig_path(rig, "cache/sub/inner"), "inner");
    struct cf_stage_op ops[] = { rig_root(), { .kind = CF_STAGE_PRIVATE, .path = cache } };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_INT(rig, cf_stage_result(run.stage, 1)->outcome, CF_STAGE_DONE);
    SEE_TEXT(rig, rig_ask(&run, "read %s/old", cache), "old");
    SEE_TEXT(rig, rig_ask(&run, "write %s/old changed", cache), "ok");
    SEE_TEXT(rig, rig_ask(&run, "unlink %s/sub/inner", cache), "ok");
    SEE_TEXT(rig, rig_ask(&run, "rmdir %s/sub", cache), "ok");
    SEE_TEXT(rig, rig_ask(&run, "mkdir %s/sub", cache), "ok");
    SEE_TEXT(rig, rig_ask(&run, "list %s", rig_path(rig, "cache/sub")), "(empty)");
    SEE_TEXT(rig, rig_ask(&run, "make %s/new", cache), "ok");
    rig_stop(rig, &run);
    rig_free(&run);
    SEE(rig, access(rig_path(rig, "cache/new"), F_OK) < 0);
    SEE(rig, access(rig_path(rig, "cache/sub/inner"), F_OK) == 0);
}

RIG_CASE(a_private_folder_with_a_mount_below_is_empty_and_all_its_own)
{
    if (!rig->as_root)
        return;
    const char *cache = rig_path(rig, "cache");
    rig_mkdir(cache);
    rig_mkdir(rig_path(rig, "cache/stick"));
    SEE(rig, mount("stick", rig_path(rig, "cache/stick"), "tmpfs", 0, NULL) == 0);
    struct cf_stage_op ops[] = { rig_root(), { .kind = CF_STAGE_PRIVATE, .path = cache } };
    struct rig_run run;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_INT(rig, cf_stage_result(run.stage, 1)->reason, CF_REASON_NO_LAYER);
    SEE_TEXT(rig, rig_ask(&run, "list %s", cache), "(empty)");
    SEE_TEXT(rig, rig_ask(&run, "make %s/new", cache), "ok");
    rig_stop(rig, &run);
    SEE(rig, umount2(rig_path(rig, "cache/stick"), MNT_DETACH) == 0);
    rig_free(&run);
    SEE(rig, access(rig_path(rig, "cache/new"), F_OK) < 0);
}

RIG_CASE(a_kept_layer_is_there_again_and_serves_one_run_at_a_time)
{
    const char *cache = rig_path(rig, "cache"), *layer = rig_path(rig, "layer");
    rig_mkdir(cache);
    rig_mkdir(layer);
    struct cf_stage_op ops[] = { rig_root(),
                                 { .kind = CF_STAGE_PRIVATE, .path = cache, .keep = layer } };
    struct rig_run run, busy;
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "make %s/new", cache), "ok");
    rig_start(rig, &busy, RIG_OPS(ops));
    SEE_INT(rig, cf_stage_result(busy.stage, 1)->outcome, CF_STAGE_WEAKER);
    SEE_INT(rig, cf_stage_result(busy.stage, 1)->reason, CF_REASON_LAYER_BUSY);
    SEE_TEXT(rig, rig_ask(&busy, "list %s", cache), "(empty)");
    SEE_TEXT(rig, rig_ask(&busy, "make %s/lost", cache), "ok");
    rig_stop(rig, &busy);
    rig_stop(rig, &run);
    rig_free(&run);
    rig_free(&busy);
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "list %s", cache), "new");
    rig_stop(rig, &run);
    rig_free(&run);
    SEE(rig, access(rig_path(rig, "cache/new"), F_OK) < 0);
}

RIG_CASE(an_absent_private_folder_is_made_where_its_parent_is_shadowed)
{
    const char *home = rig_path(rig, "home"), *cache = rig_path(rig, "home/.npm");
    static const struct cf_stage_entry made[] = { { .name = ".npm", .as = CF_AS_DIR } };
    for (int by = CF_BY_TMPFS; by <= CF_BY_OVERLAY; by++) {
        rig_mkdir(home);
        struct cf_stage_op ops[] = { rig_root(),
                                     { .kind = CF_STAGE_SHADOW,
                                       .path = home,
                                       .by = (enum cf_stage_by)by,
                                       .mode = CF_STAGE_MODE_OF_HOST,
                                       RIG_ENTRIES(made) },
                                     { .kind = CF_STAGE_PRIVATE, .path = cache } };
        struct rig_run run;
        rig_start(rig, &run, RIG_OPS(ops));
        SEE_INT(rig, cf_stage_result(run.stage, 2)->outcome, CF_STAGE_DONE);
        SEE_TEXT(rig, rig_ask(&run, "make %s/new", cache), "ok");
        rig_stop(rig, &run);
        rig_free(&run);
        SEE(rig, access(cache, F_OK) < 0);
        rig_remove_tree(home);
    }
}

CHECK_MAIN
