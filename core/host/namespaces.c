/* Reads which namespaces a process lives in from the links in /proc/PID/ns. */
#include "host/status.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/folder.h"

int cf_namespaces_read(pid_t pid, struct cf_namespaces *to, struct cf_error *err)
{
    to->len = 0;
    char path[40] = "/proc/self/ns";
    if (pid != 0)
        snprintf(path, sizeof path, "/proc/%d/ns", (int)pid);
    cf_autofolder struct cf_folder folder = CF_FOLDER_CLOSED;
    if (cf_folder_read(AT_FDCWD, path, path, &folder, err) < 0)
        return -1;
    size_t most = sizeof to->items / sizeof *to->items;
    for (size_t at = 0; at < folder.len && to->len < most; at++) {
        struct cf_namespace *space = &to->items[to->len];
        *space = (struct cf_namespace){ .number = 0 };
        if (strlen(folder.names[at]) >= sizeof space->name)
            continue;
        strcpy(space->name, folder.names[at]);
        ssize_t len =
            readlinkat(folder.fd, space->name, space->target, sizeof space->target - 1);
        if (len < 0) {
            space->number = errno;
            len = 0;
        }
        space->target[len] = '\0';
        to->len++;
    }
    return 0;
}
