/* A growable byte buffer that always ends in a NUL, so that text needs no second copy. */
#ifndef CF_BASE_BYTES_H
#define CF_BASE_BYTES_H

#include <stddef.h>

#include "base/error.h"

struct cf_bytes {
    char *data; /* NULL until something was reserved, else data[len] is NUL */
    size_t len;
    size_t cap;
};

#define CF_BYTES_EMPTY                                                                         \
    {                                                                                          \
        NULL, 0, 0                                                                             \
    }

/* Frees the memory and leaves an empty buffer; safe on an empty one. */
void cf_bytes_free(struct cf_bytes *bytes);

/* `cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;`: freed when it goes out of scope. */
#define cf_autobytes __attribute__((cleanup(cf_bytes_free)))

/* Makes room for `more` bytes and a NUL behind len. -1 with ENOMEM. */
int cf_bytes_reserve(struct cf_bytes *bytes, size_t more, struct cf_error *err);

/* Appends len bytes of data; data may not lie inside the buffer. -1 with ENOMEM. */
int cf_bytes_append(struct cf_bytes *bytes, const void *data, size_t len, struct cf_error *err);

/* Appends a NUL-terminated text without its NUL. -1 with ENOMEM. */
int cf_bytes_text(struct cf_bytes *bytes, const char *text, struct cf_error *err);

/* Appends formatted text. -1 with ENOMEM or EINVAL for a bad format. */
int cf_bytes_format(struct cf_bytes *bytes, struct cf_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Grows an array to hold at least `need` items of `size` bytes, doubling so that appending one
 * by one stays linear. Returns the array, possibly moved, with *cap updated; NULL with ENOMEM
 * leaves the old one valid.
 */
void *cf_array_grow(void *items, size_t *cap, size_t need, size_t size, struct cf_error *err);

#endif
