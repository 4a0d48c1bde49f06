/* One JSON object a line; bwrap writes it in pieces, so only a whole line is looked at. */
#include "launch/bwrap_status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value of "key" in the line when it is an integer in range, else fallback. */
static int find_integer(const char *line, const char *key, long lowest, long highest,
                        int fallback)
{
    const char *at = strstr(line, key);
    if (at == NULL)
        return fallback;
    at += strlen(key);
    at += strspn(at, " \t");
    if (*at++ != ':')
        return fallback;
    char *end;
    errno = 0;
    long value = strtol(at, &end, 10);
    if (errno != 0 || end == at || value < lowest || value > highest)
        return fallback;
    end += strspn(end, " \t\r");
    return *end == ',' || *end == '}' ? (int)value : fallback;
}

static void take_line(struct cf_bwrap_status *told)
{
    told->line[told->len] = '\0';
    /* The kernel's greatest pid is 2^22; 0 and 1 would make a signal go astray. */
    told->child_pid = find_integer(told->line, "\"child-pid\"", 2, 1L << 22, told->child_pid);
    told->exit_code = find_integer(told->line, "\"exit-code\"", 0, 255, told->exit_code);
}

void cf_bwrap_status_feed(struct cf_bwrap_status *told, const char *data, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        if (data[at] == '\n') {
            if (told->len <= CF_STATUS_LINE)
                take_line(told);
            told->len = 0;
        } else if (told->len < CF_STATUS_LINE) {
            told->line[told->len++] = data[at];
        } else {
            told->len = CF_STATUS_LINE + 1;
        }
    }
}
