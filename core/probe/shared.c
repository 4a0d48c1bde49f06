/* Things of the kernel that attempts aim at and that live longer than the process that made
 * them: System V and POSIX objects, keys. */
#include "shared.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEY_SECONDS = 60, ALL_FOR_OWNER = 0x3f3f0000 };

static struct {
    int shm, queue, semaphore; /* ids, -1 for none */
    char posix_shm[64], posix_queue[64];
    long key; /* in the user keyring, 0 for none */
} made = { .shm = -1, .queue = -1, .semaphore = -1 };

/* A key of System V that nobody uses, by the process number: two of us never share one. */
static key_t number(void)
{
    return (key_t)(0x43460000 ^ getpid());
}

static int make_shm(char *name, size_t size)
{
    made.shm = shmget(number(), 4096, IPC_CREAT | IPC_EXCL | 0600);
    snprintf(name, size, "0x%x %d", (unsigned)number(), made.shm);
    return made.shm < 0 ? -1 : 0;
}

static int make_queue(char *name, size_t size)
{
    made.queue = msgget(number(), IPC_CREAT | IPC_EXCL | 0600);
    snprintf(name, size, "0x%x", (unsigned)number());
    return made.queue < 0 ? -1 : 0;
}

static int make_semaphore(char *name, size_t size)
{
    made.semaphore = semget(number(), 1, IPC_CREAT | IPC_EXCL | 0600);
    snprintf(name, size, "0x%x", (unsigned)number());
    return made.semaphore < 0 ? -1 : 0;
}

static int make_posix_shm(const char *label, char *name, size_t size)
{
    snprintf(name, size, "/%.40s", label);
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return -1;
    close(fd);
    snprintf(made.posix_shm, sizeof(made.posix_shm), "%s", name);
    return 0;
}

static int make_posix_queue(const char *label, char *name, size_t size)
{
    struct mq_attr attributes = { .mq_maxmsg = 1, .mq_msgsize = 16 };
    snprintf(name, size, "/%.40s", label);
    mqd_t queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    if (queue == (mqd_t)-1)
        return -1;
    mq_close(queue);
    snprintf(made.posix_queue, sizeof(made.posix_queue), "%s", name);
    return 0;
}

/* A key that its owner may read by its number, and that ends by itself. */
static long add_key(const char *label, int32_t ring)
{
    long serial = syscall(SYS_add_key, "user", label, "confine", 7, ring);
    if (serial < 0 || syscall(SYS_keyctl, KEYCTL_SETPERM, serial, ALL_FOR_OWNER) < 0 ||
        syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, serial, KEY_SECONDS) < 0)
        return -1;
    return serial;
}

/* A session keyring of our own: what the caller has may be shared with his whole session. */
static int make_keys(const char *label, char *name, size_t size)
{
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
        return -1;
    long session = add_key(label, KEY_SPEC_SESSION_KEYRING);
    /* Only who possesses a key may change it, and that goes by the session keyring. */
    if (session < 0 ||
        syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING) < 0)
        return -1;
    long user = add_key(label, KEY_SPEC_USER_KEYRING);
    if (user < 0)
        return -1;
    made.key = user;
    syscall(SYS_keyctl, KEYCTL_UNLINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING);
    snprintf(name, size, "%ld %ld", session, user);
    return syscall(SYS_keyctl, KEYCTL_SESSION_TO_PARENT) < 0 ? -1 : 0;
}

int cf_shared_make(const char *kind, const char *label, char *name, size_t size)
{
    if (strcmp(kind, "shm") == 0)
        return make_shm(name, size);
    if (strcmp(kind, "queue") == 0)
        return make_queue(name, size);
    if (strcmp(kind, "semaphore") == 0)
        return make_semaphore(name, size);
    if (strcmp(kind, "posix-shm") == 0)
        return make_posix_shm(label, name, size);
    if (strcmp(kind, "posix-queue") == 0)
        return make_posix_queue(label, name, size);
    if (strcmp(kind, "key") == 0)
        return make_keys(label, name, size);
    errno = EINVAL;
    return -1;
}

void cf_shared_remove(void)
{
    if (made.shm >= 0)
        shmctl(made.shm, IPC_RMID, NULL);
    if (made.queue >= 0)
        msgctl(made.queue, IPC_RMID, NULL);
    if (made.semaphore >= 0)
        semctl(made.semaphore, 0, IPC_RMID);
    if (made.posix_shm[0])
        shm_unlink(made.posix_shm);
    if (made.posix_queue[0])
        mq_unlink(made.posix_queue);
    if (made.key > 0)
        syscall(SYS_keyctl, KEYCTL_UNLINK, made.key, KEY_SPEC_USER_KEYRING);
}
