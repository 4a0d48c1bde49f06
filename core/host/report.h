/* Report files: opened before a command starts, at a place that it could not have prepared. */
#ifndef CF_HOST_REPORT_H
#define CF_HOST_REPORT_H

#include "base/error.h"

/*
 * Opens `path` for writing, made with mode 0666 less the umask when absent, emptied otherwise.
 * No symbolic link is followed on the way (openat2(2)), and only a regular file is taken. An
 * owned CLOEXEC descriptor, or -1 with ELOOP for a link, EINVAL for another kind of file.
 */
int cf_report_open(const char *path, struct cf_error *err);

/*
 * Ends the file behind `fd` after `length` bytes, whatever else was written to it meanwhile, and
 * makes sure that `path` still leads to it. -1 with ESTALE when it does not: what is read there
 * is not the report.
 */
int cf_report_end(int fd, long length, const char *path, struct cf_error *err);

#endif
