/* Tries to mount a procfs as the real run would, and remembers only success. */
#include "host/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/bytes.h"
#include "base/fds.h"
#include "host/bwrap.h"
#include "host/cache.h"
#include "host/child.h"

#define PATIENCE_MS 20000

/* One line that is another after a reboot, in another mount or user namespace, or bwrap. */
static int make_key(const char *path, char *key, size_t size, char *name, size_t name_size,
                    struct cf_error *err)
{
    struct stat bwrap, mounts, users;
    char identity[128];
    cf_autobytes struct cf_bytes boot = CF_BYTES_EMPTY;
    if (stat(path, &bwrap) < 0)
        return cf_fail(err, errno, "stat %s", path);
    if (stat("/proc/self/ns/mnt", &mounts) < 0 || stat("/proc/self/ns/user", &users) < 0)
        return cf_fail(err, errno, "stat /proc/self/ns");
    if (cf_read_file_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 64, &boot, err) < 0)
        return -1;
    cf_bwrap_identity(&bwrap, identity, sizeof identity);
    boot.data[strcspn(boot.data, "\n")] = '\0';
    snprintf(key, size, "%s mnt:%llu user:%llu %s", boot.data,
             (unsigned long long)mounts.st_ino, (unsigned long long)users.st_ino, identity);
    snprintf(name, name_size, "procfs.%llu", (unsigned long long)mounts.st_ino);
    return 0;
}

static void answer(struct cf_procfs_probe *probe, enum cf_procfs_answer mountable,
                   const char *output, int status)
{
    size_t len = strcspn(output, "\n");
    probe->mountable = mountable;
    if (len > 0)
        cf_fail(&probe->reason, 0, "%.*s", (int)(len < 512 ? len : 512), output);
    else
        cf_fail(&probe->reason, 0, "the probe ended with wait status %d", status);
}

static void run_probe(const char *path, struct cf_procfs_probe *probe)
{
    static const char *const argv[] = {
        "bwrap",
        "--unshare-user",
        "--unshare-pid",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--",
        "/bin/sh",
        "-c",
        "read -r line < /proc/self/status",
        NULL,
    };
    static const char *const envp[] = { "LC_ALL=C", NULL };
    cf_autobytes struct cf_bytes output = CF_BYTES_EMPTY;
    int status = cf_child_run(path, argv, envp, PATIENCE_MS, 65536, &output, &probe->reason);
    if (status < 0) {
        probe->mountable = CF_PROCFS_UNKNOWN;
        return;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        probe->mountable = CF_PROCFS_YES;
        return;
    }
    const char *text = output.data == NULL ? "" : output.data;
    bool refused =
        strstr(text, "mount proc on") != NULL || strstr(text, "/proc/self/status") != NULL;
    probe->no_userns =
        strstr(text, "new namespace") != NULL || strstr(text, "setting up uid map") != NULL;
    answer(probe, refused ? CF_PROCFS_NO : CF_PROCFS_UNKNOWN, text, status);
}

void cf_procfs_try(const char *path, const char *cache, struct cf_procfs_probe *probe)
{
    char key[320], name[64];
    *probe = (struct cf_procfs_probe){ .mountable = CF_PROCFS_UNKNOWN };
    cf_autoclose int store = cache == NULL ? -1 : cf_cache_open(cache, NULL);
    if (store >= 0 && make_key(path, key, sizeof key, name, sizeof name, NULL) < 0)
        cf_close_fd(&store);
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (store >= 0 && cf_cache_get(store, name, key, &text) == 1 && text.len == 4 &&
        memcmp(text.data, "yes\n", 4) == 0) {
        probe->mountable = CF_PROCFS_YES;
        probe->cached = true;
        return;
    }
    run_probe(path, probe);
    if (store >= 0 && probe->mountable == CF_PROCFS_YES)
        cf_cache_put(store, name, key, "yes\n", 4, NULL);
}
