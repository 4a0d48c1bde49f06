/* Finds the processes of given names with the sockets that each holds. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fds.h"
#include "host/owners.h"
#include "host/processes.h"

#define COMMAND_KEPT ((size_t)64 * 1024)

/* A list of inodes while it grows; memory that ran out is told when the list is complete. */
struct growth {
    struct cf_holder *holder;
    struct cf_error *err;
    bool failed;
};

static bool take(void *to, ino_t inode)
{
    struct growth *growth = to;
    struct cf_holder *holder = growth->holder;
    uint64_t *inodes = cf_array_grow(holder->inodes, &holder->cap, holder->count + 1,
                                     sizeof *inodes, growth->err);
    growth->failed = inodes == NULL;
    if (growth->failed)
        return false;
    holder->inodes = inodes;
    inodes[holder->count++] = inode;
    return true;
}

/* Where the link may not be followed nobody knows, and the process counts as one of here. */
static bool sees_other_mounts(const struct cf_process *process)
{
    char path[32];
    struct stat own, its;
    snprintf(path, sizeof path, "%.20s/ns/mnt", process->id);
    return fstatat(process->proc, path, &its, 0) == 0 &&
           fstatat(process->proc, "self/ns/mnt", &own, 0) == 0 &&
           (its.st_ino != own.st_ino || its.st_dev != own.st_dev);
}

static void read_command(const struct cf_process *process, struct cf_bytes *command)
{
    char path[32];
    snprintf(path, sizeof path, "%.20s/cmdline", process->id);
    /* What did not fit, or could not be read, names no socket. */
    (void)cf_read_file_at(process->proc, path, COMMAND_KEPT, command, NULL);
}

/* Fills one holder; -1 only when memory is short. */
static int look_into(const struct cf_process *process, struct cf_holder *holder,
                     struct cf_error *err)
{
    struct growth growth = { holder, err, false };
    holder->pid = process->pid;
    memcpy(holder->comm, process->comm, sizeof holder->comm);
    holder->is_closed = !cf_process_sockets(process, take, &growth);
    if (growth.failed)
        return -1;
    holder->exe = cf_process_exe(process);
    holder->cwd = cf_process_link(process, "cwd");
    holder->is_elsewhere = sees_other_mounts(process);
    if (holder->is_closed)
        read_command(process, &holder->command);
    return 0;
}

int cf_holders_find(const char *const *comms, struct cf_holders *holders, struct cf_error *err)
{
    *holders = (struct cf_holders){ NULL, 0, 0 };
    cf_autoprocesses struct cf_processes walk = CF_PROCESSES_CLOSED;
    if (cf_processes_open(&walk, comms, err) < 0)
        return -1;
    struct cf_process process;
    int more;
    while ((more = cf_processes_next(&walk, &process, err)) > 0) {
        uid_t uid = cf_process_uid(&process);
        /* A folder of root's is not always a process of root's. */
        if (walk.self != 0 && uid != walk.self)
            continue;
        struct cf_holder *items =
            cf_array_grow(holders->items, &holders->cap, holders->len + 1, sizeof *items, err);
        more = items == NULL ? -1 : 0;
        if (more < 0)
            break;
        holders->items = items;
        struct cf_holder *holder = &items[holders->len++];
        *holder = (struct cf_holder){ .uid = uid, .command = CF_BYTES_EMPTY };
        more = look_into(&process, holder, err);
        if (more < 0)
            break;
    }
    if (more == 0)
        return 0;
    cf_holders_free(holders);
    return -1;
}

void cf_holders_free(struct cf_holders *holders)
{
    for (size_t at = 0; at < holders->len; at++) {
        free(holders->items[at].exe);
        free(holders->items[at].cwd);
        free(holders->items[at].inodes);
        cf_bytes_free(&holders->items[at].command);
    }
    free(holders->items);
    *holders = (struct cf_holders){ NULL, 0, 0 };
}
