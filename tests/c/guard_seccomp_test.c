/* The seccomp program: each call that it refuses does its work without it, and tools still work. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/if_alg.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/exposure.h"
#include "guarded.h"

static const char *const own_network[] = { "--unshare-all", NULL };

static int opens(long fd)
{
    int result = errno_of(fd);
    if (fd >= 0)
        close((int)fd);
    return result;
}

ATTEMPT(io_uring)
{
    struct io_uring_params params = { 0 };
    return opens(syscall(SYS_io_uring_setup, 1, &params));
}

ATTEMPT(keyctl)
{
    return errno_of(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0));
}

ATTEMPT(add_key)
{
    return errno_of(
        syscall(SYS_add_key, "user", "confine-test", "x", 1, KEY_SPEC_PROCESS_KEYRING));
}

ATTEMPT(request_key)
{
    return errno_of(syscall(SYS_request_key, "user", "confine-test-absent", NULL, 0));
}

ATTEMPT(vsock)
{
    return opens(socket(AF_VSOCK, SOCK_STREAM, 0));
}

/* What the kernel takes for AF_VSOCK all the same. */
ATTEMPT(vsock_high_bits)
{
    return opens(syscall(SYS_socket, INT64_C(0x700000000) | AF_VSOCK, SOCK_STREAM, 0));
}

ATTEMPT(packet)
{
    return opens(socket(AF_PACKET, SOCK_RAW, 0));
}

ATTEMPT(tipc_pair)
{
    int ends[2];
    return errno_of(socketpair(AF_TIPC, SOCK_STREAM, 0, ends));
}

/* Every family but the four, up to the last that is known; the first that answers otherwise. */
ATTEMPT(other_families)
{
    for (int family = 0; family < 64; family++) {
        bool useful = family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
                      family == AF_NETLINK;
        int result = opens(socket(family, SOCK_STREAM, 0));
        if (!useful && result != EAFNOSUPPORT)
            return result;
    }
    return EAFNOSUPPORT;
}

ATTEMPT(useful_sockets)
{
    static const struct {
        int family, type, protocol;
    } all[] = {
        { AF_UNIX, SOCK_STREAM, 0 },
        { AF_UNIX, SOCK_DGRAM, 0 },
        { AF_UNIX, SOCK_SEQPACKET, 0 },
        { AF_INET, SOCK_STREAM, 0 },
        { AF_INET, SOCK_DGRAM, 0 },
        { AF_INET6, SOCK_STREAM, 0 },
        { AF_NETLINK, SOCK_RAW, NETLINK_ROUTE },
        { AF_NETLINK, SOCK_DGRAM, NETLINK_SOCK_DIAG },
        { AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT },
        { AF_NETLINK, SOCK_RAW, NETLINK_GENERIC },
    };
    for (size_t at = 0; at < sizeof all / sizeof *all; at++) {
        int result = opens(socket(all[at].family, all[at].type, all[at].protocol));
        if (result != 0)
            return result;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
        return errno;
    return errno_of(send(ends[0], "x", 1, 0));
}

ATTEMPT(unshare_user)
{
    return errno_of(unshare(CLONE_NEWUSER));
}

static int ended_well(long child)
{
    int status = -1;
    if (child < 0)
        return errno;
    if (child == 0)
        _exit(0);
    waitpid((pid_t)child, &status, 0);
    return status;
}

ATTEMPT(clone_user)
{
    return ended_well(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
}

ATTEMPT(clone3)
{
    struct {
        uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    } args = { .exit_signal = SIGCHLD };
    return ended_well(syscall(SYS_clone3, &args, sizeof args));
}

/* Without the namespace it stands for, answered by the kernel in its own way. */
ATTEMPT(setns)
{
    cf_autoclose int fd = open("/proc/self/ns/user", O_RDONLY);
    return errno_of(setns(fd, 0));
}

ATTEMPT(open_tree)
{
    return opens(syscall(SYS_open_tree, AT_FDCWD, "/", 0));
}

ATTEMPT(mount_setattr)
{
    struct mount_attr attr = { 0 };
    return errno_of(syscall(SYS_mount_setattr, -1, "", 0, &attr, sizeof attr));
}

ATTEMPT(umount)
{
    return errno_of(umount2("/proc/self/absent", 0));
}

ATTEMPT(open_by_handle)
{
    struct {
        struct file_handle handle;
        char more[128];
    } file;
    int mount_id;
    file.handle.handle_bytes = sizeof file.more;
    if (name_to_handle_at(AT_FDCWD, "/usr", &file.handle, &mount_id, 0) < 0)
        return 0;
    cf_autoclose int root = open("/", O_RDONLY | O_DIRECTORY);
    return opens(open_by_handle_at(root, &file.handle, O_RDONLY));
}

ATTEMPT(bpf)
{
    return errno_of(syscall(SYS_bpf, -1, NULL, 0));
}

ATTEMPT(userfaultfd)
{
    return opens(syscall(SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */));
}

ATTEMPT(pidfd_getfd)
{
    cf_autoclose int process = (int)syscall(SYS_pidfd_open, getpid(), 0);
    return opens(syscall(SYS_pidfd_getfd, process, 1, 0));
}

ATTEMPT(syslog)
{
    return errno_of(syscall(SYS_syslog, 99, NULL, 0));
}

ATTEMPT(lease)
{
    char name[] = "/tmp/leaseXXXXXX";
    cf_autoclose int made = mkstemp(name);
    cf_close_fd(&made);
    cf_autoclose int fd = open(name, O_RDONLY | O_CLOEXEC);
    int result = errno_of(fcntl(fd, F_SETLEASE, F_RDLCK));
    unlink(name);
    return result;
}

ATTEMPT(swapoff)
{
    return errno_of(syscall(SYS_swapoff, NULL));
}

ATTEMPT(reboot)
{
    return errno_of(syscall(SYS_reboot, 0, 0, 0, NULL));
}

static long perf(pid_t pid, int cpu, unsigned long flags)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, flags);
}

ATTEMPT(perf_machine)
{
    return opens(perf(-1, 0, PERF_FLAG_FD_CLOEXEC));
}

ATTEMPT(perf_group)
{
    return opens(perf(-2, 0, PERF_FLAG_PID_CGROUP));
}

ATTEMPT(perf_self)
{
    return opens(perf(0, -1, PERF_FLAG_FD_CLOEXEC));
}

/* Success is that the limit is 0 afterwards. */
ATTEMPT(core_limit_zero)
{
    struct rlimit limit = { 0, 0 };
    if (setrlimit(RLIMIT_CORE, &limit) < 0)
        return errno;
    getrlimit(RLIMIT_CORE, &limit);
    return limit.rlim_cur == 0 && limit.rlim_max == 0 ? 0 : EBUSY;
}

ATTEMPT(core_limit_swap)
{
    struct rlimit limit = { 0, 0 }, old;
    return errno_of(prlimit(0, RLIMIT_CORE, &limit, &old));
}

ATTEMPT(other_limits)
{
    struct rlimit limit, old;
    if (getrlimit(RLIMIT_CORE, &limit) < 0 || prlimit(0, RLIMIT_NOFILE, NULL, &limit) < 0)
        return errno;
    limit.rlim_cur = 64;
    return errno_of(prlimit(0, RLIMIT_NOFILE, &limit, &old));
}

ATTEMPT(unknown_call)
{
    return errno_of(syscall(CF_SECCOMP_NEWEST + 1000));
}

#if defined(__x86_64__)
ATTEMPT(x32_call)
{
    return errno_of(syscall(0x40000000 | SYS_getpid));
}

ATTEMPT(i386_call)
{
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    return result == getpid() ? 0 : ENOSYS;
}
#endif

static void *nothing(void *arg)
{
    return arg;
}

ATTEMPT(thread)
{
    pthread_t thread;
    int result = pthread_create(&thread, NULL, nothing, NULL);
    return result != 0 ? result : pthread_join(thread, NULL);
}

/* What gdb, strace and setarch do. */
ATTEMPT(tracing)
{
    int status = 0, value = 7, read = 0;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        _exit(0);
    }
    waitpid(child, &status, 0);
    struct iovec here = { &read, sizeof read }, there = { &value, sizeof value };
    int result = errno_of(process_vm_readv(child, &here, 1, &there, 1, 0));
    if (result == 0)
        result = errno_of(ptrace(PTRACE_CONT, child, NULL, NULL));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (result == 0)
        result = errno_of(personality(ADDR_NO_RANDOMIZE));
    return result != 0 || read == value ? result : EIO;
}

/* Each: done (or answered in the kernel's own way) without the program, refused with it. */
CHECK_CASE(what_is_refused_could_be_done_without_the_program)
{
    static const struct {
        const char *name;
        int refused;
    } calls[] = {
        { "io_uring", ENOSYS },       { "keyctl", ENOSYS },     { "add_key", ENOSYS },
        { "unshare_user", EPERM },    { "clone_user", EPERM },  { "clone3", ENOSYS },
        { "open_tree", ENOSYS },      { "userfaultfd", EPERM }, { "core_limit_zero", EBUSY },
        { "core_limit_swap", EPERM }, { "lease", EINVAL },      { "pidfd_getfd", EPERM },
    };
    struct cf_guards guards = guarded_all(false);
    struct rlimit core;
    getrlimit(RLIMIT_CORE, &core);
    for (EACH_USER(uid)) {
        for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {
            /* A hard limit of 0, as below sudo, is 0 whether it may be set or not. */
            if (core.rlim_max == 0 && strcmp(calls[at].name, "core_limit_zero") == 0)
                continue;
            CHECK_ATTEMPT(calls[at].name, uid, NULL, 0);
            CHECK_ATTEMPT(calls[at].name, uid, &guards, calls[at].refused);
            CHECK_INSIDE(calls[at].name, uid, &guards, own_network, calls[at].refused);
        }
    }
    guarded_end(&guards);
}

/* The kernel itself says something else: the program answers before it looks. */
CHECK_CASE(what_needs_a_capability_or_an_argument_is_refused_before_that)
{
    static const struct {
        const char *name;
        int plain, refused;
    } calls[] = {
        { "request_key", ENOKEY, ENOSYS }, { "mount_setattr", 0, ENOSYS },
        { "umount", ENOENT, EPERM },       { "syslog", EINVAL, EPERM },
        { "swapoff", EFAULT, EPERM },      { "reboot", EINVAL, EPERM },
        { "setns", EINVAL, EPERM },        { "bpf", EINVAL, EPERM },
        { "perf_group", EBADF, EACCES },
    };
    struct cf_guards guards = guarded_all(false);
    for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {
        if (geteuid() == 0)
            CHECK_ATTEMPT(calls[at].name, 0, NULL, calls[at].plain);
        for (EACH_USER(uid))
            CHECK_ATTEMPT(calls[at].name, uid, &guards, calls[at].refused);
    }
    guarded_end(&guards);
}

CHECK_CASE(root_without_capabilities_opens_no_file_by_its_handle)
{
    if (geteuid() != 0)
        CHECK_SKIP("root");
    struct cf_guards guards = guarded_all(false);
    CHECK_ATTEMPT("open_by_handle", 0, NULL, 0);
    CHECK_ATTEMPT("open_by_handle", 0, &guards, EPERM);
    guarded_end(&guards);
}

CHECK_CASE(families_without_use_are_not_supported)
{
    struct cf_exposure exposure;
    struct cf_guards guards = guarded_all(false);
    cf_exposure_read(&exposure);
    for (EACH_USER(uid)) {
        CHECK_ATTEMPT("other_families", uid, &guards, EAFNOSUPPORT);
        CHECK_INSIDE("other_families", uid, &guards, NULL, EAFNOSUPPORT);
        CHECK_ATTEMPT("tipc_pair", uid, &guards, EAFNOSUPPORT);
        CHECK_ATTEMPT("vsock_high_bits", uid, &guards, EAFNOSUPPORT);
        if (exposure.vsock) {
            CHECK_ATTEMPT("vsock", uid, NULL, 0);
            CHECK_ATTEMPT("vsock_high_bits", uid, NULL, 0);
            CHECK_INSIDE("vsock", uid, NULL, own_network, 0);
        }
        CHECK_INSIDE("vsock", uid, &guards, own_network, EAFNOSUPPORT);
    }
    if (geteuid() == 0)
        CHECK_ATTEMPT("packet", 0, NULL, 0);
    guarded_end(&guards);
}

CHECK_CASE(what_tools_need_still_works)
{
    static const char *const calls[] = { "useful_sockets", "other_limits", "thread",
                                         "tracing" };
    struct cf_guards guards = guarded_all(false);
    for (EACH_USER(uid)) {
        for (size_t at = 0; at < sizeof calls / sizeof *calls; at++) {
            CHECK_ATTEMPT(calls[at], uid, &guards, 0);
            CHECK_INSIDE(calls[at], uid, &guards, own_network, 0);
        }
    }
    guarded_end(&guards);
}

CHECK_CASE(profiling_is_for_the_own_processes)
{
    struct cf_guards guards = guarded_all(false);
    if (geteuid() == 0) {
        CHECK_ATTEMPT("perf_machine", 0, NULL, 0);
        CHECK_ATTEMPT("perf_self", 0, &guards, 0);
    }
    for (EACH_USER(uid))
        CHECK_ATTEMPT("perf_machine", uid, &guards, EACCES);
    guarded_end(&guards);
}

CHECK_CASE(user_namespaces_can_be_granted)
{
    static const char *const calls[] = { "unshare_user", "clone_user", "clone3", "open_tree" };
    struct cf_guards guards = guarded_all(true);
    for (EACH_USER(uid)) {
        for (size_t at = 0; at < sizeof calls / sizeof *calls; at++)
            CHECK_INSIDE(calls[at], uid, &guards, own_network, 0);
        CHECK_INSIDE("io_uring", uid, &guards, own_network, ENOSYS);
    }
    guarded_end(&guards);
}

CHECK_CASE(unknown_and_foreign_calls_are_not_made)
{
    struct cf_guards guards = guarded_all(false);
    for (EACH_USER(uid)) {
        CHECK_ATTEMPT("unknown_call", uid, &guards, ENOSYS);
#if defined(__x86_64__)
        CHECK_ATTEMPT("x32_call", uid, &guards, ENOSYS);
        CHECK_ATTEMPT("i386_call", uid, &guards, ENDED_BY(SIGSYS));
        CHECK_INSIDE("i386_call", uid, &guards, NULL, 128 + SIGSYS);
#endif
    }
    guarded_end(&guards);
}

#if defined(__x86_64__)
CHECK_CASE(a_call_of_another_architecture_works_without_the_program)
{
    if (access("/proc/sys/abi/vsyscall32", F_OK) < 0)
        CHECK_SKIP("a kernel that executes 32-bit programs");
    for (EACH_USER(uid))
        CHECK_ATTEMPT("i386_call", uid, NULL, 0);
}
#endif

CHECK_CASE(the_program_can_be_proved)
{
    struct cf_error err;
    CHECK_INT(cf_seccomp_available(&err), 0);
}

CHECK_CASE(the_program_can_no_longer_be_changed)
{
    struct cf_error err;
    const struct cf_seccomp_wishes wishes = { false };
    cf_autoclose int program = cf_seccomp_build(&wishes, &err);
    CHECK_INT(write(program, "x", 1), -1);
    CHECK_INT(errno, EPERM);
    CHECK_INT(lseek(program, 0, SEEK_CUR), 0);
}

GUARDED_MAIN
