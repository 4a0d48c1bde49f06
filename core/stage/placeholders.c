/* One file for each run in the records folder; who can lock it knows that its run is dead. */
#include "stage/placeholders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"
#include "stage/record.h"

/* Five milliseconds each. */
#define LOCK_TRIES 400

static int64_t wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int open_lock(int dir)
{
    return openat(dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int cf_placeholders_open(struct cf_placeholders *p, const char *records, struct cf_error *err)
{
    if (records == NULL)
        return 0;
    struct stat st;
    if (cf_folders_make(records, NULL) < 0)
        return cf_fail(err, errno, "mkdir %s", records);
    cf_autoclose int dir = open(records, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || fstat(dir, &st) < 0)
        return cf_fail(err, errno, "open %s", records);
    /* Who can write a record can have any empty file of the caller's removed. */
    if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
        return cf_fail(err, EPERM, "%s is not the caller's alone", records);
    /* Where nothing can be recorded later nothing is to start. */
    mode_t before = umask(077);
    cf_autoclose int lock = open_lock(dir);
    umask(before);
    if (lock < 0 || faccessat(dir, ".", W_OK | X_OK, AT_EACCESS) < 0)
        return cf_fail(err, errno, "write %s/lock", records);
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    ssize_t length = readlink(link, p->path, sizeof p->path - 1);
    p->path[length < 0 ? 0 : length] = '\0';
    p->dir = cf_take_fd(&dir);
    return 0;
}

/* Kept apart from what the tree answers: EROFS of the records protects no name. */
static int fail_records(struct cf_placeholders *p)
{
    p->failed = errno;
    return -1;
}

static int take_lock(struct cf_placeholders *p, int tries)
{
    if (p->lock >= 0)
        return 0;
    cf_autoclose int fd = open_lock(p->dir);
    if (fd < 0)
        return fail_records(p);
    /* Others hold it for milliseconds; who holds it for ever must not hold us. */
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || --tries <= 0)
            return fail_records(p);
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    p->lock = cf_take_fd(&fd);
    return 0;
}

static int collect(struct cf_placeholders *p, bool only_living)
{
    if (!p->collected && cf_shares_collect(p->dir, p->name, only_living, &p->shares) < 0)
        return fail_records(p);
    p->collected = true;
    return 0;
}

void cf_placeholders_settle(struct cf_placeholders *p)
{
    cf_shares_free(&p->shares);
    p->collected = false;
    cf_close_fd(&p->lock);
}

void cf_placeholders_close(struct cf_placeholders *p)
{
    cf_placeholders_settle(p);
    cf_close_fd(&p->record);
    cf_close_fd(&p->dir);
}

int cf_placeholders_hold(struct cf_placeholders *p)
{
    return p->dir < 0 ? 0 : take_lock(p, LOCK_TRIES);
}

int cf_placeholders_why(struct cf_placeholders *p)
{
    int number = p->failed;
    p->failed = 0;
    return number;
}

static int start_record(struct cf_placeholders *p)
{
    if (p->dir < 0) {
        errno = ENOENT;
        return -1;
    }
    if (take_lock(p, LOCK_TRIES) < 0)
        return -1;
    if (p->record >= 0)
        return 0;
    snprintf(p->name, sizeof p->name, "run-%d-%lld", (int)getpid(), (long long)wall_clock());
    cf_autoclose int fd =
        openat(p->dir, p->name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return fail_records(p);
    p->record = cf_take_fd(&fd);
    return 0;
}

static int write_line(struct cf_placeholders *p, const struct cf_record_line *line)
{
    if (start_record(p) < 0)
        return -1;
    return cf_record_write(p->record, line) < 0 ? fail_records(p) : 0;
}

static int make_file_at_once(int parent, const char *name, const char *content, size_t size)
{
    char link[32];
    cf_autoclose int fd = openat(parent, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0644);
    if (fd < 0 || cf_write_all(fd, content, size, NULL) < 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, parent, name, AT_SYMLINK_FOLLOW);
}

/* Git outside fails with a commondir that is empty, so the file comes with its content. */
static int make_file(int parent, const char *name, const char *content, size_t size)
{
    if (make_file_at_once(parent, name, content, size) == 0)
        return 0;
    /* Not every file system has files without a name. */
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    cf_autoclose int fd = openat(parent, name, flags, 0644);
    if (fd < 0)
        return -1;
    if (cf_write_all(fd, content, size, NULL) == 0)
        return 0;
    int saved = errno;
    unlinkat(parent, name, 0);
    errno = saved;
    return -1;
}

/* Makes it and fills *line with what was made; 1, 0 when it is there already, -1. */
static int make(int parent, const char *name, const char *content, struct cf_record_line *line)
{
    if (line->kind == CF_PLACEHOLDER_FOLDER) {
        if (mkdirat(parent, name, 0755) < 0)
            return errno == EEXIST ? 0 : -1;
    } else if (line->kind == CF_PLACEHOLDER_SOCKET) {
        if (mknodat(parent, name, S_IFSOCK | 0444, 0) < 0)
            return errno == EEXIST ? 0 : -1;
    } else if (make_file(parent, name, content, line->size) < 0) {
        return errno == EEXIST ? 0 : -1;
    }
    struct cf_place place;
    if (cf_place_look_again(parent, name, &place) < 0)
        return -1;
    line->dev = place.id.dev;
    line->ino = place.id.ino;
    line->size = place.size;
    line->written = place.written;
    line->changed = place.changed;
    return 1;
}

/* What mknod says where the file system has no sockets, as FAT, or a filter refuses the call. */
static bool has_no_sockets(int number)
{
    return number == EPERM || number == EOPNOTSUPP || number == ENOSYS || number == EINVAL;
}

int cf_placeholders_make(struct cf_placeholders *p, int parent, const char *name,
                         const char *path, enum cf_placeholder kind, const char *content)
{
    if (content == NULL || kind != CF_PLACEHOLDER_FILE)
        content = "";
    struct cf_record_line line = { (char)kind, 0, 0, strlen(content), 0, wall_clock(), path };
    if (faccessat(parent, ".", W_OK, AT_EACCESS) < 0)
        return -1;
    if (write_line(p, &line) < 0)
        return -1;
    int made = make(parent, name, content, &line);
    if (made <= 0)
        line.kind = 'n';
    int saved = errno;
    if (write_line(p, &line) < 0)
        return -1;
    errno = saved;
    if (made < 0 && kind == CF_PLACEHOLDER_SOCKET && has_no_sockets(saved))
        return cf_placeholders_make(p, parent, name, path, CF_PLACEHOLDER_FILE, NULL);
    return made;
}

int cf_placeholders_join(struct cf_placeholders *p, const char *path,
                         const struct cf_place *place)
{
    if (p->dir < 0)
        return 0;
    if (take_lock(p, LOCK_TRIES) < 0 || collect(p, false) < 0)
        return -1;
    const struct cf_record_line *share =
        cf_shares_find(&p->shares, place->id.dev, place->id.ino);
    if (share == NULL)
        return 0;
    struct cf_record_line line = *share;
    line.path = path;
    return write_line(p, &line) < 0 ? -1 : 1;
}

static bool is_of_kind(char kind, mode_t mode)
{
    switch ((enum cf_placeholder)kind) {
    case CF_PLACEHOLDER_FOLDER:
        return S_ISDIR(mode);
    case CF_PLACEHOLDER_FILE:
        return S_ISREG(mode);
    case CF_PLACEHOLDER_SOCKET:
        return S_ISSOCK(mode) && (mode & 0333) == 0;
    }
    return false;
}

/* That a folder holds nothing is for rmdir to say. */
static bool is_untouched(const struct cf_record_line *line, const struct cf_place *place)
{
    bool folder = S_ISDIR(place->mode);
    if (!is_of_kind(line->kind, place->mode))
        return false;
    /* Made but not yet identified when the run was killed. */
    if (line->ino == 0)
        return place->changed >= line->changed && (folder || place->size <= line->size);
    return line->ino == place->id.ino && line->dev == place->id.dev &&
           (folder || (line->size == place->size && line->written == place->written));
}

struct end {
    struct cf_placeholders *p;
    int (*open_parent)(void *ctx, const char *path, size_t length);
    void *ctx;
    struct cf_placeholders_left left;
};

/* What is in a folder is taken before it: where that has to wait, so has the folder. */
static void note_left(struct end *end, int number)
{
    bool is_full = number == ENOTEMPTY || number == EEXIST;
    if (is_full && end->left.waiting == 0)
        end->left.changed++;
    else if (number != ENOENT && number != ENOTDIR && number != ELOOP)
        end->left.waiting++;
}

static void end_line(struct end *end, const struct cf_record_line *line)
{
    const char *slash = strrchr(line->path, '/');
    struct cf_place place;
    if (line->kind == 'n' || slash == NULL)
        return;
    cf_autoclose int parent =
        end->open_parent(end->ctx, line->path, (size_t)(slash - line->path));
    if (parent < 0 || cf_place_look_again(parent, slash + 1, &place) < 0) {
        note_left(end, errno);
        return;
    }
    bool ours = line->ino == 0 || (line->ino == place.id.ino && line->dev == place.id.dev);
    if (!ours || cf_shares_find(&end->p->shares, place.id.dev, place.id.ino) != NULL)
        return;
    if (!is_untouched(line, &place))
        end->left.changed++;
    else if (unlinkat(parent, slash + 1,
                      line->kind == CF_PLACEHOLDER_FOLDER ? AT_REMOVEDIR : 0) < 0)
        note_left(end, errno);
}

static void end_lines(struct end *end, const struct cf_record *record)
{
    struct cf_record_line line;
    const char *done = "";
    for (size_t at = record->size; cf_record_previous(record, &at, &line);) {
        /* What was written before the making is said again by the line after it. */
        if (line.ino != 0 || line.kind == 'n' || strcmp(line.path, done) != 0)
            end_line(end, &line);
        done = line.path;
    }
}

int cf_placeholders_end(struct cf_placeholders *p,
                        int (*open_parent)(void *ctx, const char *path, size_t length),
                        void *ctx, struct cf_placeholders_left *left)
{
    *left = (struct cf_placeholders_left){ 0, 0 };
    if (p->record < 0)
        return 0;
    if (take_lock(p, LOCK_TRIES) < 0 || collect(p, true) < 0)
        return -1;
    cf_autorecord struct cf_record record = cf_record_read(p->record);
    struct end end = { p, open_parent, ctx, { 0, 0 } };
    end_lines(&end, &record);
    if (end.left.waiting == 0)
        unlinkat(p->dir, p->name, 0);
    cf_close_fd(&p->record);
    cf_placeholders_settle(p);
    *left = end.left;
    return 0;
}

static void sweep_record(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct end *end = ctx;
    if (strncmp(name, "run-", 4) != 0)
        return;
    cf_autoclose int fd = openat(end->p->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return;
    cf_autorecord struct cf_record record = cf_record_read(fd);
    end->left.waiting = 0;
    end_lines(end, &record);
    if (end->left.waiting == 0)
        unlinkat(end->p->dir, name, 0);
}

void cf_placeholders_sweep(struct cf_placeholders *p,
                           int (*open_parent)(void *ctx, const char *path, size_t length),
                           void *ctx)
{
    char buffer[4096] __attribute__((aligned(8)));
    /* Collected first, as a record that is being swept looks like that of a living run. */
    if (p->dir < 0 || take_lock(p, 1) < 0 || collect(p, true) < 0)
        return;
    struct end end = { p, open_parent, ctx, { 0, 0 } };
    cf_listing_each(p->dir, buffer, sizeof buffer, sweep_record, &end);
    cf_placeholders_settle(p);
}
