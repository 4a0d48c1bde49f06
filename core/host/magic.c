/* Compares what such a link stands for with what its text names, by device, inode and mount. */
#include "host/magic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/fds.h"

static bool is_magic(int folder, const char *name)
{
    struct statfs about;
    if (fstatfs(folder, &about) < 0 || about.f_type != PROC_SUPER_MAGIC)
        return false;
    struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_MAGICLINKS };
    cf_autoclose int fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof how);
    /* ELOOP is a yes; without openat2 (ENOSYS, EPERM) every link is taken for one. */
    return fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES;
}

int cf_magic_check(int folder, const char *name, const char *text)
{
    if (!is_magic(folder, name))
        return 0;
    struct statx here, there;
    unsigned wanted = STATX_INO | STATX_TYPE | STATX_MNT_ID;
    if (statx(folder, name, AT_NO_AUTOMOUNT, wanted, &there) < 0)
        return errno;
    if (*text != '/' || statx(AT_FDCWD, text, AT_NO_AUTOMOUNT, wanted, &here) < 0)
        return EXDEV;
    bool known = (here.stx_mask & there.stx_mask & STATX_MNT_ID) != 0;
    bool same = here.stx_ino == there.stx_ino && here.stx_dev_major == there.stx_dev_major &&
                here.stx_dev_minor == there.stx_dev_minor &&
                here.stx_mnt_id == there.stx_mnt_id;
    return known && same ? 0 : EXDEV;
}
