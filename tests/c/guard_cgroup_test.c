/* The control group of a run: made, joined, ended with all that is in it, swept after a crash. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/cgroup.h"
#include "guard/cgroup_place.h"
#include "guarded.h"
#include "scratch.h"

static const struct cf_cgroup_limits no_limits = { 0, 0 };

/* Where a group can be made here at all, or NULL. */
static const char *place(void)
{
    static struct cf_bytes path;
    size_t top;
    struct cf_error err;
    struct cf_cgroup group;
    cf_bytes_free(&path);
    if (cf_cgroup_find(&path, &top, &err) < 0 ||
        cf_cgroup_make_in(path.data, &no_limits, &group, &err) < 0) {
        cf_bytes_free(&path);
        return NULL;
    }
    cf_cgroup_end(&group, &err);
    return path.data;
}

static bool has_controllers(void)
{
    struct cf_error err;
    return cf_cgroup_available(&err) == 0;
}

/* A process in the group with a child of its own, neither of which ends by itself. */
static pid_t start_in(const struct cf_cgroup *group)
{
    int ready[2];
    char byte;
    if (pipe2(ready, O_CLOEXEC) < 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        struct cf_error err;
        signal(SIGTERM, SIG_IGN);
        if (cf_cgroup_join(group, &err) < 0 || fork() < 0 || write(ready[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    if (read(ready[0], &byte, 1) != 1)
        abort();
    close(ready[0]);
    close(ready[1]);
    return child;
}

CHECK_CASE(everything_in_a_group_ends_with_it)
{
    int status = 0;
    struct cf_error err;
    struct cf_cgroup group;
    bool memory = true, tasks = true;
    const char *parent = place();
    if (parent == NULL)
        CHECK_SKIP("a cgroup v2 in which groups can be made");
    CHECK_INT(cf_cgroup_make_in(parent, &no_limits, &group, &err), 0);
    if (!CHECK_INT(faccessat(group.parent, group.name, F_OK, 0), 0))
        return;
    pid_t child = start_in(&group);
    CHECK_INT(cf_cgroup_met(&group, &memory, &tasks, &err), 0);
    CHECK(!memory && !tasks);
    char path[4400];
    snprintf(path, sizeof path, "%s/%s", parent, group.name);
    CHECK_INT(cf_cgroup_end(&group, &err), 0);
    CHECK_INT(access(path, F_OK), -1);
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    CHECK_INT(group.dir, -1);
    CHECK_INT(cf_cgroup_end(&group, &err), 0);
}

CHECK_CASE(a_group_that_a_crash_left_is_swept)
{
    struct cf_error err;
    struct cf_cgroup group;
    char path[4400];
    const char *parent = place();
    if (parent == NULL)
        CHECK_SKIP("a cgroup v2 in which groups can be made");
    fflush(NULL);
    pid_t crashed = fork();
    if (crashed == 0)
        _exit(cf_cgroup_make_in(parent, &no_limits, &group, &err) == 0 ? 0 : 1);
    waitpid(crashed, NULL, 0);
    snprintf(path, sizeof path, "%s/%s%d-0", parent, CF_CGROUP_PREFIX, crashed);
    CHECK_INT(access(path, F_OK), 0);
    CHECK_INT(cf_cgroup_make_in(parent, &no_limits, &group, &err), 0);
    CHECK_INT(access(path, F_OK), -1);
    CHECK_INT(cf_cgroup_end(&group, &err), 0);
}

/* Folders of a scratch place stand in for groups. */
CHECK_CASE(only_what_an_ended_launcher_left_is_swept)
{
    char ended[64], ours[64], odd[64];
    scratch_open();
    fflush(NULL);
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    waitpid(gone, NULL, 0);
    snprintf(ended, sizeof ended, "confine-%d-3", gone);
    snprintf(ours, sizeof ours, "confine-%d-0", getpid());
    snprintf(odd, sizeof odd, "confine-%d-0x", gone);
    scratch_dir(ended, 0755);
    scratch_dir(ours, 0755);
    scratch_dir(odd, 0755);
    scratch_dir("confine-", 0755);
    cf_autoclose int dir = open(scratch("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cf_cgroup_sweep(dir);
    CHECK_INT(access(scratch(ended), F_OK), -1);
    CHECK_INT(access(scratch(ours), F_OK), 0);
    CHECK_INT(access(scratch(odd), F_OK), 0);
    CHECK_INT(access(scratch("confine-"), F_OK), 0);
    scratch_close();
}

CHECK_CASE(without_a_group_the_reason_names_both_places)
{
    struct cf_error err;
    struct cf_cgroup group;
    const struct cf_cgroup_limits limits = { (uint64_t)64 << 20, 16 };
    if (has_controllers())
        CHECK_SKIP("a host that delegates no control group");
    CHECK_INT(cf_cgroup_make(&limits, &group, &err), -1);
    CHECK_HOLDS(err.message,
                place() == NULL ? "" : "no control group for this run below its own (");
    CHECK_INT(group.dir, -1);
    CHECK_INT(cf_cgroup_join(&group, &err), 0);
}

static int use_memory(void)
{
    size_t size = (size_t)256 << 20;
    char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return 1;
    memset(map, 1, size);
    return 0;
}

static int use_tasks(void)
{
    for (int at = 0; at < 64; at++) {
        pid_t child = fork();
        if (child < 0)
            return 1;
        if (child == 0) {
            /* Should the group not end it, its parent does. */
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pause();
        }
    }
    return 0;
}

/* Runs `use` in a group with 64 MiB and 16 tasks. */
static void use_up(int (*use)(void), bool *memory, bool *tasks)
{
    struct cf_error err;
    struct cf_cgroup group;
    const struct cf_cgroup_limits limits = { (uint64_t)64 << 20, 16 };
    CHECK_INT(cf_cgroup_make(&limits, &group, &err), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(cf_cgroup_join(&group, &err) < 0 ? 2 : use());
    waitpid(child, NULL, 0);
    CHECK_INT(cf_cgroup_met(&group, memory, tasks, &err), 0);
    CHECK_INT(cf_cgroup_end(&group, &err), 0);
}

CHECK_CASE(memory_and_tasks_of_all_together_are_limited)
{
    bool memory, tasks;
    if (!has_controllers())
        CHECK_SKIP("a delegated cgroup v2 with memory and pids");
    use_up(use_memory, &memory, &tasks);
    CHECK(memory && !tasks);
    use_up(use_tasks, &memory, &tasks);
    CHECK(tasks && !memory);
}

CHECK_MAIN
