/* Attempts on what the kernel shares between a sandbox and its host: keyrings, namespaces,
 * mounts and settings that make it run programs. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_key(long serial, struct cf_finding *finding)
{
    char payload[1024];
    long length = syscall(SYS_keyctl, KEYCTL_READ, serial, payload, sizeof(payload));
    if (length < 0)
        cf_finding_refused(finding, errno, "keyctl read");
    else
        cf_finding_reached(finding, "a key of %ld bytes was read", length);
}

static void find_key(long ring, const char *description, struct cf_finding *finding)
{
    long serial = syscall(SYS_keyctl, KEYCTL_SEARCH, ring, "user", description, 0);
    if (serial < 0)
        cf_finding_refused(finding, errno, "keyctl search");
    else
        read_key(serial, finding);
}

static void by_session_keyring(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    find_key(KEY_SPEC_SESSION_KEYRING, args[0], finding);
}

static void by_user_keyring(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    find_key(KEY_SPEC_USER_KEYRING, args[0], finding);
}

static void by_key_number(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    unsigned long serial;
    if (cf_number_read(args[0], INT32_MAX, &serial, finding) == 0)
        read_key((long)serial, finding);
}

static void by_unshare(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    if (unshare(CLONE_NEWUSER) < 0)
        cf_finding_refused(finding, errno, "unshare");
    else
        cf_finding_reached(finding, "a user namespace was made by unshare");
}

/* Concludes from the child that a clone made, and reaps it. */
static void conclude_clone(long child, const char *call, struct cf_finding *finding)
{
    if (child == 0)
        _exit(0);
    if (child < 0) {
        cf_finding_refused(finding, errno, "%s", call);
        return;
    }
    waitpid((pid_t)child, NULL, 0);
    cf_finding_reached(finding, "a user namespace was made by %s", call);
}

static void by_clone(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    conclude_clone(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), "clone", finding);
}

static void by_clone3(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    struct clone_args clone_args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
    conclude_clone(syscall(SYS_clone3, &clone_args, sizeof(clone_args)), "clone3", finding);
}

/* Writes back what it read, so a success changes nothing. */
static void write_back(const char *path, struct cf_finding *finding)
{
    char value[4096];
    CF_PROBE_FD in = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = in < 0 ? -1 : read(in, value, sizeof(value));
    if (length < 0) {
        cf_finding_refused(finding, errno, "read %s", path);
        return;
    }
    CF_PROBE_FD out = open(path, O_WRONLY | O_CLOEXEC);
    if (out < 0)
        cf_finding_refused(finding, errno, "open %s for writing", path);
    else if (write(out, value, (size_t)length) < 0)
        cf_finding_refused(finding, errno, "write %s", path);
    else
        cf_finding_reached(finding, "%s was written", path);
}

static void by_core_pattern(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    write_back("/proc/sys/kernel/core_pattern", finding);
}

static void by_setting(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    write_back(args[0], finding);
}

static void by_umount(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    if (umount2(args[0], MNT_DETACH) < 0)
        cf_finding_refused(finding, errno, "umount");
    else
        cf_finding_reached(finding, "unmounted");
}

static void by_remount(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    if (mount(NULL, args[0], NULL, MS_REMOUNT | MS_BIND, NULL) < 0)
        cf_finding_refused(finding, errno, "remount");
    else
        cf_finding_reached(finding, "made writable");
}

static void by_mount(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    if (mount("confine-probe", args[0], "tmpfs", 0, NULL) < 0) {
        cf_finding_refused(finding, errno, "mount");
        return;
    }
    umount2(args[0], MNT_DETACH);
    cf_finding_reached(finding, "a file system was mounted");
}

static const struct cf_attempt ATTEMPTS[] = {
    { "key-session", "keyring", "DESCRIPTION",
      "a key of the launcher's session keyring is readable", 1, 1, by_session_keyring },
    { "key-user", "keyring", "DESCRIPTION", "a key of the user keyring is readable", 1, 1,
      by_user_keyring },
    { "key-number", "keyring", "SERIAL", "a key outside is readable by its number", 1, 1,
      by_key_number },
    { "userns-unshare", "user namespace", "", "a user namespace can be made by unshare", 0, 0,
      by_unshare },
    { "userns-clone", "user namespace", "", "a user namespace can be made by clone", 0, 0,
      by_clone },
    { "userns-clone3", "user namespace", "", "a user namespace can be made by clone3", 0, 0,
      by_clone3 },
    { "core-pattern", "kernel setting", "",
      "a program outside can be started by writing core_pattern and crashing", 0, 0,
      by_core_pattern },
    { "setting", "kernel setting", "PATH", "the kernel setting can be written", 1, 1,
      by_setting },
    { "umount", "capability", "PATH", "a mount can be taken away", 1, 1, by_umount },
    { "remount", "capability", "PATH", "a read-only mount can be made writable", 1, 1,
      by_remount },
    { "mount", "capability", "FOLDER", "a file system can be mounted", 1, 1, by_mount },
};

const struct cf_family cf_family_kernel = CF_FAMILY(ATTEMPTS);
