/* Walks /proc once: the command name first, the descriptors only of candidates. */
#include "host/owners.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/status.h"

#define COMM_KEPT 15 /* TASK_COMM_LEN without its NUL */

/* One process while it is looked at. */
struct process {
    int proc;
    const char *id;
    uid_t uid;
    char comm[64];
};

static void close_listing(DIR **listing)
{
    if (*listing != NULL)
        closedir(*listing);
}

#define autoclosedir __attribute__((cleanup(close_listing)))

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

/* The process may end at any moment; then it owns nothing any more. */
static bool read_comm(struct process *process)
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

static bool is_candidate(const char *comm, const char *const *comms)
{
    for (; *comms != NULL; comms++) {
        size_t len = strnlen(*comms, COMM_KEPT);
        if (strncmp(comm, *comms, len) == 0 &&
            (comm[len] == '\0' || strncmp(comm + len, ": ", 2) == 0))
            return true;
    }
    return false;
}

static int by_inode(const void *left, const void *right)
{
    const struct cf_owner *a = left;
    const struct cf_owner *b = right;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

static char *read_exe(const struct process *process)
{
    char link[32];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "%.20s/exe", process->id);
    ssize_t len = readlinkat(process->proc, link, target, sizeof target);
    if (len <= 0)
        return NULL;
    /* A daemon whose package was upgraded is still that daemon. */
    static const char deleted[] = " (deleted)";
    size_t cut = sizeof deleted - 1;
    if ((size_t)len > cut && memcmp(target + len - cut, deleted, cut) == 0)
        len -= (ssize_t)cut;
    return strndup(target, (size_t)len);
}

/* Not from the owner of /proc/PID: an agent that forbids dumps has root's folder there. */
static uid_t read_uid(pid_t pid, uid_t fallback)
{
    struct cf_status status = { .len = 0 };
    uid_t uid = fallback;
    if (cf_status_read(pid, &status, NULL) == 0) {
        const struct cf_status_field *ids = cf_status_find(&status, "Uid");
        if (ids != NULL && ids->kind == CF_STATUS_IDS)
            uid = (uid_t)ids->numbers[1];
    }
    cf_status_free(&status);
    return uid;
}

/* Returns how many of the owners were found in this process. */
static size_t search_descriptors(const struct process *process, struct cf_owners *owners)
{
    char path[32];
    snprintf(path, sizeof path, "%.20s/fd", process->id);
    autoclosedir DIR *listing = open_listing(process->proc, path);
    if (listing == NULL)
        return 0;
    size_t found = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
        char target[64];
        ssize_t len = readlinkat(dirfd(listing), entry->d_name, target, sizeof target - 1);
        if (len <= 8 || memcmp(target, "socket:[", 8) != 0)
            continue;
        target[len] = '\0';
        struct cf_owner wanted = { .inode = strtoull(target + 8, NULL, 10) };
        struct cf_owner *owner =
            bsearch(&wanted, owners->items, owners->len, sizeof wanted, by_inode);
        if (owner == NULL || owner->pid != 0)
            continue;
        owner->pid = (pid_t)strtol(process->id, NULL, 10);
        owner->uid = read_uid(owner->pid, process->uid);
        memcpy(owner->comm, process->comm, sizeof owner->comm);
        owner->exe = read_exe(process);
        found++;
    }
    return found;
}

static int search_processes(const char *const *comms, struct cf_owners *owners,
                            struct cf_error *err)
{
    autoclosedir DIR *listing = open_listing(AT_FDCWD, "/proc");
    if (listing == NULL)
        return cf_fail(err, errno, "open /proc");
    uid_t self = geteuid();
    size_t missing = owners->len;
    /* The kernel lists processes in ascending order of their ids. */
    while (missing > 0) {
        errno = 0;
        struct dirent *entry = readdir(listing);
        if (entry == NULL && errno != 0)
            return cf_fail(err, errno, "list /proc");
        if (entry == NULL)
            break;
        struct stat about;
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            fstatat(dirfd(listing), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        /* Another user's descriptors are readable for root only: spare the attempt. */
        if (self != 0 && about.st_uid != self)
            continue;
        struct process process = { .proc = dirfd(listing),
                                   .id = entry->d_name,
                                   .uid = about.st_uid };
        if (!read_comm(&process) || (comms != NULL && !is_candidate(process.comm, comms)))
            continue;
        missing -= search_descriptors(&process, owners);
    }
    return 0;
}

int cf_owners_find(const uint64_t *inodes, size_t count, const char *const *comms,
                   struct cf_owners *owners, struct cf_error *err)
{
    *owners = (struct cf_owners){ NULL, 0 };
    if (count == 0)
        return 0;
    struct cf_owner *items = calloc(count, sizeof *items);
    if (items == NULL)
        return cf_fail(err, ENOMEM, "look for the owners of %zu sockets", count);
    for (size_t at = 0; at < count; at++)
        items[at].inode = inodes[at];
    qsort(items, count, sizeof *items, by_inode);
    size_t kept = 1;
    for (size_t at = 1; at < count; at++)
        if (items[at].inode != items[kept - 1].inode)
            items[kept++] = items[at];
    *owners = (struct cf_owners){ items, kept };
    if (search_processes(comms, owners, err) == 0)
        return 0;
    cf_owners_free(owners);
    return -1;
}

void cf_owners_free(struct cf_owners *owners)
{
    for (size_t at = 0; at < owners->len; at++)
        free(owners->items[at].exe);
    free(owners->items);
    *owners = (struct cf_owners){ NULL, 0 };
}
