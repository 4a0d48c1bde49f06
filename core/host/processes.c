/* Walks /proc once: the command name first, everything else only when it is asked for. */
#include "host/processes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/status.h"

#define COMM_KEPT 15 /* TASK_COMM_LEN without its NUL */

/* What an id becomes in a user namespace that does not map it (/proc/sys/kernel/overflowuid). */
#define UNMAPPED 65534

static DIR *open_listing(int at, const char *path)
{
    cf_autoclose int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    DIR *listing = fdopendir(fd);
    if (listing != NULL)
        cf_take_fd(&fd);
    return listing;
}

static int by_name(const void *left, const void *right)
{
    return strncmp(*(const char *const *)left, *(const char *const *)right, COMM_KEPT);
}

int cf_processes_open(struct cf_processes *walk, const char *const *comms, struct cf_error *err)
{
    *walk = (struct cf_processes)CF_PROCESSES_CLOSED;
    walk->self = geteuid();
    if (comms != NULL) {
        while (comms[walk->count] != NULL)
            walk->count++;
        walk->names = calloc(walk->count + 1, sizeof *walk->names);
        if (walk->names == NULL)
            return cf_fail(err, ENOMEM, "look for %zu names of processes", walk->count);
        memcpy(walk->names, comms, walk->count * sizeof *walk->names);
        qsort(walk->names, walk->count, sizeof *walk->names, by_name);
    }
    walk->listing = open_listing(AT_FDCWD, "/proc");
    if (walk->listing != NULL)
        return 0;
    cf_fail(err, errno, "open /proc");
    cf_processes_close(walk);
    return -1;
}

void cf_processes_close(struct cf_processes *walk)
{
    if (walk->listing != NULL)
        closedir(walk->listing);
    free(walk->names);
    *walk = (struct cf_processes)CF_PROCESSES_CLOSED;
}

static bool read_comm(struct cf_process *process)
{
    char path[32];
    snprintf(path, sizeof path, "%.20s/comm", process->id);
    cf_autoclose int fd = openat(process->proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, process->comm, sizeof process->comm - 1);
    if (got <= 0)
        return false;
    process->comm[process->comm[got - 1] == '\n' ? got - 1 : got] = '\0';
    return true;
}

static bool read_folder(struct cf_process *process)
{
    struct stat about;
    if (fstatat(process->proc, process->id, &about, AT_SYMLINK_NOFOLLOW) < 0)
        return false;
    process->uid = about.st_uid;
    return true;
}

/* A folder that is root's may be that of a process of the caller's that forbids dumps. */
static bool is_foreign(const struct cf_processes *walk, uid_t uid)
{
    return uid != walk->self && uid != 0 && uid != UNMAPPED;
}

static bool is_named(const struct cf_processes *walk, const char *name)
{
    return bsearch(&name, walk->names, walk->count, sizeof name, by_name) != NULL;
}

static bool is_wanted(const struct cf_processes *walk, const struct cf_process *process)
{
    if (walk->names == NULL || is_named(walk, process->comm))
        return true;
    const char *colon = strstr(process->comm, ": ");
    if (colon != NULL) {
        char first[sizeof process->comm] = "";
        memcpy(first, process->comm, (size_t)(colon - process->comm));
        return is_named(walk, first);
    }
    if (strcmp(process->comm, "exe") != 0)
        return false;
    char *exe = cf_process_exe(process);
    const char *slash = exe == NULL ? NULL : strrchr(exe, '/');
    bool wanted = slash != NULL && is_named(walk, slash + 1);
    free(exe);
    return wanted;
}

int cf_processes_next(struct cf_processes *walk, struct cf_process *process,
                      struct cf_error *err)
{
    for (;;) {
        errno = 0;
        struct dirent *entry = readdir(walk->listing);
        if (entry == NULL && errno != 0)
            return cf_fail(err, errno, "list /proc");
        if (entry == NULL)
            return 0;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        *process = (struct cf_process){ .proc = dirfd(walk->listing),
                                        .id = entry->d_name,
                                        .pid = (pid_t)strtol(entry->d_name, NULL, 10) };
        /* Asking for the name costs six times as much as this; root asks everybody. */
        if (walk->self != 0 && (!read_folder(process) || is_foreign(walk, process->uid)))
            continue;
        if (read_comm(process) && is_wanted(walk, process) &&
            (walk->self != 0 || read_folder(process)))
            return 1;
    }
}

uid_t cf_process_uid(const struct cf_process *process)
{
    struct cf_status status = { .len = 0 };
    uid_t uid = process->uid;
    if (uid != 0 && uid != UNMAPPED)
        return uid;
    if (cf_status_read(process->pid, &status, NULL) == 0) {
        const struct cf_status_field *ids = cf_status_find(&status, "Uid");
        if (ids != NULL && ids->kind == CF_STATUS_IDS)
            uid = (uid_t)ids->numbers[1];
    }
    cf_status_free(&status);
    return uid;
}

char *cf_process_link(const struct cf_process *process, const char *name)
{
    char link[64];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "%.20s/%.30s", process->id, name);
    ssize_t len = readlinkat(process->proc, link, target, sizeof target);
    return len <= 0 ? NULL : strndup(target, (size_t)len);
}

char *cf_process_exe(const struct cf_process *process)
{
    static const char deleted[] = " (deleted)";
    char *exe = cf_process_link(process, "exe");
    size_t len = exe == NULL ? 0 : strlen(exe), cut = sizeof deleted - 1;
    if (len > cut && strcmp(exe + len - cut, deleted) == 0)
        exe[len - cut] = '\0';
    return exe;
}

bool cf_process_sockets(const struct cf_process *process, bool (*take)(void *to, ino_t inode),
                        void *to)
{
    char path[32];
    snprintf(path, sizeof path, "%.20s/fd", process->id);
    DIR *listing = open_listing(process->proc, path);
    if (listing == NULL)
        return false;
    bool going = true;
    for (struct dirent *entry; going && (entry = readdir(listing)) != NULL;) {
        char target[64];
        ssize_t len = readlinkat(dirfd(listing), entry->d_name, target, sizeof target - 1);
        if (len <= 8 || memcmp(target, "socket:[", 8) != 0)
            continue;
        target[len] = '\0';
        going = take(to, (ino_t)strtoull(target + 8, NULL, 10));
    }
    closedir(listing);
    return true;
}
