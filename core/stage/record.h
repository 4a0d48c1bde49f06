/* What one run wrote down about its placeholders, as a file that is only ever appended to. */
#ifndef CF_STAGE_RECORD_H
#define CF_STAGE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A record is a sequence of NUL-terminated lines `KIND DEV INO SIZE WRITTEN CHANGED PATH`,
 * times in nanoseconds. A line with inode 0 is written before the placeholder is made and says
 * that one may have been made since; the line with its identity follows, or one of KIND `n`
 * when somebody else was faster. A run that is killed in between is thus swept like any other.
 * The last line of a path counts.
 */
struct cf_record_line {
    char kind; /* d: a folder, f: a file, s: a socket, n: none of ours */
    uint64_t dev, ino, size;
    int64_t written, changed;
    const char *path; /* of a line that was read: in the record's text */
};

/* A record's text in memory. */
struct cf_record {
    char *data;
    size_t size;
};

/* Appends a line; -1 with errno. */
int cf_record_write(int fd, const struct cf_record_line *line);

/* Empty when there is nothing or it cannot be read. */
struct cf_record cf_record_read(int fd);
void cf_record_free(struct cf_record *record);
#define cf_autorecord __attribute__((cleanup(cf_record_free)))

/*
 * Reads the line before *end, at first record->size, and moves *end to its start; false when
 * there is none. A line that a kill cut short has no NUL and is passed over.
 */
bool cf_record_previous(const struct cf_record *record, size_t *end,
                        struct cf_record_line *line);

#endif
