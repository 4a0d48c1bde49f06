/* What is recorded of placeholders: without it no run starts, and it is kept while one stands. */
#include "stage_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stage/placeholders.h"

static struct cf_stage_op ops[8];
static size_t op_count;

static void add_op(const struct rig *rig, enum cf_stage_kind kind, const char *name)
{
    ops[op_count++] = (struct cf_stage_op){ .kind = kind, .path = rig_path(rig, "%s", name) };
}

static void writable_root(const struct rig *rig)
{
    op_count = 0;
    rig_mkdir(rig_path(rig, "work"));
    ops[op_count++] = rig_root();
    add_op(rig, CF_STAGE_BIND, "work");
    ops[1].writable = true;
}

/* A folder that says what git is not to see in it. */
static void protect_folder(const struct rig *rig, const char *name)
{
    add_op(rig, CF_STAGE_PROTECT, name);
    ops[op_count - 1].folder = true;
    ops[op_count - 1].content = "*\n";
}

RIG_CASE(where_nothing_can_be_recorded_a_run_does_not_start)
{
    writable_root(rig);
    add_op(rig, CF_STAGE_PROTECT, "work/.envrc");
    int out[2];
    char text[400] = "", wanted[400];
    SEE(rig, pipe2(out, O_CLOEXEC) == 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct cf_error err = { 0 };
        /* What a tree that the command cannot write either would answer. */
        rig_refuse(SYS_flock, EROFS);
        struct cf_stage *stage = cf_stage_new(ops, op_count, rig_path(rig, "records"), &err);
        int got = stage == NULL ? -2 : cf_stage_prepare(stage, &err);
        dprintf(out[1], "%d %s", got, err.message);
        _exit(0);
    }
    close(out[1]);
    SEE(rig, read(out[0], text, sizeof text - 1) > 0);
    close(out[0]);
    SEE(rig, waitpid(child, NULL, 0) == child);
    snprintf(wanted, sizeof wanted,
             "-1 protect %s/work/.envrc: the records in %s/records cannot be kept: "
             "Read-only file system",
             rig->base, rig->base);
    SEE_TEXT(rig, text, wanted);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
}

RIG_CASE(a_records_folder_that_cannot_be_written_is_refused)
{
    struct cf_error err = { 0 };
    char wanted[400];
    rig_refuse(SYS_faccessat2, EROFS);
    SEE(rig, cf_stage_new(NULL, 0, rig_path(rig, "records"), &err) == NULL);
    snprintf(wanted, sizeof wanted, "write %s/records/lock: Read-only file system", rig->base);
    SEE_TEXT(rig, err.message, wanted);
}

RIG_CASE(the_gitignore_of_a_shared_folder_stays_as_long_as_the_folder)
{
    writable_root(rig);
    protect_folder(rig, "work/.vscode");
    struct rig_run first, second;
    rig_start(rig, &first, ops, op_count);
    rig_start(rig, &second, ops, op_count);
    rig_stop(rig, &first);
    SEE_TEXT(rig, rig_list(rig, "work/.vscode"), ".gitignore");
    rig_stop(rig, &second);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&first);
    rig_free(&second);
}

RIG_CASE(an_empty_repository_is_seen_where_an_absent_one_is_protected)
{
    writable_root(rig);
    protect_folder(rig, "work/.git");
    ops[op_count - 1].content = NULL;
    add_op(rig, CF_STAGE_SKELETON, "work/.git");
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *git = rig_path(rig, "work/.git");
    SEE_INT(rig, cf_stage_result(run.stage, 3)->outcome, CF_STAGE_DONE);
    SEE_TEXT(rig, rig_ask(&run, "list %s", git), "HEAD objects refs");
    SEE_TEXT(rig, rig_ask(&run, "make %s/config", git), "EROFS");
    SEE_TEXT(rig, rig_ask(&run, "rename %s %s2", git, git), "EBUSY");
    SEE_TEXT(rig, rig_list(rig, "work/.git"), "");
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    rig_free(&run);
}

RIG_CASE(and_none_is_made_where_nothing_is_protected)
{
    writable_root(rig);
    add_op(rig, CF_STAGE_SKELETON, "work/.git");
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    SEE_INT(rig, cf_stage_result(run.stage, 2)->outcome, CF_STAGE_SKIPPED);
    SEE_TEXT(rig, rig_ask(&run, "mkdir %s", rig_path(rig, "work/.git")), "ok");
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "work"), ".git");
    rig_free(&run);
}

struct tree {
    const struct rig *rig;
    int refused; /* errno of every folder, 0 when they can be opened */
};

static int open_tree_folder(void *ctx, const char *path, size_t length)
{
    const struct tree *tree = ctx;
    char part[300];
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    if (tree->refused == 0)
        return open(part, O_PATH | O_DIRECTORY | O_CLOEXEC);
    errno = tree->refused;
    return -1;
}

RIG_CASE(what_cannot_be_removed_now_is_removed_by_the_next_run)
{
    static const struct {
        int refused;
        unsigned waiting;
        const char *after;
    } ends[] = {
        { 0, 0, "" },
        /* The folder has gone, and what was in it. */
        { ENOENT, 0, ".envrc .git" },
        { EIO, 2, "" },
        { EACCES, 2, "" },
    };
    rig_mkdir(rig_path(rig, "work"));
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        struct tree tree = { rig, ends[k].refused };
        struct cf_placeholders p = CF_PLACEHOLDERS_CLOSED;
        struct cf_placeholders_left left;
        struct cf_error err = { 0 };
        int work = open(rig_path(rig, "work"), O_PATH | O_DIRECTORY | O_CLOEXEC);
        SEE_INT(rig, cf_placeholders_open(&p, rig_path(rig, "records"), &err), 0);
        SEE_INT(rig,
                cf_placeholders_make(&p, work, ".git", rig_path(rig, "work/.git"),
                                     CF_PLACEHOLDER_FOLDER, NULL),
                1);
        SEE_INT(rig,
                cf_placeholders_make(&p, work, ".envrc", rig_path(rig, "work/.envrc"),
                                     CF_PLACEHOLDER_FILE, "x"),
                1);
        SEE_INT(rig, cf_placeholders_end(&p, open_tree_folder, &tree, &left), 0);
        SEE_INT(rig, left.waiting, ends[k].waiting);
        SEE_INT(rig, left.changed, 0);
        cf_placeholders_close(&p);
        close(work);
        SEE_INT(rig, cf_stage_sweep(rig_path(rig, "records"), &err), 0);
        SEE_TEXT(rig, rig_list(rig, "work"), ends[k].after);
        SEE_TEXT(rig, rig_list(rig, "records"), "lock");
        rig_remove_tree(rig_path(rig, "work"));
        rig_mkdir(rig_path(rig, "work"));
    }
}

CHECK_MAIN
