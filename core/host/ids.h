/* Who the caller is, and what the password file knows of a user. */
#ifndef CF_HOST_IDS_H
#define CF_HOST_IDS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

struct cf_ids {
    uid_t uid;
    uid_t euid;
    gid_t gid;
    gid_t egid;
    gid_t *groups; /* supplementary, as the kernel lists them */
    size_t group_count;
};

int cf_ids_read(struct cf_ids *ids, struct cf_error *err);
void cf_ids_free(struct cf_ids *ids);

struct cf_passwd {
    char *name;
    char *dir;
    char *shell;
};

/* 1 when the user has an entry, 0 when not, -1 when that could not be told: getpwuid_r(3). */
int cf_passwd_read(uid_t uid, struct cf_passwd *passwd, struct cf_error *err);
void cf_passwd_free(struct cf_passwd *passwd);

#endif
