/* What bwrap says about itself on --json-status-fd, line by line. */
#ifndef CF_LAUNCH_BWRAP_STATUS_H
#define CF_LAUNCH_BWRAP_STATUS_H

#include <stddef.h>

/* A line of bwrap 0.8 has at most some 250 bytes. */
#define CF_STATUS_LINE 2048

struct cf_bwrap_status {
    int child_pid; /* of pid 1 inside, seen from outside; 0 until told */
    int exit_code; /* -1 until told, which bwrap does only for a command that was executed */
    size_t len;    /* of the line so far; more than CF_STATUS_LINE for one that is skipped */
    char line[CF_STATUS_LINE + 1];
};

#define CF_BWRAP_STATUS_EMPTY                                                                  \
    {                                                                                          \
        .child_pid = 0, .exit_code = -1, .len = 0                                              \
    }

/* Takes the next bytes, cut anywhere. A line that makes no sense changes nothing. */
void cf_bwrap_status_feed(struct cf_bwrap_status *told, const char *data, size_t len);

#endif
