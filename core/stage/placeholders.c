/*
 * A record is a sequence of NUL-terminated lines `KIND DEV INO SIZE WRITTEN CHANGED PATH`, times
 * in nanoseconds, KIND d for a folder and f for a file. A line with inode 0 is written before the
 * placeholder is made and says that one may have been made since; the line with its identity
 * follows, or one of KIND n when somebody else was faster. A run that is killed in between is
 * thus swept like any other. The last line of a path counts.
 */
#include "stage/placeholders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"

struct line {
    char kind;
    uint64_t dev, ino, size;
    int64_t written, changed;
    const char *path;
};

/* A record in memory. */
struct text {
    char *data;
    size_t size;
};

static int64_t wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* As `mkdir -p -m 0700`. */
static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t at = 1; at <= length; at++) {
        if (path[at] != '/' && path[at] != '\0')
            continue;
        memcpy(part, path, at);
        part[at] = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            return -1;
    }
    return 0;
}

int cf_placeholders_open(struct cf_placeholders *p, const char *records, struct cf_error *err)
{
    if (records == NULL)
        return 0;
    struct stat st;
    if (make_folders(records) < 0)
        return cf_fail(err, errno, "mkdir %s", records);
    cf_autoclose int dir = open(records, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0 || fstat(dir, &st) < 0)
        return cf_fail(err, errno, "open %s", records);
    /* Who can write a record can have any empty file of the caller's removed. */
    if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
        return cf_fail(err, EPERM, "%s is not the caller's alone", records);
    p->dir = cf_take_fd(&dir);
    return 0;
}

static void see_record(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct cf_placeholders *p = ctx;
    if (strncmp(name, "run-", 4) == 0 && strcmp(name, p->name) != 0)
        p->alone = false;
}

static int take_lock(struct cf_placeholders *p)
{
    if (p->lock >= 0)
        return 0;
    cf_autoclose int fd = openat(p->dir, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -1;
    while (flock(fd, LOCK_EX) < 0)
        if (errno != EINTR)
            return -1;
    p->lock = cf_take_fd(&fd);
    char buffer[2048] __attribute__((aligned(8)));
    p->alone = true;
    return cf_listing_each(p->dir, buffer, sizeof buffer, see_record, p);
}

void cf_placeholders_settle(struct cf_placeholders *p)
{
    cf_close_fd(&p->lock);
}

void cf_placeholders_close(struct cf_placeholders *p)
{
    cf_close_fd(&p->lock);
    cf_close_fd(&p->record);
    cf_close_fd(&p->dir);
}

static int start_record(struct cf_placeholders *p)
{
    if (p->dir < 0) {
        errno = ENOENT;
        return -1;
    }
    if (take_lock(p) < 0)
        return -1;
    if (p->record >= 0)
        return 0;
    snprintf(p->name, sizeof p->name, "run-%d-%lld", (int)getpid(), (long long)wall_clock());
    cf_autoclose int fd =
        openat(p->dir, p->name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
        return -1;
    p->record = cf_take_fd(&fd);
    return 0;
}

static int write_line(struct cf_placeholders *p, const struct line *line)
{
    char text[PATH_MAX + 160];
    int length = snprintf(text, sizeof text, "%c %llu %llu %llu %lld %lld %s", line->kind,
                          (unsigned long long)line->dev, (unsigned long long)line->ino,
                          (unsigned long long)line->size, (long long)line->written,
                          (long long)line->changed, line->path);
    if (length < 0 || (size_t)length >= sizeof text) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return cf_write_all(p->record, text, (size_t)length + 1, NULL);
}

/*
 * Reads the line before *end and moves *end to its start; false at the start of the text. A line
 * that a kill cut short has no NUL and is passed over.
 */
static bool previous_line(const struct text *text, size_t *end, struct line *line)
{
    while (*end > 0 && text->data[*end - 1] != '\0')
        (*end)--;
    if (*end == 0)
        return false;
    size_t at = *end - 1;
    while (at > 0 && text->data[at - 1] != '\0')
        at--;
    *end = at;
    const char *start = text->data + at;
    char *rest;
    line->kind = start[0];
    line->dev = strtoull(start + 1, &rest, 10);
    line->ino = strtoull(rest, &rest, 10);
    line->size = strtoull(rest, &rest, 10);
    line->written = strtoll(rest, &rest, 10);
    line->changed = strtoll(rest, &rest, 10);
    line->path = rest[0] == ' ' ? rest + 1 : rest;
    return true;
}

static void free_text(struct text *text)
{
    if (text->data != NULL)
        munmap(text->data, text->size);
}

static struct text read_record(int fd)
{
    struct stat st;
    struct text text = { NULL, 0 };
    if (fstat(fd, &st) < 0 || st.st_size <= 0)
        return text;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED)
        text = (struct text){ data, (size_t)st.st_size };
    return text;
}

/* One visit of the other records. */
struct visit {
    struct cf_placeholders *p;
    const char *path;
    const struct cf_place *place;
    const char *but;   /* a record that does not count */
    bool only_living;
    bool found;
    struct line line;
};

static void visit_record(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct visit *visit = ctx;
    if (visit->found || strncmp(name, "run-", 4) != 0 || strcmp(name, visit->but) == 0 ||
        strcmp(name, visit->p->name) == 0)
        return;
    cf_autoclose int fd = openat(visit->p->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || (visit->only_living && flock(fd, LOCK_EX | LOCK_NB) == 0))
        return;
    __attribute__((cleanup(free_text))) struct text text = read_record(fd);
    struct line line;
    for (size_t end = text.size; previous_line(&text, &end, &line);)
        if (strcmp(line.path, visit->path) == 0 && line.ino == visit->place->id.ino &&
            line.dev == visit->place->id.dev) {
            visit->found = true;
            visit->line = line;
            visit->line.path = visit->path;
        }
}

static bool look_in_others(struct visit *visit)
{
    char buffer[2048] __attribute__((aligned(8)));
    if (!visit->p->alone)
        cf_listing_each(visit->p->dir, buffer, sizeof buffer, visit_record, visit);
    return visit->found;
}

/* Makes it and fills *line with what was made; 1, 0 when it is there already, -1. */
static int make(int parent, const char *name, const char *content, struct line *line)
{
    if (line->kind == 'd') {
        if (mkdirat(parent, name, 0755) < 0)
            return errno == EEXIST ? 0 : -1;
    } else {
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        cf_autoclose int fd = openat(parent, name, flags, 0644);
        if (fd < 0)
            return errno == EEXIST ? 0 : -1;
        if (cf_write_all(fd, content, line->size, NULL) < 0)
            return -1;
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

int cf_placeholders_make(struct cf_placeholders *p, int parent, const char *name,
                         const char *path, bool folder, const char *content)
{
    if (content == NULL || folder)
        content = "";
    struct line line = { folder ? 'd' : 'f', 0, 0, strlen(content), 0, wall_clock(), path };
    if (faccessat(parent, ".", W_OK, AT_EACCESS) < 0)
        return -1;
    if (start_record(p) < 0 || write_line(p, &line) < 0)
        return -1;
    int made = make(parent, name, content, &line);
    if (made <= 0)
        line.kind = 'n';
    int saved = errno;
    if (write_line(p, &line) < 0)
        return -1;
    errno = saved;
    return made;
}

void cf_placeholders_join(struct cf_placeholders *p, const char *path,
                          const struct cf_place *place)
{
    if (p->dir < 0 || take_lock(p) < 0)
        return;
    struct visit visit = { .p = p, .path = path, .place = place, .but = "" };
    if (look_in_others(&visit) && start_record(p) == 0)
        write_line(p, &visit.line);
}

/* That a folder holds nothing is for rmdir to say. */
static bool is_untouched(const struct line *line, const struct cf_place *place)
{
    bool folder = S_ISDIR(place->mode);
    if (folder != (line->kind == 'd') || (!folder && !S_ISREG(place->mode)))
        return false;
    /* Made but not yet identified when the run was killed. */
    if (line->ino == 0)
        return place->changed >= line->changed && (folder || place->size <= line->size);
    return line->ino == place->id.ino && line->dev == place->id.dev &&
           (folder || (line->size == place->size && line->written == place->written));
}

static bool has_later_line(const struct text *text, size_t start, const char *path)
{
    struct line line;
    for (size_t end = text->size; end > start && previous_line(text, &end, &line);)
        if (end > start && strcmp(line.path, path) == 0)
            return true;
    return false;
}

struct end {
    struct cf_placeholders *p;
    int (*open_parent)(void *ctx, const char *path, size_t length);
    void *ctx;
    const char *record;
    unsigned left;
};

static void end_line(struct end *end, const struct line *line)
{
    const char *slash = strrchr(line->path, '/');
    struct cf_place place;
    if (line->kind == 'n' || slash == NULL)
        return;
    cf_autoclose int parent =
        end->open_parent(end->ctx, line->path, (size_t)(slash - line->path));
    if (parent < 0 || cf_place_look_again(parent, slash + 1, &place) < 0)
        return;
    struct visit visit = { .p = end->p,
                           .path = line->path,
                           .place = &place,
                           .but = end->record,
                           .only_living = true };
    if (look_in_others(&visit))
        return;
    if (!is_untouched(line, &place) ||
        unlinkat(parent, slash + 1, line->kind == 'd' ? AT_REMOVEDIR : 0) < 0)
        end->left++;
}

/* Backwards: what is inside a folder was made after it. */
static void end_lines(struct end *end, const struct text *text)
{
    struct line line;
    for (size_t at = text->size; previous_line(text, &at, &line);)
        if (!has_later_line(text, at, line.path))
            end_line(end, &line);
}

unsigned cf_placeholders_end(struct cf_placeholders *p,
                             int (*open_parent)(void *ctx, const char *path, size_t length),
                             void *ctx)
{
    if (p->record < 0 || take_lock(p) < 0)
        return 0;
    __attribute__((cleanup(free_text))) struct text text = read_record(p->record);
    struct end end = { p, open_parent, ctx, p->name, 0 };
    end_lines(&end, &text);
    unlinkat(p->dir, p->name, 0);
    cf_close_fd(&p->record);
    cf_placeholders_settle(p);
    return end.left;
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
    __attribute__((cleanup(free_text))) struct text text = read_record(fd);
    end->record = name;
    end_lines(end, &text);
    unlinkat(end->p->dir, name, 0);
}

void cf_placeholders_sweep(struct cf_placeholders *p,
                           int (*open_parent)(void *ctx, const char *path, size_t length),
                           void *ctx)
{
    char buffer[4096] __attribute__((aligned(8)));
    if (p->dir < 0 || take_lock(p) < 0)
        return;
    struct end end = { p, open_parent, ctx, "", 0 };
    cf_listing_each(p->dir, buffer, sizeof buffer, sweep_record, &end);
    cf_placeholders_settle(p);
}
