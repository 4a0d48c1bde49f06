/* Makes, fills, watches and removes the control group of one run. */
#include "guard/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/cgroup_place.h"
#include "guard/switch.h"
#include "guard/trial.h"

/* bwrap's monitor and its pid 1 live in the group too. */
#define TASKS_OF_BWRAP 2

#define SHORT_FILE 4096

static int write_file(int dir, const char *name, const char *text, struct cf_error *err)
{
    cf_autoclose int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", name);
    /* A control file takes its value in one write or not at all. */
    if (write(fd, text, strlen(text)) < 0)
        return cf_fail(err, errno, "write %s to %s", text, name);
    return 0;
}

static int write_number(int dir, const char *name, uint64_t value, struct cf_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return write_file(dir, name, text, err);
}

static bool has_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += len) {
        if ((at == text || at[-1] == ' ') && strchr(" \n", at[len]) != NULL)
            return true;
    }
    return false;
}

/* Makes the controller one of those that children of `parent` have. */
static int pass_on(int parent, const char *controller, struct cf_error *err)
{
    cf_autobytes struct cf_bytes passed = CF_BYTES_EMPTY;
    if (cf_read_file_at(parent, "cgroup.subtree_control", SHORT_FILE, &passed, err) < 0)
        return -1;
    if (has_word(passed.data, controller))
        return 0;
    char word[24];
    snprintf(word, sizeof word, "+%s", controller);
    if (write_file(parent, "cgroup.subtree_control", word, err) == 0)
        return 0;
    if (err->number == ENOENT) /* bound to version 1, or not passed on to this group either */
        cf_fail(err, 0, "the %s controller is not there", controller);
    return -1;
}

static int set_limits(const struct cf_cgroup_limits *limits, const struct cf_cgroup *group,
                      struct cf_error *err)
{
    if (limits->memory != 0) {
        if (pass_on(group->parent, "memory", err) < 0 ||
            write_number(group->dir, "memory.max", limits->memory, err) < 0 ||
            write_number(group->dir, "memory.oom.group", 1, err) < 0)
            return -1;
        /* Absent on a kernel that does not count swap. */
        if (write_number(group->dir, "memory.swap.max", 0, err) < 0 && err->number != ENOENT)
            return -1;
    }
    if (limits->tasks != 0 &&
        (pass_on(group->parent, "pids", err) < 0 ||
         write_number(group->dir, "pids.max", limits->tasks + TASKS_OF_BWRAP, err) < 0))
        return -1;
    return 0;
}

static void close_group(struct cf_cgroup *group)
{
    cf_close_fd(&group->procs);
    cf_close_fd(&group->dir);
    cf_close_fd(&group->parent);
}

static int make_folder(struct cf_cgroup *group, struct cf_error *err)
{
    for (unsigned serial = 0; serial < 1000; serial++) {
        snprintf(group->name, sizeof group->name, CF_CGROUP_PREFIX "%d-%u", (int)getpid(),
                 serial);
        if (mkdirat(group->parent, group->name, 0755) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return cf_fail(err, errno, "make a control group");
}

static int open_group(const struct cf_cgroup_limits *limits, struct cf_cgroup *group,
                      struct cf_error *err)
{
    group->dir = openat(group->parent, group->name, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (group->dir < 0)
        return cf_fail(err, errno, "open the control group %s", group->name);
    if (set_limits(limits, group, err) < 0)
        return -1;
    group->procs = openat(group->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    if (group->procs < 0)
        return cf_fail(err, errno, "open cgroup.procs");
    return 0;
}

int cf_cgroup_make_in(const char *parent, const struct cf_cgroup_limits *limits,
                      struct cf_cgroup *group, struct cf_error *err)
{
    *group = (struct cf_cgroup)CF_CGROUP_CLOSED;
    if (!cf_guard_is_on("cgroup"))
        return 0;
    group->parent = open(parent, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (group->parent < 0)
        return cf_fail(err, errno, "open %s", parent);
    cf_cgroup_sweep(group->parent);
    if (make_folder(group, err) == 0) {
        if (open_group(limits, group, err) == 0)
            return 0;
        unlinkat(group->parent, group->name, AT_REMOVEDIR);
    }
    close_group(group);
    return -1;
}

int cf_cgroup_make(const struct cf_cgroup_limits *limits, struct cf_cgroup *group,
                   struct cf_error *err)
{
    *group = (struct cf_cgroup)CF_CGROUP_CLOSED;
    if (!cf_guard_is_on("cgroup"))
        return 0;
    cf_autobytes struct cf_bytes own = CF_BYTES_EMPTY;
    size_t top = 0;
    if (cf_cgroup_find(&own, &top, err) < 0)
        return -1;
    struct cf_error below, beside = { 0, "it is the top one" };
    if (cf_cgroup_make_in(own.data, limits, group, &below) == 0)
        return 0;
    if (own.len > top) {
        *strrchr(own.data, '/') = '\0';
        if (cf_cgroup_make_in(own.data, limits, group, &beside) == 0)
            return 0;
    }
    return cf_fail(err, 0, "no control group for this run below its own (%s) or beside it (%s)",
                   below.message, beside.message);
}

int cf_cgroup_join(const struct cf_cgroup *group, struct cf_error *err)
{
    if (group->procs < 0)
        return 0;
    if (write(group->procs, "0", 1) != 1)
        return cf_fail(err, errno, "join the control group %s", group->name);
    return 0;
}

/* The number behind a key of a flat keyed file, 0 where the file or the key is not there. */
static int read_count(int dir, const char *name, const char *key, uint64_t *count,
                      struct cf_error *err)
{
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    *count = 0;
    if (cf_read_file_at(dir, name, SHORT_FILE, &text, err) < 0)
        return err->number == ENOENT ? 0 : -1;
    size_t len = strlen(key);
    for (const char *line = text.data; line != NULL && *line != '\0';) {
        if (strncmp(line, key, len) == 0 && line[len] == ' ')
            *count = strtoull(line + len + 1, NULL, 10);
        line = strchr(line, '\n');
        line = line == NULL ? NULL : line + 1;
    }
    return 0;
}

int cf_cgroup_met(const struct cf_cgroup *group, bool *memory, bool *tasks,
                  struct cf_error *err)
{
    uint64_t kills = 0, refused = 0;
    if (group->dir >= 0 &&
        (read_count(group->dir, "memory.events", "oom_kill", &kills, err) < 0 ||
         read_count(group->dir, "pids.events", "max", &refused, err) < 0))
        return -1;
    *memory = kills > 0;
    *tasks = refused > 0;
    return 0;
}

static void wait_until_empty(int dir, struct cf_error *err)
{
    uint64_t populated = 1;
    for (int waited = 0; waited < 2000; waited += 20) {
        if (read_count(dir, "cgroup.events", "populated", &populated, err) < 0 ||
            populated == 0)
            return;
        /* The file tells of a change by POLLPRI, but only to a descriptor that has read it. */
        poll(NULL, 0, 20);
    }
}

int cf_cgroup_end(struct cf_cgroup *group, struct cf_error *err)
{
    if (group->dir < 0)
        return 0;
    int result = write_file(group->dir, "cgroup.kill", "1", err);
    if (result < 0 && err->number == ENOENT)
        result = 0;
    if (result == 0) {
        wait_until_empty(group->dir, err);
        result = unlinkat(group->parent, group->name, AT_REMOVEDIR);
        if (result < 0)
            cf_fail(err, errno, "remove the control group %s", group->name);
    }
    close_group(group);
    return result;
}

static int join_once(void *arg, struct cf_error *err)
{
    return cf_cgroup_join(arg, err);
}

int cf_cgroup_available(struct cf_error *err)
{
    static const struct cf_cgroup_limits some = { .memory = (uint64_t)64 << 20, .tasks = 16 };
    struct cf_cgroup group;
    struct cf_error end;
    if (cf_cgroup_make(&some, &group, err) < 0)
        return -1;
    int joined = cf_trial_run("a control group", join_once, &group, err);
    int ended = cf_cgroup_end(&group, joined < 0 ? &end : err);
    return joined < 0 ? joined : ended;
}
