/* The other names of files by hard links: which folders have them, and under what name. */
#ifndef CF_HOST_LINKS_H
#define CF_HOST_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct cf_links_wish {
    dev_t dev;
    ino_t ino;
    size_t names; /* the search for it may end when so many were found */
};

struct cf_link {
    char *path;
    size_t
        wish; /* index of the wish that it is a name of, or of the folder that it was found in */
    dev_t dev;
    ino_t ino;
    size_t names; /* that the file has in all */
    ino_t folder; /* that it lies in */
};

/* A folder of which not all was seen; a closed one can be searched and not listed. */
struct cf_links_cut {
    char *path;
    bool is_closed;
};

/* More are not told; the last place is no closed one's. */
#define CF_LINKS_CUTS 8

struct cf_links {
    struct cf_link *items; /* in the order in which they were found */
    size_t len;
    size_t cap;
    bool is_cut; /* there may be more: beyond a bound, or in what could not be read */
    struct cf_links_cut cuts[CF_LINKS_CUTS];
    size_t cut_len;
};

#define CF_LINKS_EMPTY                                                                         \
    {                                                                                          \
        .items = NULL                                                                          \
    }

/* Bounds: entries seen, about half a second (measured: 255,000 in 0.5 s); names found of one file
 * and of all; entries seen below one folder by cf_links_several. */
#define CF_LINKS_ENTRIES 300000
#define CF_LINKS_EACH 64
#define CF_LINKS_MOST 4096
#define CF_LINKS_INSIDE 128

/*
 * Walks each folder with all below it, on its own file system, no symbolic link followed, for
 * names of the wished files. A folder without a name of them costs one read of its entries, as
 * the numbers that they give are compared first; each is confirmed by stat. Of folders that lie
 * in one another only the outer should be given. -1 with ENOMEM.
 */
int cf_links_find(const struct cf_links_wish *wishes, size_t wish_count,
                  const char *const *folders, size_t folder_count, struct cf_links *links,
                  struct cf_error *err);

/*
 * The same for sockets, whichever. A tmpfs on the way, as /run is full of, is walked too; another
 * file system counts as not read.
 */
int cf_links_sockets(const char *const *folders, size_t folder_count, struct cf_links *links,
                     struct cf_error *err);

/*
 * The files of several names in each folder and its own folders, among the first CF_LINKS_INSIDE
 * entries; for a quick look into many. -1 with ENOMEM.
 */
int cf_links_several(const char *const *folders, size_t folder_count, struct cf_links *links,
                     struct cf_error *err);

/* Safe on an empty one. */
void cf_links_free(struct cf_links *links);

#endif
