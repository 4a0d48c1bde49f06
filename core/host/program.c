/* Looks through the folders of a PATH for a file that can be executed. */
#include "host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 0, or the errno for which the file cannot be executed. */
static int may_execute(const char *path)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return errno;
    if (!S_ISREG(about.st_mode))
        return EACCES;
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? errno : 0;
}

/* Takes the candidate, freed when it is no program, and keeps EACCES as the better reason. */
static char *try_program(char *candidate, int *worst)
{
    int number = candidate == NULL ? ENOMEM : may_execute(candidate);
    if (number == 0)
        return candidate;
    if (number == EACCES || number == ENOMEM)
        *worst = number;
    free(candidate);
    return NULL;
}

static char *search(const char *name, const char *path, int *worst)
{
    for (;;) {
        size_t len = strcspn(path, ":");
        char *candidate;
        if (*path == '/') {
            if (asprintf(&candidate, "%.*s/%s", (int)len, path, name) < 0)
                candidate = NULL;
            candidate = try_program(candidate, worst);
            if (candidate != NULL || *worst == ENOMEM)
                return candidate;
        }
        if (path[len] == '\0')
            return NULL;
        path += len + 1;
    }
}

char *cf_program_find(const char *name, const char *path, struct cf_error *err)
{
    int worst = ENOENT;
    char *found = NULL;
    if (strchr(name, '/') != NULL)
        found = try_program(strdup(name), &worst);
    else if (*name != '\0')
        found = search(name, path, &worst);
    if (found == NULL)
        cf_fail(err, worst, "find %s", name);
    return found;
}
