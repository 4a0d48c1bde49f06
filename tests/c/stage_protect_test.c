/* Names in the writable place that the command can read but neither write nor replace. */
#include "stage_rig.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cf_stage_op ops[16];
static size_t op_count;

static void writable_root(const struct rig *rig)
{
    op_count = 0;
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_ROOT, .path = "/" };
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                            .path = rig_path(rig, "work"),
                                            .writable = true };
}

static void protect(const struct rig *rig, const char *name, bool folder, const char *content)
{
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_PROTECT,
                                            .path = rig_path(rig, "work/%s", name),
                                            .folder = folder,
                                            .content = content };
}

static void host_git(const struct rig *rig, const char *command)
{
    char line[600];
    snprintf(line, sizeof line,
             "cd %s/work && export HOME=%s GIT_CONFIG_NOSYSTEM=1 && (%s) >/dev/null 2>&1",
             rig->base, rig->base, command);
    if (system(line) != 0)
        printf("    the host's `%s` failed\n", command);
}

static bool has_git(void)
{
    return access("/usr/bin/git", X_OK) == 0;
}

RIG_CASE(a_protected_name_can_be_read_but_not_written_or_replaced)
{
    rig_mkdir(rig_path(rig, "work"));
    rig_mkdir(rig_path(rig, "work/.git"));
    rig_mkdir(rig_path(rig, "work/.git/hooks"));
    rig_write(rig_path(rig, "work/.git/config"), "config");
    rig_write(rig_path(rig, "work/.git/hooks/pre"), "hook");
    writable_root(rig);
    protect(rig, ".git/config", false, NULL);
    protect(rig, ".git/hooks", true, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *work = rig_path(rig, "work");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.git/config", work), "config");
    SEE_TEXT(rig, rig_ask(&run, "write %s/.git/config evil", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "unlink %s/.git/config", work), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "make %s/mine", work), "ok");
    SEE_TEXT(rig, rig_ask(&run, "rename %s/mine %s/.git/config", work, work), "EXDEV");
    SEE_TEXT(rig, rig_ask(&run, "make %s/.git/mine", work), "ok");
    SEE_TEXT(rig, rig_ask(&run, "rename %s/.git/mine %s/.git/config", work, work), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "write %s/.git/hooks/pre evil", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s/.git/hooks/post", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "rename %s/.git/hooks %s/.git/h2", work, work), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "rename %s/.git %s/g2", work, work), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "rename %s %s2", work, work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "link %s/.git/config %s/.git/alias", work, work), "EXDEV");
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&run);
}

RIG_CASE(an_absent_protected_name_cannot_be_made_and_leaves_nothing_on_the_host)
{
    rig_mkdir(rig_path(rig, "work"));
    rig_mkdir(rig_path(rig, "work/.git"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    protect(rig, ".git/commondir", false, ".");
    protect(rig, ".git/hooks", true, NULL);
    protect(rig, ".vscode/settings.json", false, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *work = rig_path(rig, "work");
    SEE_TEXT(rig, rig_list(rig, "work"), ".envrc .git .vscode");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.git/commondir", work), ".");
    SEE_TEXT(rig, rig_ask(&run, "write %s/.git/commondir /evil", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "write %s/.envrc evil", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "unlink %s/.envrc", work), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "make %s/.git/hooks/pre", work), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s/.vscode/tasks.json", work), "ok");
    SEE_TEXT(rig, rig_ask(&run, "unlink %s/.vscode/tasks.json", work), "ok");
    SEE_INT(rig, cf_stage_report(run.stage)->placeholders, 5);
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->left, 0);
    SEE_TEXT(rig, rig_list(rig, "work"), ".git");
    SEE_TEXT(rig, rig_list(rig, "work/.git"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&run);
}

RIG_CASE(a_folder_that_stands_for_an_absent_name_can_say_what_git_ignores_in_it)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".claude", true, "*");
    protect(rig, ".vscode", true, "*");
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *claude = rig_path(rig, "work/.claude");
    SEE_TEXT(rig, rig_ask(&run, "read %s/.gitignore", claude), "*");
    SEE_TEXT(rig, rig_ask(&run, "write %s/.gitignore evil", claude), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "unlink %s/.gitignore", claude), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "make %s/mine", claude), "EROFS");
    /* What the host puts beside it stays, without it. */
    rig_write(rig_path(rig, "work/.vscode/settings.json"), "{}");
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->left, 1);
    SEE_TEXT(rig, rig_list(rig, "work"), ".vscode");
    SEE_TEXT(rig, rig_list(rig, "work/.vscode"), "settings.json");
    rig_free(&run);
}

RIG_CASE(a_placeholder_that_the_host_has_filled_stays)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    protect(rig, ".git/hooks", true, NULL);
    protect(rig, ".gone", false, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    rig_write(rig_path(rig, "work/.envrc"), "export X=1");
    rig_write(rig_path(rig, "work/.git/HEAD"), "ref");
    /* Taken away by the host it comes back, as long as the run lasts; nothing is written, since
     * for a moment that would succeed. */
    SEE(rig, unlink(rig_path(rig, "work/.gone")) == 0);
    SEE_TEXT(rig, rig_until(&run, "EROFS", "write %s", rig_path(rig, "work/.gone")), "EROFS");
    rig_sleep(400);
    int lock = open(rig_path(rig, "records/lock"), O_RDWR | O_CLOEXEC);
    SEE(rig, lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
    close(lock);
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->left, 2);
    SEE_TEXT(rig, rig_list(rig, "work"), ".envrc .git");
    SEE_TEXT(rig, rig_list(rig, "work/.git"), "HEAD");
    rig_free(&run);
}

RIG_CASE(a_run_without_the_records_to_itself_for_a_moment_does_not_start)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    char lock_path[300], text[400] = "", wanted[400];
    snprintf(lock_path, sizeof lock_path, "%s/records/lock", rig->base);
    int held = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), out[2];
    SEE(rig, held >= 0 && flock(held, LOCK_EX) == 0 && pipe2(out, O_CLOEXEC) == 0);
    struct cf_error err = { 0 };
    struct cf_stage *stage = cf_stage_new(ops, op_count, rig_path(rig, "records"), &err);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int got = cf_stage_prepare(stage, &err);
        dprintf(out[1], "%d %s", got, err.message);
        _exit(0);
    }
    close(out[1]);
    SEE(rig, read(out[0], text, sizeof text - 1) > 0);
    close(out[0]);
    snprintf(wanted, sizeof wanted,
             "-1 protect %s/work/.envrc: the records of other runs in %s/records are locked: "
             "Resource temporarily unavailable",
             rig->base, rig->base);
    SEE_TEXT(rig, text, wanted);
    close(held);
    SEE_INT(rig, cf_stage_finish(stage, 2000, &err), 0);
    cf_stage_free(stage);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
}

RIG_CASE(thousands_of_absent_names_are_made_and_taken_away_in_a_moment)
{
    enum { MANY = 2000 };
    static struct cf_stage_op many[MANY + 2];
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    memcpy(many, ops, 2 * sizeof *ops);
    for (int k = 0; k < MANY; k++)
        many[k + 2] = (struct cf_stage_op){ .kind = CF_STAGE_PROTECT,
                                            .path = rig_path(rig, "work/d%04d", k) };
    struct cf_error err = { 0 };
    struct cf_stage *stages[2];
    pid_t children[2];
    for (int k = 0; k < 2; k++) {
        stages[k] = cf_stage_new(many, MANY + 2, rig_path(rig, "records"), &err);
        fflush(stdout);
        children[k] = fork();
        if (children[k] == 0) {
            if (cf_stage_prepare(stages[k], &err) == 0)
                pause();
            _exit(1);
        }
        cf_stage_watch(stages[k]);
        const struct cf_stage_result *last = cf_stage_result(stages[k], MANY + 1);
        for (int waited = 0; waited < 10000 && last->outcome == CF_STAGE_PENDING; waited += 5)
            rig_sleep(5);
        SEE_INT(rig, last->outcome, CF_STAGE_DONE);
        SEE_INT(rig, cf_stage_report(stages[k])->placeholders, k == 0 ? MANY : 0);
    }
    /* The first to end leaves what the second shares. */
    for (int k = 0; k < 2; k++) {
        kill(children[k], SIGKILL);
        waitpid(children[k], NULL, 0);
        SEE_INT(rig, cf_stage_finish(stages[k], 3000, &err), 0);
        SEE_INT(rig, access(rig_path(rig, "work/d0000"), F_OK), k == 0 ? 0 : -1);
        cf_stage_free(stages[k]);
    }
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
}

RIG_CASE(what_the_host_rewrites_is_protected_again)
{
    rig_mkdir(rig_path(rig, "work"));
    rig_mkdir(rig_path(rig, "work/.git"));
    rig_write(rig_path(rig, "work/.git/config"), "1");
    writable_root(rig);
    protect(rig, ".git/config", false, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *config = rig_path(rig, "work/.git/config");
    for (int round = 0; round < 10; round++) {
        rig_replace(config, "2");
        SEE_TEXT(rig, rig_until(&run, "EROFS", "write %s evil", config), "EROFS");
    }
    /* The whole folder away and made again. */
    rig_rename(rig_path(rig, "work/.git"), rig_path(rig, "work/.git.old"));
    /* The keeper may be first with a placeholder, as it must be before the command. */
    mkdir(rig_path(rig, "work/.git"), 0755);
    rig_replace(config, "3");
    SEE_TEXT(rig, rig_until(&run, "EROFS", "write %s evil", config), "EROFS");
    SEE_TEXT(rig,
             rig_until(&run, "EBUSY", "rename %s %s.x", rig_path(rig, "work/.git"),
                       rig_path(rig, "work/.git")),
             "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "write %s evil", rig_path(rig, "work/.git.old/config")),
             "EROFS");
    rig_stop(rig, &run);
    SEE(rig, cf_stage_report(run.stage)->pinned >= 11);
    rig_free(&run);
}

RIG_CASE(two_runs_in_one_tree_share_what_stands_for_absent_names)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    protect(rig, ".git/commondir", false, ".");
    const char *envrc = rig_path(rig, "work/.envrc");
    struct rig_run first, second;
    rig_start(rig, &first, ops, op_count);
    rig_start(rig, &second, ops, op_count);
    SEE_INT(rig, cf_stage_report(second.stage)->placeholders, 0);
    rig_stop(rig, &first);
    SEE_TEXT(rig, rig_list(rig, "work"), ".envrc .git");
    SEE_TEXT(rig, rig_list(rig, "work/.git"), "commondir");
    SEE_TEXT(rig, rig_ask(&second, "write %s evil", envrc), "EROFS");
    /* They were never away, so the second keeper had none to make. */
    rig_sleep(20);
    SEE_INT(rig, cf_stage_report(second.stage)->placeholders, 0);
    SEE_TEXT(rig, rig_ask(&second, "unlink %s", envrc), "EBUSY");
    rig_stop(rig, &second);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&first);
    rig_free(&second);
}

RIG_CASE(what_a_killed_keeper_left_is_swept_by_the_next_run)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    protect(rig, ".mine", false, NULL);
    protect(rig, ".git/hooks", true, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    struct cf_error err = { 0 };
    SEE(rig, kill(cf_stage_report(run.stage)->keeper, SIGKILL) == 0);
    SEE_INT(rig, cf_stage_finish(run.stage, 2000, &err), -1);
    SEE_TEXT(rig, err.message, "the keeper was killed");
    kill(run.child, SIGKILL);
    close(run.to);
    close(run.from);
    SEE(rig, rig_is_alone(2000));
    SEE_TEXT(rig, rig_list(rig, "work"), ".envrc .git .mine");
    rig_write(rig_path(rig, "work/.mine"), "not yours");
    cf_stage_free(run.stage);
    SEE_INT(rig, cf_stage_sweep(rig_path(rig, "records"), &err), 0);
    SEE_TEXT(rig, rig_list(rig, "work"), ".mine");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
}

RIG_CASE(a_link_at_a_protected_name_can_be_neither_followed_outside_nor_replaced)
{
    rig_mkdir(rig_path(rig, "work"));
    SEE(rig, symlink("/oldroot/etc/planted", rig_path(rig, "work/.envrc")) == 0);
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *envrc = rig_path(rig, "work/.envrc");
    SEE_TEXT(rig, rig_ask(&run, "type %s", envrc), "link");
    SEE_INT(rig, cf_stage_result(run.stage, 2)->outcome, CF_STAGE_DONE);
    SEE_TEXT(rig, rig_ask(&run, "unlink %s", envrc), "EBUSY");
    SEE_TEXT(rig, rig_ask(&run, "rename %s %s2", envrc, envrc), "EBUSY");
    rig_stop(rig, &run);
    SEE(rig, access("/oldroot", F_OK) < 0 && access("/etc/planted", F_OK) < 0);
    SEE_TEXT(rig, rig_list(rig, "work"), ".envrc");
    rig_free(&run);
}

RIG_CASE(git_works_beside_its_protected_names)
{
    if (!has_git())
        return;
    rig_mkdir(rig_path(rig, "work"));
    host_git(rig,
             "git init -q -b main . && git config user.email a@b && git config user.name a "
             "&& echo 1 > f && git add f && git commit -q -m one");
    writable_root(rig);
    protect(rig, ".git/commondir", false, ".");
    protect(rig, ".git/config", false, NULL);
    protect(rig, ".git/hooks", true, NULL);
    protect(rig, ".git/worktrees", true, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *work = rig_path(rig, "work");
    SEE_TEXT(rig, rig_ask(&run, "sh %s git status --porcelain", work), "0");
    SEE_TEXT(rig,
             rig_ask(&run,
                     "sh %s git checkout -q -b two && echo 2 > g && git add g && "
                     "git commit -q -m two",
                     work),
             "0");
    SEE_TEXT(rig,
             rig_ask(&run,
                     "sh %s git checkout -q main && echo 3 > h && git add h && "
                     "git commit -q -m three",
                     work),
             "0");
    SEE_TEXT(rig, rig_ask(&run, "sh %s git merge -q -m merged two && git gc -q", work), "0");
    SEE(rig, strstr(rig_ask(&run, "sh %s git config x.y z", work),
                    "could not write config file") != NULL);
    /* The host's git drops the pin with the rename; it is there again at once. */
    host_git(rig, "git config a.b c");
    SEE_TEXT(rig, rig_until(&run, "EROFS", "write %s/.git/config evil", work), "EROFS");
    host_git(rig, "git status");
    rig_stop(rig, &run);
    host_git(rig, "test \"$(git log --oneline | wc -l)\" = 4 && git fsck");
    SEE(rig, access(rig_path(rig, "work/.git/commondir"), F_OK) < 0);
    SEE(rig, access(rig_path(rig, "work/.git/worktrees"), F_OK) < 0);
    rig_free(&run);
}

RIG_CASE(an_absent_repository_cannot_be_made_where_its_folder_is_protected)
{
    if (!has_git())
        return;
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".git", true, NULL);
    protect(rig, ".git/hooks", true, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    SEE(rig, strcmp(rig_ask(&run, "sh %s git init -q .", rig_path(rig, "work")), "0") != 0);
    SEE_INT(rig, cf_stage_result(run.stage, 3)->outcome, CF_STAGE_SKIPPED);
    SEE_INT(rig, cf_stage_result(run.stage, 3)->reason, CF_REASON_COVERED);
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    rig_free(&run);
}

RIG_CASE(a_protected_name_outside_the_writable_places_needs_nothing)
{
    rig_mkdir(rig_path(rig, "work"));
    rig_mkdir(rig_path(rig, "other"));
    writable_root(rig);
    ops[op_count++] =
        (struct cf_stage_op){ .kind = CF_STAGE_PROTECT, .path = rig_path(rig, "other/absent") };
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                            .path = rig_path(rig, "vanished"),
                                            .writable = true };
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_PROTECT,
                                            .path = rig_path(rig, "vanished/absent") };
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    SEE_TEXT(rig, rig_ask(&run, "make %s", rig_path(rig, "other/absent")), "EROFS");
    SEE_INT(rig, cf_stage_result(run.stage, 2)->reason, CF_REASON_COVERED);
    SEE_INT(rig, cf_stage_result(run.stage, 3)->reason, CF_REASON_ABSENT);
    SEE_INT(rig, cf_stage_result(run.stage, 4)->reason, CF_REASON_COVERED);
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "other"), "");
    rig_free(&run);
}

RIG_CASE(the_command_cannot_lock_the_records_of_other_runs)
{
    rig_mkdir(rig_path(rig, "work"));
    writable_root(rig);
    protect(rig, ".envrc", false, NULL);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    SEE_TEXT(rig, rig_ask(&run, "read %s/lock", rig_path(rig, "records")), "EACCES");
    SEE_TEXT(rig, rig_ask(&run, "list %s", rig_path(rig, "records")), "EACCES");
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    rig_free(&run);
}

RIG_CASE(a_records_folder_that_others_can_use_is_refused)
{
    struct cf_error err = { 0 };
    SEE(rig, chmod(rig_path(rig, "records"), 0755) == 0);
    SEE(rig, cf_stage_new(NULL, 0, rig_path(rig, "records"), &err) == NULL);
    SEE_INT(rig, err.number, 1);
}

CHECK_MAIN
