/* /proc/PID/status as typed fields, and the namespaces a process lives in. */
#ifndef CF_HOST_STATUS_H
#define CF_HOST_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum cf_status_kind {
    CF_STATUS_TEXT,
    CF_STATUS_NUMBER, /* one decimal, such as NoNewPrivs */
    CF_STATUS_MASK,   /* one hexadecimal of up to 64 bits, such as CapEff */
    CF_STATUS_IDS,    /* exactly four: real, effective, saved, file system */
    CF_STATUS_LIST,   /* any number of decimals, such as Groups */
};

struct cf_status_field {
    char name[32];
    enum cf_status_kind kind;
    char *text; /* always: the value as printed, blanks around it removed */
    uint64_t *numbers;
    size_t count;
};

struct cf_status {
    struct cf_status_field *items;
    size_t len;
    size_t cap;
    size_t unreadable; /* lines that are no field, or whose value is not of its kind */
};

/* Appends the fields of a status text, which need not end in a newline. -1 with ENOMEM. */
int cf_status_parse(const char *text, size_t len, struct cf_status *to, struct cf_error *err);

/* Reads /proc/PID/status; pid 0 means the caller. -1 with ENOENT for no such process. */
int cf_status_read(pid_t pid, struct cf_status *to, struct cf_error *err);

/* The field of this name, or NULL. */
const struct cf_status_field *cf_status_find(const struct cf_status *status, const char *name);

void cf_status_free(struct cf_status *status);

struct cf_namespace {
    char name[32];   /* "mnt", "pid_for_children", ... */
    char target[64]; /* "mnt:[4026531841]", empty when it could not be read */
    int number;      /* the errno of that */
};

struct cf_namespaces {
    struct cf_namespace items[16];
    size_t len;
};

/* The links in /proc/PID/ns, sorted by name; pid 0 means the caller. Facts: namespaces(7). */
int cf_namespaces_read(pid_t pid, struct cf_namespaces *to, struct cf_error *err);

#endif
