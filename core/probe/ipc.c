/* Attempts on memory and queues that processes share by key, number or name. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

/* Attaches the segment for reading. */
static void attach(int id, struct cf_finding *finding)
{
    void *memory = id < 0 ? (void *)-1 : shmat(id, NULL, SHM_RDONLY);
    if (memory == (void *)-1) {
        cf_finding_refused(finding, errno, id < 0 ? "shmget" : "shmat");
        return;
    }
    shmdt(memory);
    cf_finding_reached(finding, "segment %d was attached", id);
}

static void shm_by_key(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long key;
    if (cf_number_read(args[0], UINT_MAX, &key, finding) == 0)
        attach(shmget((key_t)key, 0, 0), finding);
}

static void shm_by_id(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long id;
    if (cf_number_read(args[0], INT_MAX, &id, finding) == 0)
        attach((int)id, finding);
}

static void queue_by_key(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long key;
    if (cf_number_read(args[0], UINT_MAX, &key, finding) < 0)
        return;
    if (msgget((key_t)key, 0) < 0)
        cf_finding_refused(finding, errno, "msgget");
    else
        cf_finding_reached(finding, "the queue was opened");
}

static void semaphore_by_key(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long key;
    if (cf_number_read(args[0], UINT_MAX, &key, finding) < 0)
        return;
    if (semget((key_t)key, 0, 0) < 0)
        cf_finding_refused(finding, errno, "semget");
    else
        cf_finding_reached(finding, "the semaphores were opened");
}

static void shm_by_name(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = shm_open(args[0], O_RDONLY, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "shm_open");
    else
        cf_finding_reached(finding, "the shared memory was opened");
}

static void queue_by_name(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    mqd_t queue = mq_open(args[0], O_RDONLY);
    if (queue == (mqd_t)-1) {
        cf_finding_refused(finding, errno, "mq_open");
        return;
    }
    mq_close(queue);
    cf_finding_reached(finding, "the queue was opened");
}

static const struct cf_attempt ATTEMPTS[] = {
    { "sysv-shm", "shared memory", "KEY",
      "System V shared memory of outside can be read by its key", 1, 1, shm_by_key },
    { "sysv-shm-id", "shared memory", "ID",
      "System V shared memory of outside can be read by its number", 1, 1, shm_by_id },
    { "sysv-queue", "message queue", "KEY", "a System V message queue of outside can be opened",
      1, 1, queue_by_key },
    { "sysv-semaphore", "message queue", "KEY", "System V semaphores of outside can be opened",
      1, 1, semaphore_by_key },
    { "posix-shm", "shared memory", "/NAME",
      "POSIX shared memory of outside can be read by name", 1, 1, shm_by_name },
    { "posix-queue", "message queue", "/NAME", "a POSIX message queue of outside can be opened",
      1, 1, queue_by_name },
};

const struct cf_family cf_family_ipc = CF_FAMILY(ATTEMPTS);
