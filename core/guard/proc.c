/* Walks /proc without capabilities and asks what would still be allowed. */
#include "guard/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/switch.h"
#include "guard/trial.h"

struct walk {
    struct cf_proc_entries *found;
    bool with_private;
    bool wants_private; /* here */
    bool met_writable;  /* below the entry of /proc that is being walked */
    struct cf_error *err;
};

static int add(struct walk *walk, const char *path, bool is_folder, bool is_writable)
{
    struct cf_proc_entries *found = walk->found;
    if (found->len == CF_PROC_ENTRIES_MAX)
        return cf_fail(walk->err, ENOSPC, "list what uid 0 may do in /proc");
    struct cf_proc_entry *entry = &found->items[found->len];
    entry->is_folder = is_folder;
    entry->is_writable = is_writable;
    entry->is_private = !is_writable;
    if (snprintf(entry->path, sizeof entry->path, "%s", path) >= (int)sizeof entry->path)
        return cf_fail(walk->err, ENAMETOOLONG, "list %s", path);
    found->len++;
    return 0;
}

static bool may(const char *path, int what)
{
    return faccessat(AT_FDCWD, path, what, AT_EACCESS | AT_SYMLINK_NOFOLLOW) == 0;
}

static int walk_folder(struct walk *walk, const char *path);

static int look_at(struct walk *walk, const char *path, const struct stat *st)
{
    bool is_folder = S_ISDIR(st->st_mode);
    mode_t others = is_folder ? S_IXOTH : S_IROTH;
    if (walk->wants_private && (st->st_mode & others) == 0 &&
        may(path, is_folder ? X_OK : R_OK))
        return add(walk, path, is_folder, false);
    if (is_folder)
        return walk_folder(walk, path);
    /* What everybody may write, such as the pressure triggers, the kernel means for everybody. */
    if ((st->st_mode & S_IWOTH) == 0 && may(path, W_OK))
        walk->met_writable = true;
    return 0;
}

/* Of /proc itself: numbers are processes. self, net and the like are links and not followed. */
static bool is_process(const char *folder, const char *name)
{
    return strcmp(folder, "/proc") == 0 && name[0] >= '0' && name[0] <= '9';
}

static int walk_entries(struct walk *walk, const char *path, DIR *dir)
{
    bool is_top = strcmp(path, "/proc") == 0;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        char below[4096];
        struct stat st;
        int len = snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] == '.' || is_process(path, entry->d_name) ||
            len >= (int)sizeof below || lstat(below, &st) < 0 || S_ISLNK(st.st_mode))
            continue;
        if (is_top) {
            walk->met_writable = false;
            /* There are more than a thousand settings, and tools must read most of them. */
            walk->wants_private = walk->with_private && strcmp(entry->d_name, "sys") != 0;
        }
        if (look_at(walk, below, &st) < 0)
            return -1;
        if (is_top && walk->met_writable && add(walk, below, S_ISDIR(st.st_mode), true) < 0)
            return -1;
        if (!is_top && walk->met_writable && !walk->wants_private)
            return 0;
    }
    return 0;
}

static int walk_folder(struct walk *walk, const char *path)
{
    DIR *dir = opendir(path);
    if (dir == NULL)
        return errno == EACCES || errno == ENOENT ? 0
                                                  : cf_fail(walk->err, errno, "open %s", path);
    int result = walk_entries(walk, path, dir);
    closedir(dir);
    return result;
}

static int compare_paths(const void *one, const void *other)
{
    const struct cf_proc_entry *a = one, *b = other;
    return strcmp(a->path, b->path);
}

static int drop_capabilities(struct cf_error *err)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
    if (syscall(SYS_capset, &header, none) < 0)
        return cf_fail(err, errno, "capset");
    return 0;
}

struct request {
    bool with_private;
    struct cf_proc_entries found;
};

static int walk_without_capabilities(void *arg, struct cf_error *err)
{
    struct request *request = arg;
    struct walk walk = {
        .found = &request->found,
        .with_private = request->with_private,
        .err = err,
    };
    return drop_capabilities(err) < 0 ? -1 : walk_folder(&walk, "/proc");
}

int cf_proc_exposed(bool with_private, struct cf_proc_entries *entries, struct cf_error *err)
{
    entries->len = 0;
    if (geteuid() != 0 || !cf_guard_is_on("proc"))
        return 0;
    struct request *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return cf_fail(err, errno, "mmap for /proc");
    shared->with_private = with_private;
    int result = cf_trial_run("a walk of /proc", walk_without_capabilities, shared, err);
    *entries = shared->found;
    qsort(entries->items, entries->len, sizeof *entries->items, compare_paths);
    munmap(shared, sizeof *shared);
    return result;
}
