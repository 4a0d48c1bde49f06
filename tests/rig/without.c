/* Runs a command to which the kernel answers as an older or a more closed one would: the test
 * rig's stand-in for hosts that forbid user namespaces or lack newer system calls.
 *
 * Usage: without NAME[=ERRNO]... -- COMMAND [ARG...]
 * NAME is a system call of the table below, answered with ERRNO (a number, default ENOSYS), or
 * `userns`: unshare and clone answer EPERM when they ask for a user namespace, and clone3, whose
 * flags a filter cannot see, answers ENOSYS, as container engines do. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned number;
} CALLS[] = {
    { "clone3", SYS_clone3 },
    { "close_range", SYS_close_range },
    { "faccessat2", SYS_faccessat2 },
    { "fsopen", SYS_fsopen },
    { "inotify_init1", SYS_inotify_init1 },
    { "io_uring_setup", SYS_io_uring_setup },
    { "landlock_create_ruleset", SYS_landlock_create_ruleset },
    { "mount", SYS_mount },
    { "mount_setattr", SYS_mount_setattr },
    { "move_mount", SYS_move_mount },
    { "open_tree", SYS_open_tree },
    { "openat2", SYS_openat2 },
    { "pidfd_getfd", SYS_pidfd_getfd },
    { "pidfd_open", SYS_pidfd_open },
    { "statx", SYS_statx },
    { "unshare", SYS_unshare },
};

static struct sock_filter program[256];
static unsigned short length;

static void emit(unsigned short code, unsigned char yes, unsigned char no, unsigned value)
{
    if (length == sizeof(program) / sizeof(*program)) {
        fputs("without: too many names\n", stderr);
        exit(125);
    }
    program[length++] = (struct sock_filter){ code, yes, no, value };
}

static void load(size_t offset)
{
    emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, (unsigned)offset);
}

/* The call answers `error`, whatever its arguments. */
static void refuse(unsigned number, unsigned error)
{
    load(offsetof(struct seccomp_data, nr));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, number);
    emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | error);
}

/* The call answers EPERM when its first argument asks for a user namespace. */
static void refuse_userns(unsigned number)
{
    load(offsetof(struct seccomp_data, nr));
    emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 3, number);
    load(offsetof(struct seccomp_data, args[0]));
    emit(BPF_JMP | BPF_JSET | BPF_K, 0, 1, CLONE_NEWUSER);
    emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM);
}

static void add(char *word)
{
    char *equals = strchr(word, '=');
    unsigned error = equals ? (unsigned)atoi(equals + 1) : ENOSYS;
    if (equals)
        *equals = 0;
    if (strcmp(word, "userns") == 0) {
        refuse_userns(SYS_unshare);
        refuse_userns(SYS_clone);
        refuse(SYS_clone3, ENOSYS);
        return;
    }
    for (size_t i = 0; i < sizeof(CALLS) / sizeof(*CALLS); i++)
        if (strcmp(word, CALLS[i].name) == 0) {
            refuse(CALLS[i].number, error);
            return;
        }
    fprintf(stderr, "without: unknown name %s\n", word);
    exit(125);
}

int main(int argc, char **argv)
{
    int next = 1;
    for (; next < argc && strcmp(argv[next], "--") != 0; next++)
        add(argv[next]);
    if (next + 1 >= argc) {
        fputs("usage: without NAME[=ERRNO]... -- COMMAND [ARG...]\n", stderr);
        return 125;
    }
    emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = { .len = length, .filter = program };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0) {
        perror("without: seccomp");
        return 125;
    }
    execvp(argv[next + 1], argv + next + 1);
    perror(argv[next + 1]);
    return 127;
}
