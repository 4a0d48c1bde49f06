/* Attempts on a socket past the system calls that a filter would look at, over other address
 * families, and over descriptors that were open before the command started. */
#include "probe.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <linux/vm_sockets.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The three shared areas of a ring with one entry. */
struct ring {
    int fd;
    struct io_uring_params params;
    unsigned char *submissions, *completions;
    struct io_uring_sqe *entries;
};

static void *ring_map(const struct ring *ring, size_t size, off_t offset)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring->fd,
                offset);
}

/* Returns 0 with ring->fd owned, or -1 with the finding filled. */
static int ring_open(struct ring *ring, struct cf_finding *finding)
{
    memset(ring, 0, sizeof(*ring));
    ring->fd = (int)syscall(SYS_io_uring_setup, 1, &ring->params);
    if (ring->fd < 0) {
        cf_finding_refused(finding, errno, "io_uring_setup");
        return -1;
    }
    const struct io_uring_params *params = &ring->params;
    ring->submissions = ring_map(
        ring, params->sq_off.array + params->sq_entries * sizeof(__u32), IORING_OFF_SQ_RING);
    ring->completions =
        ring_map(ring, params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe),
                 IORING_OFF_CQ_RING);
    ring->entries =
        ring_map(ring, params->sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
    if (ring->submissions == MAP_FAILED || ring->completions == MAP_FAILED ||
        (void *)ring->entries == MAP_FAILED) {
        cf_finding_unavailable(finding, errno, "mmap of the ring");
        close(ring->fd);
        return -1;
    }
    return 0;
}

/* Submits entries[0] and waits for it. Returns its result, or -errno of the call itself. */
static int ring_do(struct ring *ring)
{
    const struct io_sqring_offsets *out = &ring->params.sq_off;
    const struct io_cqring_offsets *in = &ring->params.cq_off;
    ((__u32 *)(void *)(ring->submissions + out->array))[0] = 0;
    _Atomic __u32 *tail = (_Atomic __u32 *)(void *)(ring->submissions + out->tail);
    atomic_store(tail, atomic_load(tail) + 1);
    if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
        return -errno;
    return ((struct io_uring_cqe *)(void *)(ring->completions + in->cqes))[0].res;
}

static void by_io_uring(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    struct sockaddr_un address;
    socklen_t length;
    struct ring ring;
    if (cf_address_read(args[0], &address, &length, finding) < 0 ||
        ring_open(&ring, finding) < 0)
        return;
    CF_PROBE_FD owned = ring.fd;
    CF_PROBE_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (owned < 0 || fd < 0) {
        cf_finding_refused(finding, errno, "socket");
        return;
    }
    memset(&ring.entries[0], 0, sizeof(ring.entries[0]));
    ring.entries[0].opcode = IORING_OP_CONNECT;
    ring.entries[0].fd = fd;
    ring.entries[0].addr = (__u64)(uintptr_t)&address;
    ring.entries[0].off = length;
    int result = ring_do(&ring);
    if (result < 0)
        cf_finding_refused(finding, -result, "connect through io_uring");
    else
        cf_finding_reached(finding, "connected through io_uring");
}

/* Making the socket is what a filter refuses; whether anybody listens at the host is chance. */
static void by_vsock(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    CF_PROBE_FD fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "socket AF_VSOCK");
    else
        cf_finding_reached(finding, "a vsock socket was made");
}

static void by_family(char **args, int count, struct cf_finding *finding)
{
    unsigned long family, type = SOCK_DGRAM;
    if (cf_number_read(args[0], AF_MAX, &family, finding) < 0 ||
        (count > 1 && cf_number_read(args[1], 10, &type, finding) < 0))
        return;
    CF_PROBE_FD fd = socket((int)family, (int)type | SOCK_CLOEXEC, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "socket family %lu", family);
    else
        cf_finding_reached(finding, "a socket of family %lu was made", family);
}

static void by_descriptor(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long fd;
    if (cf_number_read(args[0], 1u << 20, &fd, finding) < 0)
        return;
    struct sockaddr_un peer;
    socklen_t length = sizeof(peer);
    if (getpeername((int)fd, (struct sockaddr *)&peer, &length) < 0)
        cf_finding_refused(finding, errno, "getpeername of descriptor %lu", fd);
    else
        cf_finding_reached(finding, "descriptor %lu is a connected socket", fd);
}

#ifdef __x86_64__
enum { I386_GETPID = 20 };
static const unsigned long X32_BIT = 0x40000000;

static void by_int80(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    long result;
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(I386_GETPID)
                     : "memory", "r8", "r9", "r10", "r11");
    if ((int)result > 0)
        cf_finding_reached(finding, "getpid by int 0x80 answered");
    else
        cf_finding_refused(finding, -(int)result, "getpid by int 0x80");
}

static void by_x32(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    long result = syscall((long)(X32_BIT | SYS_getpid));
    if (result > 0)
        cf_finding_reached(finding, "getpid of the x32 interface answered");
    else
        cf_finding_refused(finding, errno, "getpid of the x32 interface");
}
#else
static void by_int80(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    cf_finding_unavailable(finding, ENOSYS, "this machine has no int 0x80");
}

static void by_x32(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    cf_finding_unavailable(finding, ENOSYS, "this machine has no x32 interface");
}
#endif

static const struct cf_attempt ATTEMPTS[] = {
    { "connect-io-uring", "system call detour", "PATH|@NAME",
      "the socket can be connected by io_uring, unseen by a filter of system calls", 1, 1,
      by_io_uring },
    { "int80", "system call detour", "",
      "32-bit system calls work, past a filter of 64-bit numbers", 0, 0, by_int80 },
    { "x32", "system call detour", "", "x32 system calls work, past a filter of 64-bit numbers",
      0, 0, by_x32 },
    { "vsock", "address family", "", "a socket to the machine that hosts this one can be made",
      0, 0, by_vsock },
    { "family", "address family", "NUMBER [TYPE]",
      "a socket of this address family can be made", 1, 2, by_family },
    { "peer", "inherited descriptor", "FD",
      "a connected socket was inherited as this descriptor", 1, 1, by_descriptor },
};

const struct cf_family cf_family_detours = CF_FAMILY(ATTEMPTS);
