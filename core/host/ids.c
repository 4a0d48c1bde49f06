/* Reads the caller's ids and the user database. */
#include "host/ids.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cf_ids_read(struct cf_ids *ids, struct cf_error *err)
{
    *ids = (struct cf_ids){ getuid(), geteuid(), getgid(), getegid(), NULL, 0 };
    int count = getgroups(0, NULL);
    if (count < 0)
        return cf_fail(err, errno, "getgroups");
    ids->groups = calloc((size_t)count + 1, sizeof *ids->groups);
    if (ids->groups == NULL)
        return cf_fail(err, ENOMEM, "getgroups");
    count = getgroups(count, ids->groups);
    if (count < 0) {
        int number = errno;
        cf_ids_free(ids);
        return cf_fail(err, number, "getgroups");
    }
    ids->group_count = (size_t)count;
    return 0;
}

void cf_ids_free(struct cf_ids *ids)
{
    free(ids->groups);
    ids->groups = NULL;
    ids->group_count = 0;
}

static void free_text(char **text)
{
    free(*text);
}

#define autotext __attribute__((cleanup(free_text)))

int cf_passwd_read(uid_t uid, struct cf_passwd *passwd, struct cf_error *err)
{
    *passwd = (struct cf_passwd){ NULL, NULL, NULL };
    size_t size = 1024;
    for (;;) {
        struct passwd entry;
        struct passwd *found = NULL;
        autotext char *buffer = malloc(size);
        if (buffer == NULL)
            return cf_fail(err, ENOMEM, "getpwuid %u", uid);
        int number = getpwuid_r(uid, &entry, buffer, size, &found);
        if (number == ERANGE && size < ((size_t)1 << 20)) {
            size *= 4;
            continue;
        }
        /* "No such entry" comes as one of several numbers when the file itself is missing. */
        if (found == NULL && (number == 0 || number == ENOENT || number == ESRCH))
            return 0;
        if (found == NULL)
            return cf_fail(err, number, "getpwuid %u", uid);
        passwd->name = strdup(entry.pw_name);
        passwd->dir = strdup(entry.pw_dir);
        passwd->shell = strdup(entry.pw_shell);
        if (passwd->name != NULL && passwd->dir != NULL && passwd->shell != NULL)
            return 1;
        cf_passwd_free(passwd);
        return cf_fail(err, ENOMEM, "getpwuid %u", uid);
    }
}

void cf_passwd_free(struct cf_passwd *passwd)
{
    free(passwd->name);
    free(passwd->dir);
    free(passwd->shell);
    *passwd = (struct cf_passwd){ NULL, NULL, NULL };
}
