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
    /* All that bwrap says of itself begins so; a shell that is not there is no fault of its. */
    probe->no_sandbox =
        !refused && strncmp(text, "bwrap: ", 7) == 0 && strstr(text, "bwrap: execvp ") == NULL;
    answer(probe, refused ? CF_PROCFS_NO : CF_PROCFS_UNKNOWN, text, status);
}

void cf_procfs_try(const char *path, const char *cache, struct cf_procfs_probe *probe)
{
    char identity[128];
    struct stat bwrap;
    *probe = (struct cf_procfs_probe){ .mountable = CF_PROCFS_UNKNOWN };
    bool known = stat(path, &bwrap) == 0;
    if (known)
        cf_bwrap_identity(&bwrap, identity, sizeof identity);
    if (known && cf_cache_has_yes(cache, "procfs", identity)) {
        probe->mountable = CF_PROCFS_YES;
        probe->cached = true;
        return;
    }
    run_probe(path, probe);
    if (known && probe->mountable == CF_PROCFS_YES)
        cf_cache_put_yes(cache, "procfs", identity);
}
