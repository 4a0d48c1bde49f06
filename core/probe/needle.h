/* How an attempt is told what to search for without having it in its own command line. */
#ifndef CF_PROBE_NEEDLE_H
#define CF_PROBE_NEEDLE_H

#include <stddef.h>

#include "probe.h"

struct cf_needle {
    char bytes[256];
    size_t length; /* at least 1 */
};

/* Reads what to search for from a word of one of these forms:
 *   file:PATH   the file's first line
 *   env:NAME    the variable's value, which is then wiped from this process's environment
 *   hex:DIGITS  the bytes in hexadecimal: the command line then holds another text
 * Returns 0, or -1 with the finding filled. */
int cf_needle_read(const char *word, struct cf_needle *needle, struct cf_finding *finding);

/* Tells whether the file at `path` holds the needle: 1 yes, 0 no, -1 with errno when it could
 * not be read to its end. */
int cf_needle_in_file(const char *path, const struct cf_needle *needle);

#endif
