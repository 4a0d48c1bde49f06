/* How a finding is filled and printed, and how an argument is read as a number. */
#include "probe.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void conclude(struct cf_finding *finding, enum cf_verdict verdict, int error,
                     const char *format, va_list arguments)
{
    finding->verdict = verdict;
    finding->error = error;
    vsnprintf(finding->detail, sizeof(finding->detail), format, arguments);
}

void cf_finding_reached(struct cf_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    conclude(finding, CF_REACHED, 0, format, arguments);
    va_end(arguments);
}

void cf_finding_refused(struct cf_finding *finding, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    conclude(finding, CF_REFUSED, error, format, arguments);
    va_end(arguments);
}

void cf_finding_unavailable(struct cf_finding *finding, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    conclude(finding, CF_UNAVAILABLE, error, format, arguments);
    va_end(arguments);
}

static void print_string(FILE *stream, const char *text)
{
    putc('"', stream);
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        if (*byte == '"' || *byte == '\\')
            fprintf(stream, "\\%c", *byte);
        else if (*byte < 0x20 || *byte > 0x7e)
            fprintf(stream, "\\u%04x", *byte);
        else
            putc(*byte, stream);
    }
    putc('"', stream);
}

void cf_finding_print(FILE *stream, const char *key, const char *attempt,
                      const struct cf_finding *finding)
{
    static const char *const words[] = { "reached", "refused", "unavailable" };
    const char *error = finding->error ? strerrorname_np(finding->error) : "";

    fputs("{", stream);
    if (key) {
        fputs("\"key\":", stream);
        print_string(stream, key);
        fputs(",", stream);
    }
    fputs("\"attempt\":", stream);
    print_string(stream, attempt);
    fputs(",\"target\":", stream);
    print_string(stream, finding->target);
    fprintf(stream, ",\"result\":\"%s\",\"errno\":", words[finding->verdict]);
    print_string(stream, error ? error : "unknown");
    fputs(",\"detail\":", stream);
    print_string(stream, finding->detail);
    fputs("}\n", stream);
}

int cf_number_read(const char *text, unsigned long most, unsigned long *number,
                   struct cf_finding *finding)
{
    char *end = NULL;
    errno = 0;
    *number = strtoul(text, &end, 0);
    if (errno || end == text || *end || *text == '-' || *number > most) {
        cf_finding_unavailable(finding, EINVAL, "not a number up to %lu: %s", most, text);
        return -1;
    }
    return 0;
}

void cf_probe_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}
