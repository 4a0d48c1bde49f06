/* Attempts on files by name, and through descriptors that were open before the command started.
 */
#include "needle.h"
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_file(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char byte;
    CF_PROBE_FD fd = open(args[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, &byte, 1);
    if (got < 0)
        cf_finding_refused(finding, errno, fd < 0 ? "open" : "read");
    else
        cf_finding_reached(finding, got ? "read" : "opened; it is empty");
}

static void find_in_file(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    struct cf_needle needle;
    if (cf_needle_read(args[1], &needle, finding) < 0)
        return;
    int found = cf_needle_in_file(args[0], &needle);
    if (found == 1)
        cf_finding_reached(finding, "the file holds it");
    else
        cf_finding_refused(finding, found < 0 ? errno : 0,
                           found < 0 ? "read" : "the file does not hold it");
}

/* Opens without writing a byte: a success changes nothing. */
static void write_file(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = open(args[0], O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open for writing");
    else
        cf_finding_reached(finding, "opened for writing");
}

static void create_file(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = open(args[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        cf_finding_refused(finding, errno, "create");
        return;
    }
    unlink(args[0]);
    cf_finding_reached(finding, "created, and removed again");
}

/* Takes the name away and gives it back, which is half of a rename over it. */
static void replace_file(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char beside[PATH_MAX];
    snprintf(beside, sizeof(beside), "%.4000s.confine-probe-%d", args[0], getpid());
    if (rename(args[0], beside) < 0)
        cf_finding_refused(finding, errno, "rename");
    else if (rename(beside, args[0]) < 0)
        cf_finding_unavailable(finding, errno, "the file is now %s", beside);
    else
        cf_finding_reached(finding, "the name was taken away and given back");
}

static void list_folder(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    DIR *folder = opendir(args[0]);
    if (!folder) {
        cf_finding_refused(finding, errno, "opendir");
        return;
    }
    int names = 0;
    while (readdir(folder))
        names++;
    closedir(folder);
    cf_finding_reached(finding, "listed %d names", names - 2);
}

static void list_descriptors(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) {
        cf_finding_unavailable(finding, errno, "opendir /proc/self/fd");
        return;
    }
    int inherited = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        long fd = strtol(entry->d_name, NULL, 10);
        char target[PATH_MAX] = "";
        if (fd <= 2 || fd == dirfd(folder))
            continue;
        if (readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1) > 0) {
            cf_finding_reached(finding, "descriptor %ld is %s", fd, target);
            inherited++;
        }
    }
    closedir(folder);
    if (!inherited)
        cf_finding_refused(finding, EBADF, "only 0, 1 and 2 are open");
}

/* Opens a name below any folder above the one that the descriptor is open on. */
static void walk_up(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long number;
    if (cf_number_read(args[0], 1u << 20, &number, finding) < 0)
        return;
    CF_PROBE_FD here = openat((int)number, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = errno;
    for (int level = 0; here >= 0 && level < 64; level++) {
        CF_PROBE_FD file = openat(here, args[1], O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            cf_finding_reached(finding, "opened %d folders above descriptor %lu", level,
                               number);
            return;
        }
        error = errno;
        int above = openat(here, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(here);
        here = above;
    }
    cf_finding_refused(finding, error, "openat from descriptor %lu upwards", number);
}

static void reopen(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char path[64];
    unsigned long number;
    if (cf_number_read(args[0], 1u << 20, &number, finding) < 0)
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%lu", number);
    CF_PROBE_FD fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open %s for writing", path);
    else
        cf_finding_reached(finding, "%s was opened for writing", path);
}

static const struct cf_attempt ATTEMPTS[] = {
    { "read", "credential file", "PATH", "the file can be read", 1, 1, read_file },
    { "find", "credential file", "PATH file:PATH|env:NAME|hex:DIGITS",
      "the file holds the secret", 2, 2, find_in_file },
    { "write", "protected file", "PATH", "the file can be opened for writing", 1, 1,
      write_file },
    { "create", "protected file", "PATH", "a file can be made", 1, 1, create_file },
    { "replace", "protected file", "PATH", "the file can be replaced", 1, 1, replace_file },
    { "list", "credential file", "FOLDER", "the folder can be listed", 1, 1, list_folder },
    { "descriptors", "inherited descriptor", "", "descriptors beyond 0, 1 and 2 were inherited",
      0, 0, list_descriptors },
    { "walk-up", "inherited descriptor", "FD NAME",
      "a folder that was open before the start leads to the host's files", 2, 2, walk_up },
    { "reopen", "inherited descriptor", "FD",
      "a file that was open before the start can be opened again for writing", 1, 1, reopen },
};

const struct cf_family cf_family_files = CF_FAMILY(ATTEMPTS);
