/* Opens the file behind stdin again so that the command can read it and do nothing else. */
#include "guard/stdin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/descriptor.h"
#include "guard/switch.h"

#define REMEDY "give the command its input through a pipe (cat ... | confine-lua run ...)"

/* A descriptor of the mount that `path` lies on, cloned for this one file, or -1. */
static int clone_mount(const char *path, const struct stat *wanted)
{
    struct stat found;
    cf_autoclose int file = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return -1;
    /* The name may belong to another file by now. */
    if (fstat(file, &found) < 0 || found.st_dev != wanted->st_dev ||
        found.st_ino != wanted->st_ino) {
        errno = ESTALE;
        return -1;
    }
    return (int)syscall(SYS_open_tree, file, "",
                        AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
}

static int reopen_through_clone(const char *path, const struct stat *wanted, int access)
{
    cf_autoclose int mount = clone_mount(path, wanted);
    /* Cloning needs the right to mount: real root has it, anybody else in a namespace. */
    if (mount < 0 && errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
        mount = clone_mount(path, wanted);
    if (mount < 0)
        return -1;
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", mount);
    cf_autoclose int file = open(link, access | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return -1;
    /* Only now, or a device could not have been opened by us either. */
    struct mount_attr attr = {
        .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID,
    };
    if (syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr, sizeof attr) < 0)
        return -1;
    return cf_take_fd(&file);
}

/*
 * The reopening runs in a child that shares our table of descriptors, so that the namespaces are
 * the child's alone while the descriptor is ours. Returns it, or -1.
 */
static int reopen_in_child(const char *path, const struct stat *wanted, int access)
{
    int *opened =
        mmap(NULL, sizeof *opened, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (opened == MAP_FAILED)
        return -1;
    *opened = -1;
    long child = syscall(SYS_clone, (long)(CLONE_FILES | SIGCHLD), 0L, 0L, 0L, 0L);
    if (child == 0) {
        *opened = reopen_through_clone(path, wanted, access);
        _exit(0);
    }
    while (child > 0 && waitpid((pid_t)child, NULL, 0) < 0 && errno == EINTR)
        continue;
    int fd = *opened;
    munmap(opened, sizeof *opened);
    return fd;
}

/* A sealed copy of the whole file, read through fd, whose offset stays where it is. */
static int copy_to_memory(int fd, const char *what, off_t size, struct cf_error *err)
{
    cf_autoclose int copy = memfd_create("stdin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (copy < 0)
        return cf_fail(err, errno, "memfd_create for stdin");
    off_t at = 0;
    ssize_t put = 1;
    while (put > 0 && at <= (off_t)CF_STDIN_COPY_MAX && size <= (off_t)CF_STDIN_COPY_MAX)
        put = TEMP_FAILURE_RETRY(sendfile(copy, fd, &at, CF_STDIN_COPY_MAX));
    if (put < 0)
        return cf_fail(err, errno, "copy stdin, which is %s", what);
    if (put > 0)
        return cf_fail(err, EFBIG,
                       "stdin is %s, which cannot be opened again and is too large "
                       "to be copied; " REMEDY,
                       what);
    int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (fchmod(copy, 0400) < 0 || fcntl(copy, F_ADD_SEALS, seals) < 0)
        return cf_fail(err, errno, "seal the copy of stdin");
    return cf_take_fd(&copy);
}

static int replace_file(int fd, const char *what, struct cf_error *err)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fstat(fd, &st) < 0)
        return cf_fail(err, errno, "look at stdin");
    if ((flags & O_ACCMODE) == O_WRONLY)
        return cf_fail(err, 0, "stdin is %s, opened for writing only", what);
    cf_autoclose int fresh = -1;
    if (what[0] == '/' && st.st_nlink > 0)
        fresh = reopen_in_child(what, &st, O_RDONLY);
    if (fresh < 0 && S_ISREG(st.st_mode))
        fresh = copy_to_memory(fd, what, st.st_size, err);
    else if (fresh < 0)
        cf_fail(err, 0, "stdin is %s, which cannot be opened again for reading only; " REMEDY,
                what);
    if (fresh < 0)
        return -1;
    off_t offset = lseek(fd, 0, SEEK_CUR);
    if (offset < 0 || lseek(fresh, offset, SEEK_SET) < 0)
        return cf_fail(err, errno, "seek in stdin, which is %s", what);
    return cf_take_fd(&fresh);
}

static int duplicate(int fd, struct cf_error *err)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return copy < 0 ? cf_fail(err, errno, "duplicate stdin") : copy;
}

int cf_stdin_prepare(int fd, struct cf_error *err)
{
    enum cf_descriptor_kind kind;
    char what[PATH_MAX + 32];
    if (cf_descriptor_look(fd, &kind, what, sizeof what, err) < 0)
        return -1;
    if (!cf_guard_is_on("stdin") && kind != CF_DESCRIPTOR_CLOSED)
        return duplicate(fd, err);
    switch (kind) {
    case CF_DESCRIPTOR_CLOSED: {
        int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return null < 0 ? cf_fail(err, errno, "open /dev/null") : null;
    }
    case CF_DESCRIPTOR_HARMLESS:
        return duplicate(fd, err);
    case CF_DESCRIPTOR_FILE:
    case CF_DESCRIPTOR_BLOCK:
        return replace_file(fd, what, err);
    case CF_DESCRIPTOR_FOLDER:
        return cf_fail(err, 0,
                       "stdin is the folder %s, through which the command could walk "
                       "the host; redirect it from /dev/null or a file",
                       what);
    case CF_DESCRIPTOR_POWERFUL:
        break;
    }
    return cf_fail(err, 0, "stdin is %s, which hands out more than its bytes; " REMEDY, what);
}

void cf_stdin_settle(int fd, int replacement)
{
    off_t offset = lseek(replacement, 0, SEEK_CUR);
    if (offset >= 0)
        lseek(fd, offset, SEEK_SET);
}

int cf_output_needs_relay(int fd, const char *name, struct cf_error *err)
{
    enum cf_descriptor_kind kind;
    char what[PATH_MAX + 32];
    if (cf_descriptor_look(fd, &kind, what, sizeof what, err) < 0)
        return -1;
    if (!cf_guard_is_on("stdin"))
        return 0;
    if (kind == CF_DESCRIPTOR_FOLDER)
        return cf_fail(err, 0,
                       "%s is the folder %s, through which the command could walk the "
                       "host; redirect it to a file or a pipe",
                       name, what);
    struct stat st;
    /* A pipe can be opened again for reading, and holds what others wrote. */
    bool is_pipe =
        kind == CF_DESCRIPTOR_HARMLESS && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
    return is_pipe || (kind != CF_DESCRIPTOR_HARMLESS && kind != CF_DESCRIPTOR_CLOSED);
}

int cf_output_terminal(int fd, struct cf_error *err)
{
    int number;
    struct stat st;
    enum cf_descriptor_kind kind;
    char what[PATH_MAX + 32];
    if (cf_descriptor_look(fd, &kind, what, sizeof what, err) < 0)
        return -1;
    /* Opening the outer end of a pty again makes another pty. */
    if (isatty(fd) == 0 || ioctl(fd, TIOCGPTN, &number) == 0 || fstat(fd, &st) < 0)
        return cf_fail(err, 0, "%s is no terminal", what);
    int fresh = what[0] == '/' ? reopen_in_child(what, &st, O_WRONLY) : -1;
    if (fresh < 0)
        return cf_fail(err, 0, "%s cannot be opened again for writing only", what);
    return fresh;
}
