/* Attempts on other processes: to read their command lines and environments, to signal, trace
 * and open them. */
#include "needle.h"
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The highest process number that /proc lists, or -1 with the finding filled. */
static long highest_listed(struct cf_finding *finding)
{
    DIR *proc = opendir("/proc");
    if (!proc) {
        cf_finding_refused(finding, errno, "opendir /proc");
        return -1;
    }
    long highest = 0;
    const struct dirent *entry;
    while ((entry = readdir(proc))) {
        long number = strtol(entry->d_name, NULL, 10);
        highest = number > highest ? number : highest;
    }
    closedir(proc);
    return highest;
}

/* Searches one file of every process and thread, the newest first. Numbers are tried rather than
 * listed, because /proc/TID opens for threads that no listing of /proc shows. */
static void search(const char *file, char **args, struct cf_finding *finding)
{
    enum { BEYOND = 1024 };
    struct cf_needle needle;
    if (cf_needle_read(args[0], &needle, finding) < 0)
        return;
    long highest = highest_listed(finding), seen = 0, closed = 0;
    if (highest < 0)
        return;
    for (long number = highest + BEYOND; number > 0; number--) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/%ld/%s", number, file);
        int found = cf_needle_in_file(path, &needle);
        if (found == 1) {
            cf_finding_reached(finding, "found in %s", path);
            return;
        }
        seen += found == 0;
        closed += found < 0 && errno != ENOENT;
    }
    cf_finding_refused(finding, 0, "in none of %ld read, %ld could not be read", seen, closed);
}

static void search_environ(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    search("environ", args, finding);
}

static void search_cmdline(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    search("cmdline", args, finding);
}

/* Returns the process number, or -1 with the finding filled. */
static pid_t read_pid(const char *word, struct cf_finding *finding)
{
    unsigned long pid;
    if (cf_number_read(word, INT_MAX, &pid, finding) < 0)
        return -1;
    return (pid_t)pid;
}

/* Opens one entry of /proc/PID for reading. */
static void open_entry(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0)
        return;
    char path[64 + NAME_MAX], byte;
    snprintf(path, sizeof(path), "/proc/%d/%s", pid, args[1]);
    CF_PROBE_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open %s", path);
    else if (read(fd, &byte, 1) < 0 && errno != EISDIR)
        cf_finding_refused(finding, errno, "read %s", path);
    else
        cf_finding_reached(finding, "read %s", path);
}

static void send_signal(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0)
        return;
    if (kill(pid, 0) < 0)
        cf_finding_refused(finding, errno, "kill");
    else
        cf_finding_reached(finding, "a signal would be delivered");
}

static void trace(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0)
        return;
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0) {
        cf_finding_refused(finding, errno, "ptrace");
        return;
    }
    /* It is let go by the end of this process. */
    cf_finding_reached(finding, "traced");
}

/* An address that is not mapped answers EFAULT only to one who may read the process. */
static void read_memory(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0)
        return;
    char byte;
    struct iovec here = { .iov_base = &byte, .iov_len = 1 };
    struct iovec there = { .iov_base = (void *)8, .iov_len = 1 };
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) < 0 && errno != EFAULT)
        cf_finding_refused(finding, errno, "process_vm_readv");
    else
        cf_finding_reached(finding, "its memory could be read");
}

static void open_pidfd(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0)
        return;
    CF_PROBE_FD fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "pidfd_open");
    else if (syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) < 0)
        cf_finding_refused(finding, errno, "pidfd_send_signal");
    else
        cf_finding_reached(finding, "a descriptor of the process was opened");
}

static void steal_descriptor(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long number;
    pid_t pid = read_pid(args[0], finding);
    if (pid < 0 || cf_number_read(args[1], 1u << 20, &number, finding) < 0)
        return;
    CF_PROBE_FD process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) {
        cf_finding_refused(finding, errno, "pidfd_open");
        return;
    }
    CF_PROBE_FD fd = (int)syscall(SYS_pidfd_getfd, process, (int)number, 0);
    if (fd < 0)
        cf_finding_refused(finding, errno, "pidfd_getfd");
    else
        cf_finding_reached(finding, "descriptor %lu was copied", number);
}

static const struct cf_attempt ATTEMPTS[] = {
    { "search-environ", "environment", "file:PATH|env:NAME|hex:DIGITS",
      "the environment of some process in /proc holds the secret", 1, 1, search_environ },
    { "search-cmdline", "command line", "file:PATH|env:NAME|hex:DIGITS",
      "the command line of some process in /proc holds the secret", 1, 1, search_cmdline },
    { "process-entry", "process", "PID ENTRY",
      "an entry of another process in /proc can be read", 2, 2, open_entry },
    { "signal", "process", "PID", "a process outside can be signalled", 1, 1, send_signal },
    { "trace", "process", "PID", "a process outside can be traced", 1, 1, trace },
    { "memory", "process", "PID", "the memory of a process outside can be read", 1, 1,
      read_memory },
    { "pidfd", "process", "PID", "a process outside can be held by a descriptor", 1, 1,
      open_pidfd },
    { "steal-descriptor", "process", "PID FD",
      "an open descriptor of a process outside can be copied", 2, 2, steal_descriptor },
};

const struct cf_family cf_family_processes = CF_FAMILY(ATTEMPTS);
