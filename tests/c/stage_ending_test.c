/* The keeper never outlives a run nor keeps one alive, and nothing is left behind. */
#include "stage_rig.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t draw(struct rig *rig, struct cf_stage_op *ops)
{
    static const struct cf_stage_entry entries[] = { { .name = "agent.sock",
                                                       .as = CF_AS_INERT } };
    ops[0] = (struct cf_stage_op){ .kind = CF_STAGE_ROOT, .path = "/" };
    ops[1] = (struct cf_stage_op){ .kind = CF_STAGE_SHADOW,
                                   .path = rig_path(rig, "run"),
                                   .mode = CF_STAGE_MODE_OF_HOST,
                                   .entries = entries,
                                   .count = 1 };
    ops[2] = (struct cf_stage_op){ .kind = CF_STAGE_BIND,
                                   .path = rig_path(rig, "work"),
                                   .writable = true };
    ops[3] = (struct cf_stage_op){ .kind = CF_STAGE_PROTECT,
                                   .path = rig_path(rig, "work/.git/hooks"),
                                   .folder = true };
    ops[4] =
        (struct cf_stage_op){ .kind = CF_STAGE_PROTECT, .path = rig_path(rig, "work/.envrc") };
    return 5;
}

static void make_places(struct rig *rig)
{
    rig_mkdir(rig_path(rig, "run"));
    rig_mkdir(rig_path(rig, "work"));
}

static int count_names(const char *path)
{
    DIR *dir = opendir(path);
    int count = -2;
    while (dir != NULL && readdir(dir) != NULL)
        count++;
    if (dir != NULL)
        closedir(dir);
    return count;
}

static int count_mounts(void)
{
    FILE *file = fopen("/proc/self/mountinfo", "r");
    int lines = 0;
    for (int c; file != NULL && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file != NULL)
        fclose(file);
    return lines;
}

/* One launcher, killed after `microseconds`; whatever it had started is then below us. */
static void run_and_kill(struct rig *rig, int microseconds, int launchers)
{
    pid_t pids[2];
    for (int k = 0; k < launchers; k++) {
        fflush(stdout);
        pids[k] = fork();
        if (pids[k] == 0) {
            struct cf_stage_op ops[5];
            struct rig_run run;
            size_t count = draw(rig, ops);
            int null = open("/dev/null", O_RDWR);
            dup2(null, 1);
            dup2(null, 2);
            rig_start(rig, &run, ops, count);
            for (;;)
                rig_ask(&run, rig->careless ? "sh %s sleep 60" : "list %s",
                        rig_path(rig, "work"));
        }
    }
    nanosleep(&(struct timespec){ 0, microseconds * 1000L }, NULL);
    for (int k = 0; k < launchers; k++)
        kill(pids[k], SIGKILL);
    for (int k = 0; k < launchers; k++)
        waitpid(pids[k], NULL, 0);
}

static int kills_wanted(void)
{
    const char *wanted = getenv("CONFINE_TEST_KILLS");
    return wanted != NULL ? atoi(wanted) : 20;
}

RIG_CASE(a_launcher_killed_at_any_moment_leaves_no_process_no_mount_and_no_file)
{
    make_places(rig);
    int mounts = count_mounts();
    unsigned seed = (unsigned)time(NULL);
    printf("    seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < kills_wanted(); round++) {
        run_and_kill(rig, rand() % 60000, 1 + round % 2);
        SEE(rig, rig_is_alone(1000));
        SEE_INT(rig, count_names(rig_path(rig, "work")), 0);
        /* The lock file only, which every run of this user shares; none before the first. */
        SEE(rig, count_names(rig_path(rig, "records")) <= 1);
        if (rig->failed)
            break;
    }
    SEE_INT(rig, count_mounts(), mounts);
}

RIG_CASE(a_sandbox_that_would_outlive_its_launcher_is_ended_by_the_keeper)
{
    make_places(rig);
    rig->careless = true;
    for (int round = 0; round < 5; round++) {
        run_and_kill(rig, 10000 + 20000 * round, 1);
        SEE(rig, rig_is_alone(1000));
        SEE_INT(rig, count_names(rig_path(rig, "work")), 0);
    }
}

RIG_CASE(the_end_of_the_commands_output_is_seen_although_the_keeper_still_lives)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct rig_run run;
    rig_start(rig, &run, ops, draw(rig, ops));
    pid_t keeper = cf_stage_report(run.stage)->keeper;
    SEE(rig, kill(keeper, SIGSTOP) == 0);
    close(run.to);
    char byte;
    struct pollfd end = { .fd = run.from, .events = POLLIN };
    SEE_INT(rig, poll(&end, 1, 2000), 1);
    SEE_INT(rig, read(run.from, &byte, 1), 0);
    SEE_INT(rig, waitpid(run.child, NULL, 0), run.child);
    close(run.from);
    SEE(rig, kill(keeper, SIGCONT) == 0);
    struct cf_error err = { 0 };
    SEE_INT(rig, cf_stage_finish(run.stage, 5000, &err), 0);
    rig_free(&run);
}

RIG_CASE(the_keeper_has_no_descriptor_of_the_launchers)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct rig_run run;
    int secret = open("/etc/passwd", O_RDONLY), high = fcntl(secret, F_DUPFD, 900);
    rig_start(rig, &run, ops, draw(rig, ops));
    char path[64], target[256];
    snprintf(path, sizeof path, "/proc/%d/fd", cf_stage_report(run.stage)->keeper);
    DIR *dir = opendir(path);
    SEE(rig, dir != NULL);
    for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
        ssize_t length = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        SEE(rig, strcmp(target, "/etc/passwd") != 0);
        if (atoi(entry->d_name) < 3 && entry->d_name[0] != '.')
            SEE_TEXT(rig, target, "/dev/null");
    }
    if (dir != NULL)
        closedir(dir);
    close(secret);
    close(high);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(the_keeper_is_neither_seen_nor_reached_from_inside)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct rig_run run;
    rig_start(rig, &run, ops, draw(rig, ops));
    SEE_TEXT(rig, rig_ask(&run, "sh / cat /proc/[0-9]*/comm | grep -c keeper"), "1 0");
    char order[64];
    snprintf(order, sizeof order, "sh / kill -9 %d", cf_stage_report(run.stage)->keeper);
    SEE(rig, strcmp(rig_ask(&run, "%s", order), "0") != 0);
    struct pollfd ended = { .fd = cf_stage_watch(run.stage), .events = POLLIN };
    SEE_INT(rig, poll(&ended, 1, 50), 0);
    rig_stop(rig, &run);
    rig_free(&run);
}

RIG_CASE(a_keeper_that_is_killed_is_noticed_and_what_is_refused_stays_so)
{
    make_places(rig);
    const char *path = rig_path(rig, "run/agent.sock");
    int agent = rig_listen(path, false);
    struct cf_stage_op ops[5];
    struct rig_run run;
    rig_start(rig, &run, ops, draw(rig, ops));
    SEE(rig, kill(cf_stage_report(run.stage)->keeper, SIGKILL) == 0);
    struct pollfd ended = { .fd = cf_stage_watch(run.stage), .events = POLLIN };
    SEE_INT(rig, poll(&ended, 1, 1000), 1);
    close(agent);
    agent = rig_listen(path, true);
    SEE_TEXT(rig, rig_ask(&run, "connect %s", path), "ECONNREFUSED");
    close(agent);
    close(run.to);
    waitpid(run.child, NULL, 0);
    close(run.from);
    struct cf_error err = { 0 };
    SEE_INT(rig, cf_stage_sweep(rig_path(rig, "records"), &err), 0);
    SEE_INT(rig, count_names(rig_path(rig, "work")), 0);
    rig_free(&run);
    SEE(rig, rig_is_alone(1000));
}

RIG_CASE(signals_of_the_terminal_do_not_end_the_keeper)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct rig_run run;
    rig_start(rig, &run, ops, draw(rig, ops));
    static const int signals[] = {
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1
    };
    pid_t keeper = cf_stage_report(run.stage)->keeper;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        SEE(rig, kill(keeper, signals[k]) == 0);
    SEE(rig, getpgid(keeper) == keeper && getsid(keeper) == keeper);
    rig_sleep(20);
    rig_stop(rig, &run);
    SEE_INT(rig, cf_stage_report(run.stage)->finished, 1);
    rig_free(&run);
}

RIG_CASE(a_child_that_never_executes_bwrap_ends_the_keeper)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct cf_error err = { 0 };
    struct cf_stage *stage = cf_stage_new(ops, draw(rig, ops), rig_path(rig, "records"), &err);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(cf_stage_prepare(stage, &err) == 0 ? 0 : 1);
    int status = -1;
    SEE_INT(rig, waitpid(child, &status, 0), child);
    SEE_INT(rig, status, 0);
    SEE_INT(rig, cf_stage_finish(stage, 5000, &err), 0);
    SEE_INT(rig, count_names(rig_path(rig, "work")), 0);
    cf_stage_free(stage);
}

RIG_CASE(processes_left_inside_end_with_the_run)
{
    make_places(rig);
    struct cf_stage_op ops[5];
    struct rig_run run;
    rig_start(rig, &run, ops, draw(rig, ops));
    SEE_TEXT(rig, rig_ask(&run, "sh / setsid sleep 60 >/dev/null 2>&1 &"), "0");
    rig_stop(rig, &run);
    rig_free(&run);
    SEE(rig, rig_is_alone(1000));
}

CHECK_MAIN
