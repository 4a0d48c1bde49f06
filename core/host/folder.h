/* The names in one folder, read in one go and sorted; the folder's descriptor stays open. */
#ifndef CF_HOST_FOLDER_H
#define CF_HOST_FOLDER_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

struct cf_folder {
    int fd;
    char **names; /* sorted by byte, without "." and ".." */
    size_t len;
    struct cf_bytes text; /* what names points into */
};

#define CF_FOLDER_CLOSED                                                                       \
    {                                                                                          \
        -1, NULL, 0, CF_BYTES_EMPTY                                                            \
    }

/*
 * Opens the folder `path` below `at` (or AT_FDCWD) and reads its names. `subject` is what a
 * message calls it. -1 with the errno of open or readdir.
 */
int cf_folder_read(int at, const char *path, const char *subject, struct cf_folder *folder,
                   struct cf_error *err);

/* What the folder says a name of its `names` is: DT_REG, DT_DIR, ..., DT_UNKNOWN. */
unsigned char cf_folder_type(const char *name);

/* Closes and frees; safe on a closed one. */
void cf_folder_close(struct cf_folder *folder);
#define cf_autofolder __attribute__((cleanup(cf_folder_close)))

#endif
