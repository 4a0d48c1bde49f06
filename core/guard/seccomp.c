/* The rules of the seccomp program: one table of refused calls, and the few that look deeper. */
#include "guard/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fds.h"
#include "guard/bpf.h"
#include "guard/switch.h"
#include "guard/trial.h"

#define LOW32 UINT64_C(0xffffffff)

/* Arguments of type int or unsigned: the kernel drops the upper half, so it is not compared. */
#define INT_IS(arg, value) SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, LOW32, (uint32_t)(value))
#define HAS_FLAG(arg, flag) SCMP_CMP(arg, SCMP_CMP_MASKED_EQ, (flag), (flag))

struct refusal {
    int call;
    int answer; /* errno; ENOSYS where programs know how to do without */
};

/* Refused in every run. */
static const struct refusal always[] = {
    /* Does on its own what these rules refuse (connect, socket, openat) past any filter. Node,
     * npm and others that would use it fall back, as on a host with io_uring_disabled. */
    { SCMP_SYS(io_uring_setup), ENOSYS },
    { SCMP_SYS(io_uring_enter), ENOSYS },
    { SCMP_SYS(io_uring_register), ENOSYS },
    /* Keyrings are in no namespace. ENOSYS is a kernel without them, which runc, krb5 and
     * systemd provide for; EPERM makes some of them give up. */
    { SCMP_SYS(keyctl), ENOSYS },
    { SCMP_SYS(add_key), ENOSYS },
    { SCMP_SYS(request_key), ENOSYS },
    /* Opens a file by its number, wherever it lies: the way out of a mount namespace. */
    { SCMP_SYS(open_by_handle_at), EPERM },
    /* Programs in the kernel. Allowed to anybody where unprivileged_bpf_disabled is 0. */
    { SCMP_SYS(bpf), EPERM },
    /* Lets page faults of the kernel be held up, which makes many kernel races winnable; no
     * development tool needs it. Docker, Flatpak and systemd refuse it too. */
    { SCMP_SYS(userfaultfd), EPERM },
    /* By the descriptors of pid 1, which is bwrap's, an exit status can be forged. Supervisors of
     * containers and of checkpoints need it, no development tool does. */
    { SCMP_SYS(pidfd_getfd), EPERM },
    /* The kernel's log is the host's: addresses, devices, other programs' crashes. */
    { SCMP_SYS(syslog), EPERM },
    /* What a kernel is administered with. The kernel asks for a capability that the command has
     * not; refused once more, so that one left over by mistake is of no use. */
    { SCMP_SYS(acct), EPERM },
    { SCMP_SYS(clock_settime), EPERM },
    { SCMP_SYS(delete_module), EPERM },
    { SCMP_SYS(finit_module), EPERM },
    { SCMP_SYS(init_module), EPERM },
    { SCMP_SYS(ioperm), EPERM },
    { SCMP_SYS(iopl), EPERM },
    { SCMP_SYS(kexec_file_load), EPERM },
    { SCMP_SYS(kexec_load), EPERM },
    { SCMP_SYS(lookup_dcookie), EPERM },
    { SCMP_SYS(nfsservctl), EPERM },
    { SCMP_SYS(quotactl), EPERM },
    { SCMP_SYS(quotactl_fd), EPERM },
    { SCMP_SYS(reboot), EPERM },
    { SCMP_SYS(settimeofday), EPERM },
    { SCMP_SYS(stime), EPERM },
    { SCMP_SYS(swapoff), EPERM },
    { SCMP_SYS(swapon), EPERM },
    { SCMP_SYS(uselib), EPERM },
    { SCMP_SYS(vhangup), EPERM },
};

/*
 * Refused unless user namespaces are granted: each of them gives every capability over its own
 * mounts and sockets, and with that most of the kernel to attack. bwrap's --disable-userns does
 * the same, but not where /proc/sys is read-only. Without such a namespace the command has no
 * right to mount; should it ever come by one, the view still stays as it was made.
 * chroot and ptrace are left alone: the first needs a capability, the second ends at the pid
 * namespace, and gdb and strace live by it.
 */
static const struct refusal namespaces[] = {
    /* Its flags lie behind a pointer, where no filter sees them; libc then uses clone. */
    { SCMP_SYS(clone3), ENOSYS },
    { SCMP_SYS(setns), EPERM },
    { SCMP_SYS(mount), EPERM },
    { SCMP_SYS(umount), EPERM },
    { SCMP_SYS(umount2), EPERM },
    { SCMP_SYS(pivot_root), EPERM },
    /* libmount goes back to mount(2) when these are not there. */
    { SCMP_SYS(open_tree), ENOSYS },
    { SCMP_SYS(move_mount), ENOSYS },
    { SCMP_SYS(fsopen), ENOSYS },
    { SCMP_SYS(fsconfig), ENOSYS },
    { SCMP_SYS(fsmount), ENOSYS },
    { SCMP_SYS(fspick), ENOSYS },
    { SCMP_SYS(mount_setattr), ENOSYS },
    { 467, ENOSYS }, /* open_tree_attr, Linux 6.15: the same number on every architecture */
};

/* seccomp_rule_add answers 0 for a call that this architecture does not have. */
static int refuse(scmp_filter_ctx filter, int call, int answer, unsigned count,
                  const struct scmp_arg_cmp *args, struct cf_error *err)
{
    uint32_t action = SCMP_ACT_ERRNO((uint32_t)answer);
    int result = seccomp_rule_add_array(filter, action, call, count, args);
    return result < 0 ? cf_fail(err, -result, "seccomp rule for system call %d", call) : 0;
}

static int refuse_if(scmp_filter_ctx filter, int call, int answer, struct scmp_arg_cmp arg,
                     struct cf_error *err)
{
    return refuse(filter, call, answer, 1, &arg, err);
}

static int refuse_table(scmp_filter_ctx filter, const struct refusal *table, size_t count,
                        struct cf_error *err)
{
    for (size_t at = 0; at < count; at++) {
        if (refuse(filter, table[at].call, table[at].answer, 0, NULL, err) < 0)
            return -1;
    }
    return 0;
}

/*
 * Everything but these: AF_VSOCK reaches the hypervisor and other machines past any network
 * namespace, AF_ALG and the many others are drivers that are loaded on demand. AF_NETLINK is how
 * addresses and interfaces are read, see useful_netlink. AF_PACKET needs a capability. The same
 * choice as Flatpak's. AF_UNIX of every type is allowed: refusal is by name.
 */
static bool is_useful_family(uint32_t family)
{
    return family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

/*
 * Refuses the useless families among `count` (a power of two) from `first` on, by halves: a block
 * without a useful one is one masked compare, so that 64 families take 11 rules. The kernel has
 * none above; it answers EAFNOSUPPORT itself.
 */
static int refuse_families(scmp_filter_ctx filter, uint32_t first, uint32_t count,
                           struct cf_error *err)
{
    bool any = false;
    for (uint32_t family = first; family < first + count; family++)
        any = any || is_useful_family(family);
    if (any && count > 1)
        return refuse_families(filter, first, count / 2, err) < 0
                   ? -1
                   : refuse_families(filter, first + count / 2, count / 2, err);
    if (any)
        return 0;
    struct scmp_arg_cmp block =
        SCMP_CMP(0, SCMP_CMP_MASKED_EQ, LOW32 & ~(uint64_t)(count - 1), first);
    if (refuse_if(filter, SCMP_SYS(socket), EAFNOSUPPORT, block, err) < 0)
        return -1;
    return refuse_if(filter, SCMP_SYS(socketpair), EAFNOSUPPORT, block, err);
}

/*
 * Addresses, sockets, packet filters, devices and what the kernel calls generic; of the others
 * NETLINK_CONNECTOR tells everybody of each program that starts anywhere on the host (since
 * Linux 6.6), NETLINK_AUDIT and NETLINK_SELINUX are for administrators. Programs that can use
 * those take the answer for a kernel without them.
 */
static const uint32_t useful_netlink = 1U << NETLINK_ROUTE | 1U << NETLINK_USERSOCK |
                                       1U << NETLINK_SOCK_DIAG | 1U << NETLINK_NETFILTER |
                                       1U << NETLINK_KOBJECT_UEVENT | 1U << NETLINK_GENERIC;

/* From MAX_LINKS on the kernel itself answers so. */
static int refuse_netlink(scmp_filter_ctx filter, struct cf_error *err)
{
    for (unsigned protocol = 0; protocol < MAX_LINKS; protocol++) {
        const struct scmp_arg_cmp both[] = { INT_IS(0, AF_NETLINK), INT_IS(2, protocol) };
        if ((useful_netlink >> protocol & 1) == 0 &&
            refuse(filter, SCMP_SYS(socket), EPROTONOSUPPORT, 2, both, err) < 0)
            return -1;
    }
    return 0;
}

/*
 * Typing into the terminal that the caller goes on using afterwards, or pasting into it. And
 * giving it another line discipline: some are drivers that are loaded on demand, and with N_NULL,
 * which every kernel has, nobody can read or write it any more.
 */
static int refuse_terminal_calls(scmp_filter_ctx filter, struct cf_error *err)
{
    static const int requests[] = { TIOCSTI, TIOCLINUX, TIOCSETD };
    for (size_t at = 0; at < sizeof requests / sizeof *requests; at++)
        if (refuse_if(filter, SCMP_SYS(ioctl), EPERM, INT_IS(1, requests[at]), err) < 0)
            return -1;
    return 0;
}

/*
 * A lease on a file of the caller's, which it may only read, would have everybody else wait who
 * opens it, up to 45 seconds each time (/proc/sys/fs/lease-break-time).
 */
static int refuse_leases(scmp_filter_ctx filter, struct cf_error *err)
{
    if (refuse_if(filter, SCMP_SYS(fcntl), EINVAL, INT_IS(1, F_SETLEASE), err) < 0)
        return -1;
    return refuse_if(filter, SCMP_SYS(fcntl64), EINVAL, INT_IS(1, F_SETLEASE), err);
}

/*
 * Profiling of the command's own processes works as the host allows it; that of the whole machine
 * and of control groups, which tells of everybody (perf_event_paranoid <= 0), does not.
 */
static int refuse_machine_profiling(scmp_filter_ctx filter, struct cf_error *err)
{
    if (refuse_if(filter, SCMP_SYS(perf_event_open), EACCES, INT_IS(1, -1), err) < 0)
        return -1;
    return refuse_if(filter, SCMP_SYS(perf_event_open), EACCES,
                     HAS_FLAG(4, PERF_FLAG_PID_CGROUP), err);
}

/*
 * The core limit stays at 1, see guard/rlimits.c: at 0 a core_pattern handler would run outside.
 * Setting it is answered with success and not done, as gpg and others that turn cores off give
 * up when they cannot. A caller that asks for the old value in the same call gets EPERM, because
 * no filter could fill it in.
 */
static int pretend_core_limit(scmp_filter_ctx filter, struct cf_error *err)
{
    const struct scmp_arg_cmp set[] = {
        INT_IS(1, RLIMIT_CORE),
        SCMP_CMP(2, SCMP_CMP_NE, 0),
        SCMP_CMP(3, SCMP_CMP_EQ, 0),
    };
    const struct scmp_arg_cmp swap[] = {
        INT_IS(1, RLIMIT_CORE),
        SCMP_CMP(2, SCMP_CMP_NE, 0),
        SCMP_CMP(3, SCMP_CMP_NE, 0),
    };
    if (refuse(filter, SCMP_SYS(prlimit64), 0, 3, set, err) < 0 ||
        refuse(filter, SCMP_SYS(prlimit64), EPERM, 3, swap, err) < 0)
        return -1;
    return refuse_if(filter, SCMP_SYS(setrlimit), 0, INT_IS(0, RLIMIT_CORE), err);
}

static int refuse_user_namespaces(scmp_filter_ctx filter, struct cf_error *err)
{
#if defined(__s390__) || defined(__s390x__)
    const unsigned clone_flags = 1; /* there the stack comes first */
#else
    const unsigned clone_flags = 0;
#endif
    if (refuse_table(filter, namespaces, sizeof namespaces / sizeof *namespaces, err) < 0 ||
        refuse_if(filter, SCMP_SYS(clone), EPERM, HAS_FLAG(clone_flags, CLONE_NEWUSER), err) <
            0)
        return -1;
    return refuse_if(filter, SCMP_SYS(unshare), EPERM, HAS_FLAG(0, CLONE_NEWUSER), err);
}

/* At a mode that is the argument `mode`, where the flags in the argument `flags` make it count. */
static int refuse_setuid_open(scmp_filter_ctx filter, int call, unsigned flags, unsigned mode,
                              struct cf_error *err)
{
    static const unsigned makes[] = { O_CREAT, O_TMPFILE & ~O_DIRECTORY };
    for (size_t at = 0; at < sizeof makes / sizeof *makes; at++) {
        const struct scmp_arg_cmp both[] = { HAS_FLAG(flags, makes[at]),
                                             HAS_FLAG(mode, S_ISUID) };
        if (refuse(filter, call, EPERM, 2, both, err) < 0)
            return -1;
    }
    return 0;
}

/* A file in the work tree that is root's and has the bit is a way to root for every user. */
static int refuse_setuid_files(scmp_filter_ctx filter, struct cf_error *err)
{
    static const struct {
        int call;
        unsigned mode; /* the argument that holds it */
    } changes[] = {
        { SCMP_SYS(chmod), 1 },
        { SCMP_SYS(fchmod), 1 },
        { SCMP_SYS(fchmodat), 2 },
        { 452, 2 }, /* fchmodat2, Linux 6.6: the same number on every architecture */
        { SCMP_SYS(creat), 1 },
        { SCMP_SYS(mknod), 1 },
        { SCMP_SYS(mknodat), 2 },
    };
    for (size_t at = 0; at < sizeof changes / sizeof *changes; at++)
        if (refuse_if(filter, changes[at].call, EPERM, HAS_FLAG(changes[at].mode, S_ISUID),
                      err) < 0)
            return -1;
    if (refuse_setuid_open(filter, SCMP_SYS(open), 1, 2, err) < 0 ||
        refuse_setuid_open(filter, SCMP_SYS(openat), 2, 3, err) < 0)
        return -1;
    /* Its mode lies behind a pointer; programs then use openat. */
    return refuse(filter, SCMP_SYS(openat2), ENOSYS, 0, NULL, err);
}

/* Pid 1 inside is bwrap's, and ends the sandbox: a command that attaches to it and goes away leaves
 * it stopped for ever, deaf to all but SIGKILL. */
static int refuse_tracing_first(scmp_filter_ctx filter, struct cf_error *err)
{
    static const int requests[] = { PTRACE_ATTACH, PTRACE_SEIZE };
    for (size_t at = 0; at < sizeof requests / sizeof *requests; at++) {
        struct scmp_arg_cmp both[] = { INT_IS(0, requests[at]), INT_IS(1, 1) };
        int result =
            seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ptrace), 2, both);
        if (result < 0)
            return cf_fail(err, -result, "refuse to trace pid 1");
    }
    return 0;
}

static int add_rules(scmp_filter_ctx filter, const struct cf_seccomp_wishes *wishes,
                     struct cf_error *err)
{
    if (refuse_table(filter, always, sizeof always / sizeof *always, err) < 0 ||
        refuse_families(filter, 0, 64, err) < 0 || refuse_netlink(filter, err) < 0 ||
        refuse_terminal_calls(filter, err) < 0 || refuse_leases(filter, err) < 0 ||
        refuse_machine_profiling(filter, err) < 0 || pretend_core_limit(filter, err) < 0 ||
        refuse_tracing_first(filter, err) < 0 ||
        (!wishes->setuid_files && refuse_setuid_files(filter, err) < 0))
        return -1;
    return wishes->user_namespaces ? 0 : refuse_user_namespaces(filter, err);
}

static int build_rules(scmp_filter_ctx filter, const struct cf_seccomp_wishes *wishes,
                       struct cf_error *err)
{
    /* A binary search over the calls: ioctl and clone are asked about often. The rest costs
     * nothing, since the kernel remembers which calls are always allowed (Linux 5.11). */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    /* A 32-bit program would be refused many calls that it cannot explain; it ends at once with
     * SIGSYS instead. Its sockets could not be judged: socketcall hides its arguments. */
    int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (result < 0)
        return cf_fail(err, -result, "seccomp_attr_set");
    return add_rules(filter, wishes, err);
}

int cf_seccomp_build(const struct cf_seccomp_wishes *wishes, struct cf_error *err)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL)
        return cf_fail(err, ENOMEM, "seccomp_init");
    int program = -1;
    if (!cf_guard_is_on("seccomp")) {
        seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
        program = cf_bpf_export(filter, UINT32_MAX, err);
    } else if (build_rules(filter, wishes, err) == 0) {
        program = cf_bpf_export(filter, CF_SECCOMP_NEWEST, err);
    }
    seccomp_release(filter);
    return program;
}

int cf_seccomp_install(int program, struct cf_error *err)
{
    struct sock_filter code[BPF_MAXINSNS];
    ssize_t len = pread(program, code, sizeof code, 0);
    if (len <= 0 || (size_t)len % sizeof *code != 0)
        return cf_fail(err, len < 0 ? errno : 0, "read the seccomp program");
    struct sock_fprog fprog = {
        .len = (unsigned short)((size_t)len / sizeof *code),
        .filter = code,
    };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return cf_fail(err, errno, "prctl PR_SET_NO_NEW_PRIVS");
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) < 0)
        return cf_fail(err, errno, "install the seccomp program");
    return 0;
}

static int prove(void *arg, struct cf_error *err)
{
    (void)arg;
    const struct cf_seccomp_wishes none = { false };
    cf_autoclose int program = cf_seccomp_build(&none, err);
    if (program < 0 || cf_seccomp_install(program, err) < 0)
        return -1;
    if (syscall(SYS_io_uring_setup, 0, NULL) >= 0 || errno != ENOSYS)
        return cf_fail(err, 0, "the seccomp program does not refuse io_uring");
    return 0;
}

int cf_seccomp_available(struct cf_error *err)
{
    return cf_trial_run("the seccomp program", prove, NULL, err);
}
