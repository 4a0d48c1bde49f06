/* Judges a path by every folder and link that leads to it, each opened below the one before. */
#include "host/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/walk.h"

/* Whether a user of this namespace has the id; 65534 stands for all who are none. */
static bool is_mapped(uid_t uid)
{
    cf_autobytes struct cf_bytes map = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, "/proc/self/uid_map", 65536, &map, NULL) < 0)
        return true;
    unsigned first, outside, count;
    for (const char *line = map.data; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (sscanf(line, "%u %u %u", &first, &outside, &count) == 3 && uid >= first &&
            uid - first < count)
            return true;
    }
    return false;
}

/* `last` is the file itself, or the folder whose content is meant: sticky is not enough. */
static int judge(const char *path, const struct stat *about, bool last, struct cf_error *err)
{
    uid_t self = geteuid();
    if (about->st_uid != 0 && about->st_uid != self && !is_mapped(about->st_uid)) {
        cf_fail(err, 0, "%s belongs to somebody outside this user namespace", path);
        if (err != NULL)
            err->number = EOVERFLOW;
        return -1;
    }
    if (about->st_uid != 0 && about->st_uid != self)
        return cf_fail(err, 0, "%s belongs to uid %u, neither to root nor to uid %u", path,
                       about->st_uid, self);
    /* An access control list that lets somebody write shows in the group's bits. */
    bool others = (about->st_mode & (S_IWGRP | S_IWOTH)) != 0;
    bool sticky = S_ISDIR(about->st_mode) && (about->st_mode & S_ISVTX) != 0 && !last;
    if (!S_ISLNK(about->st_mode) && others && !sticky)
        return cf_fail(err, 0, "%s is writable for others (mode %04o)", path,
                       about->st_mode & 07777);
    return 0;
}

/* The path is canonical but for its last component, which may be a link. */
static int judge_chain(const char *path, bool last_counts, struct cf_error *err)
{
    struct stat about;
    char sofar[PATH_MAX] = "/";
    size_t len = strlen(path);
    if (len >= sizeof sofar)
        return cf_fail(err, ENAMETOOLONG, "judge %.64s...", path);
    cf_autoclose int folder = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &about) < 0)
        return cf_fail(err, errno, "open /");
    if (judge("/", &about, last_counts && len == 1, err) < 0)
        return -1;
    for (size_t at = 1; at < len;) {
        size_t size = strcspn(path + at, "/");
        memcpy(sofar, path, at + size);
        sofar[at + size] = '\0';
        int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
        cf_autoclose int next = openat(folder, sofar + at, flags);
        if (next < 0 || fstat(next, &about) < 0)
            return cf_fail(err, errno, "open %s", sofar);
        at += size + 1;
        if (judge(sofar, &about, last_counts && at > len, err) < 0)
            return -1;
        cf_close_fd(&folder);
        folder = cf_take_fd(&next);
    }
    return 0;
}

static int judge_look(const char *path, const struct cf_look *look, struct cf_error *err)
{
    if (look->type == CF_PATH_UNKNOWN)
        return cf_fail(err, 0, "%s", look->unknown);
    if (look->type == CF_PATH_ABSENT)
        return cf_fail(err, look->loop ? ELOOP : ENOENT, "open %s", path);
    for (size_t at = 0; at < look->link_count; at++)
        if (judge_chain(look->links[at], false, err) < 0)
            return -1;
    return judge_chain(look->path, true, err);
}

int cf_paths_trust(const char *path, struct cf_error *err)
{
    struct cf_look look;
    cf_autowalk struct cf_walk *walk = cf_walk_new(err);
    if (walk == NULL || cf_walk_look(walk, path, true, &look, err) < 0)
        return -1;
    int trusted = judge_look(path, &look, err);
    cf_look_free(&look);
    return trusted;
}
