/* Sockets that nobody can open, in the place of absent names that are protected. */
#include "stage_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct cf_stage_op ops[8];
static size_t op_count;

static void writable_root(const struct rig *rig)
{
    rig_mkdir(rig_path(rig, "work"));
    op_count = 0;
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_ROOT, .path = "/" };
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                            .path = rig_path(rig, "work"),
                                            .writable = true };
}

static void protect(const struct rig *rig, const char *name)
{
    ops[op_count++] = (struct cf_stage_op){ .kind = CF_STAGE_PROTECT,
                                            .path = rig_path(rig, "work/%s", name),
                                            .socket = true };
}

static bool is_placeholder_socket(const struct rig *rig, const char *name)
{
    struct stat st;
    return lstat(rig_path(rig, "work/%s", name), &st) == 0 && S_ISSOCK(st.st_mode) &&
           (st.st_mode & 0333) == 0;
}

RIG_CASE(a_socket_that_nobody_can_open_stands_for_an_absent_name)
{
    writable_root(rig);
    protect(rig, "refs");
    protect(rig, "deep/refs");
    struct rig_run first, second;
    rig_start(rig, &first, ops, op_count);
    rig_start(rig, &second, ops, op_count);
    const char *work = rig_path(rig, "work"), *refs = rig_path(rig, "work/refs");
    SEE(rig, is_placeholder_socket(rig, "refs"));
    SEE(rig, is_placeholder_socket(rig, "deep/refs"));
    /* Root too can execute or search nothing that nobody can. */
    SEE(rig, faccessat(AT_FDCWD, refs, X_OK, AT_EACCESS) < 0 && errno == EACCES);
    SEE(rig, open(refs, O_RDONLY | O_CLOEXEC) < 0);
    SEE_INT(rig, cf_stage_report(second.stage)->placeholders, 0);
    rig_stop(rig, &first);
    SEE_TEXT(rig, rig_ask(&second, "type %s", refs), "socket");
    SEE_TEXT(rig, rig_ask(&second, "mkdir %s", refs), "EEXIST");
    SEE_TEXT(rig, rig_ask(&second, "unlink %s", refs), "EBUSY");
    SEE_TEXT(rig, rig_ask(&second, "rename %s %s2", refs, refs), "EBUSY");
    SEE(rig, strcmp(rig_ask(&second, "sh %s chmod 777 refs", work), "0") != 0);
    SEE(rig, strcmp(rig_ask(&second, "sh %s mv deep other", work), "0") != 0);
    /* Taken away by the host it comes back. */
    SEE(rig, unlink(refs) == 0);
    SEE_TEXT(rig, rig_until(&second, "EBUSY", "unlink %s", refs), "EBUSY");
    SEE(rig, is_placeholder_socket(rig, "refs"));
    rig_stop(rig, &second);
    SEE_INT(rig, cf_stage_report(second.stage)->left, 0);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&first);
    rig_free(&second);
}

RIG_CASE(a_socket_that_the_host_has_changed_or_replaced_stays)
{
    writable_root(rig);
    protect(rig, "opened");
    protect(rig, "folder");
    protect(rig, "kept");
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    SEE(rig, chmod(rig_path(rig, "work/opened"), 0600) == 0);
    SEE(rig, mkdir(rig_path(rig, "work/new"), 0755) == 0);
    SEE(rig, unlink(rig_path(rig, "work/folder")) == 0);
    /* The keeper may be first with a placeholder. */
    for (int k = 0; k < 1000 && rename(rig_path(rig, "work/new"), rig_path(rig, "work/folder"));
         k++)
        unlink(rig_path(rig, "work/folder"));
    rig_write(rig_path(rig, "work/folder/mine"), "x");
    rig_stop(rig, &run);
    SEE_TEXT(rig, rig_list(rig, "work"), "folder opened");
    SEE_TEXT(rig, rig_list(rig, "work/folder"), "mine");
    rig_free(&run);
}

RIG_CASE(sockets_that_a_killed_keeper_left_are_swept)
{
    writable_root(rig);
    protect(rig, "refs");
    protect(rig, "opened");
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    struct cf_error err = { 0 };
    SEE(rig, kill(cf_stage_report(run.stage)->keeper, SIGKILL) == 0);
    SEE_INT(rig, cf_stage_finish(run.stage, 2000, &err), -1);
    kill(run.child, SIGKILL);
    close(run.to);
    close(run.from);
    SEE(rig, rig_is_alone(2000));
    SEE_TEXT(rig, rig_list(rig, "work"), "opened refs");
    SEE(rig, chmod(rig_path(rig, "work/opened"), 0600) == 0);
    cf_stage_free(run.stage);
    SEE_INT(rig, cf_stage_sweep(rig_path(rig, "records"), &err), 0);
    SEE_TEXT(rig, rig_list(rig, "work"), "opened");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
}

RIG_CASE(where_no_socket_can_be_made_a_file_stands)
{
    writable_root(rig);
    protect(rig, "refs");
    rig_refuse(SYS_mknodat, EPERM);
    struct rig_run run;
    rig_start(rig, &run, ops, op_count);
    const char *refs = rig_path(rig, "work/refs");
    SEE_TEXT(rig, rig_ask(&run, "type %s", refs), "file");
    SEE_TEXT(rig, rig_ask(&run, "write %s evil", refs), "EROFS");
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->left, 0);
    SEE_TEXT(rig, rig_list(rig, "work"), "");
    SEE_TEXT(rig, rig_list(rig, "records"), "lock");
    rig_free(&run);
}

CHECK_MAIN
