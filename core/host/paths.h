/* Questions about one path: what a folder holds, who may write, who could have written. */
#ifndef CF_HOST_PATHS_H
#define CF_HOST_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/error.h"

struct cf_listed {
    const char *name; /* within the listing's folder */
    char *target;     /* of a symbolic link that could be read, else NULL */
    mode_t kind;      /* S_IFREG, S_IFDIR, ... */
};

struct cf_listing {
    struct cf_listed *items; /* sorted by name, byte by byte */
    size_t len;
    struct cf_bytes names;
};

/*
 * What the folder holds, without "." and "..", as its entries say it: what is mounted over a
 * file counts as that file. A folder that can be read but not searched is an error.
 */
int cf_paths_list(const char *path, struct cf_listing *listing, struct cf_error *err);
void cf_listing_free(struct cf_listing *listing);

/*
 * Whether the caller, with its effective ids, groups and access control lists, could connect to
 * the socket at the path, or write the file: search permission on the way, links followed, and
 * write permission on what is there, judged on an O_PATH descriptor. 1 or 0; uid 0 always may,
 * and a read-only file system stops no connection, so EROFS is 1. -1 with *err filled when it
 * could not be found out, also because nothing is there. Facts: unix(7), faccessat2(2).
 */
int cf_paths_writable(const char *path, struct cf_error *err);

/*
 * Whether nobody but root and the caller could have written what is at the path: the file and
 * each folder and link on the way to it belong to one of the two, and none is writable for
 * others. A folder on the way may be when it is sticky, for then only its owner replaces an
 * entry. 0 when trusted, else -1 with the reason: one of these (errno 0; EOVERFLOW for an owner
 * that this user namespace does not map, among whom root may be), or what kept it from being
 * found out.
 */
int cf_paths_trust(const char *path, struct cf_error *err);

/*
 * Appends the content of a regular file. The last component may not be a symbolic link unless
 * `follow`. -1 with EINVAL for anything but a regular file, EFBIG beyond max bytes.
 */
int cf_paths_read(const char *path, size_t max, bool follow, struct cf_bytes *to,
                  struct cf_error *err);

/*
 * The current folder, owned; NULL with *err filled when it was deleted (ENOENT) or lies outside
 * the caller's root. Facts: getcwd(3).
 */
char *cf_cwd_read(struct cf_error *err);

#endif
