/* What the policy keeps and the host removes while the view is made. */
#include "stage_rig.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKETS 24

/* Makes, replaces and removes sockets of the folder for as long as the scenario lasts. */
static pid_t disturb(const struct rig *rig)
{
    const char *paths[SOCKETS];
    for (unsigned k = 0; k < SOCKETS; k++)
        paths[k] = rig_path(rig, "run/%u.sock", k);
    pid_t scenario = getpid(), child = fork();
    if (child == 0) {
        for (unsigned k = 0; getppid() == scenario; k++) {
            unlink(paths[k % SOCKETS]);
            if (k % 3 != 0)
                close(rig_listen(paths[k % SOCKETS], k % 2));
        }
        _exit(0);
    }
    return child;
}

/* Starts with these operations, to which a bind of each socket is added. */
static void start_again_and_again(struct rig *rig, const struct cf_stage_op *first,
                                  size_t count)
{
    struct cf_stage_op ops[SOCKETS + 3];
    const char *stays = rig_path(rig, "run/stays.sock");
    int listening = rig_listen(stays, false);
    pid_t child = disturb(rig);
    for (size_t k = 0; k < count; k++)
        ops[k] = first[k];
    for (unsigned k = 0; k < SOCKETS; k++)
        ops[count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                             .path = rig_path(rig, "run/%u.sock", k) };
    ops[count++] = (struct cf_stage_op){ .kind = CF_STAGE_BIND, .path = stays };
    for (int round = 0; round < 10; round++) {
        struct rig_run run;
        rig_start(rig, &run, ops, count);
        SEE_TEXT(rig, rig_ask(&run, "connect %s", stays), "ok");
        rig_stop(rig, &run);
        rig_free(&run);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(listening);
}

RIG_CASE(a_socket_that_goes_is_left_out_of_a_private_folder)
{
    const char *folder = rig_path(rig, "run");
    rig_mkdir(folder);
    struct cf_stage_op ops[] = { rig_root(),
                                 { .kind = CF_STAGE_SHADOW,
                                   .path = folder,
                                   .others = CF_OTHERS_NONE,
                                   .mode = 0755,
                                   .writable = true } };
    start_again_and_again(rig, RIG_OPS(ops));
}

RIG_CASE(a_socket_that_goes_is_left_out_of_a_shadow)
{
    const char *folder = rig_path(rig, "run");
    rig_mkdir(folder);
    for (enum cf_stage_by by = CF_BY_TMPFS; by <= CF_BY_OVERLAY; by++) {
        struct cf_stage_op ops[] = {
            rig_root(),
            { .kind = CF_STAGE_SHADOW, .path = folder, .by = by, .mode = CF_STAGE_MODE_OF_HOST }
        };
        start_again_and_again(rig, RIG_OPS(ops));
    }
}

RIG_CASE(a_socket_that_goes_is_left_out_where_nothing_is_shadowed)
{
    rig_mkdir(rig_path(rig, "run"));
    struct cf_stage_op ops[] = { rig_root() };
    start_again_and_again(rig, RIG_OPS(ops));
}

CHECK_MAIN
