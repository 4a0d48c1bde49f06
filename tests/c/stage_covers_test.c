/* Processes of the host where the command has to live with the host's procfs. */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stage_rig.h"

static int told;

static void *wait_as_thread(void *none)
{
    pid_t number = (pid_t)syscall(SYS_gettid);
    if (write(told, &number, sizeof number) < 0)
        _exit(1);
    pause();
    return none;
}

/* A process with one more thread than its first; its own number, and that thread's. */
static pid_t with_thread(pid_t *thread)
{
    int tell[2];
    if (pipe(tell) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        pthread_t made;
        told = tell[1];
        pthread_create(&made, NULL, wait_as_thread, NULL);
        for (;;)
            pause();
    }
    close(tell[1]);
    if (read(tell[0], thread, sizeof *thread) != sizeof *thread)
        *thread = -1;
    close(tell[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

#define PROCESSES ((struct cf_stage_op){ .kind = CF_STAGE_PROCESSES, .path = "/proc" })
RIG_CASE(neither_a_process_nor_a_thread_of_the_host_has_an_entry)
{
    pid_t thread, child = with_thread(&thread);
    struct cf_stage_op ops[] = { rig_root(), PROCESSES };
    struct rig_run run;
    rig->no_proc = true;
    SEE(rig, child > 0 && thread > 0 && thread != child);
    rig_start(rig, &run, RIG_OPS(ops));
    SEE_TEXT(rig, rig_ask(&run, "type /proc/self/status"), "file");
    for (int k = 0; k < 2; k++) {
        int number = (int)(k == 0 ? child : thread);
        SEE_TEXT(rig, rig_ask(&run, "list /proc/%d", number), "(empty)");
        SEE_TEXT(rig, rig_ask(&run, "read /proc/%d/cmdline", number), "ENOENT");
        SEE_TEXT(rig, rig_ask(&run, "mkdir /proc/%d/new", number), "EROFS");
    }
    SEE_TEXT(rig, rig_ask(&run, "list /proc/%d", (int)getpid()), "(empty)");
    end(child);
    SEE_TEXT(rig, rig_until(&run, "ENOENT", "list /proc/%d", (int)child), "ENOENT");
    SEE_INT(rig, cf_stage_result(run.stage, 1)->outcome, CF_STAGE_DONE);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_process_that_ends_while_the_view_is_made_needs_no_cover)
{
    pid_t herd = fork();
    if (herd == 0)
        for (;;) {
            pid_t born[8];
            for (int k = 0; k < 8; k++)
                if ((born[k] = fork()) == 0) {
                    rig_sleep(k);
                    _exit(0);
                }
            for (int k = 0; k < 8; k++)
                waitpid(born[k], NULL, 0);
        }
    rig->no_proc = true;
    for (int round = 0; round < 20; round++) {
        struct cf_stage_op ops[] = { rig_root(), PROCESSES };
        struct rig_run run;
        rig_start(rig, &run, RIG_OPS(ops));
        SEE_TEXT(rig, rig_ask(&run, "list /proc/%d", (int)herd), "(empty)");
        rig_stop(rig, &run);
        rig_free(&run);
    }
    end(herd);
}

CHECK_MAIN
