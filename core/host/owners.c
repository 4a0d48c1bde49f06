/* Finds who holds given sockets, asking the processes one after the other. */
#include "host/owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/processes.h"

static int by_inode(const void *left, const void *right)
{
    const struct cf_owner *a = left;
    const struct cf_owner *b = right;
    return (a->inode > b->inode) - (a->inode < b->inode);
}

/* A search through one process. */
struct search {
    const struct cf_process *process;
    struct cf_owners *owners;
    size_t missing;
};

static bool take(void *to, ino_t inode)
{
    struct search *search = to;
    const struct cf_process *process = search->process;
    struct cf_owners *owners = search->owners;
    struct cf_owner wanted = { .inode = inode };
    struct cf_owner *owner =
        bsearch(&wanted, owners->items, owners->len, sizeof wanted, by_inode);
    if (owner == NULL || owner->pid != 0)
        return true;
    owner->pid = process->pid;
    owner->uid = cf_process_uid(process);
    memcpy(owner->comm, process->comm, sizeof owner->comm);
    owner->exe = cf_process_exe(process);
    search->missing--;
    return search->missing > 0;
}

static int search_processes(const char *const *comms, struct cf_owners *owners,
                            struct cf_error *err)
{
    cf_autoprocesses struct cf_processes walk = CF_PROCESSES_CLOSED;
    if (cf_processes_open(&walk, comms, err) < 0)
        return -1;
    struct cf_process process;
    struct search search = { &process, owners, owners->len };
    int more = 0;
    while (search.missing > 0 && (more = cf_processes_next(&walk, &process, err)) > 0)
        cf_process_sockets(&process, take, &search);
    return more < 0 ? -1 : 0;
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
