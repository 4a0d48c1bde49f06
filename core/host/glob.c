/* Matches by going on from the last star only, which suffices: an earlier one need not move. */
#include "host/glob.h"

#include <string.h>

static bool is_special(char byte)
{
    return byte == '*' || byte == '?' || byte == '[';
}

/* Whether a set of one byte stands there that means more where a policy writes it alone. */
static bool is_escape(const char *at, const char *end)
{
    return end - at >= 3 && at[0] == '[' && at[1] != '\0' &&
           strchr("*?[${ \t\n\v\f\r", at[1]) != NULL && at[2] == ']';
}

bool cf_glob_is_pattern(const char *text, size_t len)
{
    const char *end = text + len;
    if (memchr(text, '[', len) == NULL)
        return memchr(text, '*', len) != NULL || memchr(text, '?', len) != NULL;
    for (const char *at = text; at < end; at++) {
        if (is_escape(at, end))
            at += 2;
        else if (is_special(*at))
            return true;
    }
    return false;
}

size_t cf_glob_plain(const char *text, size_t len, char *name)
{
    const char *end = text + len;
    size_t used = 0;
    for (const char *at = text; at < end; at++) {
        bool escaped = is_escape(at, end);
        name[used++] = at[escaped];
        at += escaped ? 2 : 0;
    }
    return used;
}

/* Length of the set that begins at "[", or 0 when it has no end. "]" may stand first in it. */
static size_t set_length(const char *at, const char *end)
{
    const char *first = at + 1;
    if (first < end && (*first == '!' || *first == '^'))
        first++;
    if (end - first < 2)
        return 0;
    const char *close = memchr(first + 1, ']', (size_t)(end - first - 1));
    return close == NULL ? 0 : (size_t)(close + 1 - at);
}

static bool set_holds(const char *set, size_t len, unsigned char byte)
{
    const char *at = set + 1;
    const char *end = set + len - 1;
    bool outside = *at == '!' || *at == '^';
    if (outside)
        at++;
    bool found = false;
    while (at < end) {
        unsigned char low = (unsigned char)*at;
        unsigned char high = low;
        if (end - at >= 3 && at[1] == '-') {
            high = (unsigned char)at[2];
            at += 2;
        }
        at++;
        found = found || (byte >= low && byte <= high);
    }
    return found != outside;
}

/* Whether the element at `at` takes the byte; its length goes to *len. */
static bool takes(const char *at, const char *end, char byte, size_t *len)
{
    *len = 1;
    if (*at == '?')
        return true;
    size_t set = *at == '[' ? set_length(at, end) : 0;
    if (set == 0)
        return *at == byte;
    *len = set;
    return set_holds(at, set, (unsigned char)byte);
}

bool cf_glob_match(const char *pattern, size_t pattern_len, const char *name, size_t name_len)
{
    const char *at = pattern;
    const char *end = pattern + pattern_len;
    const char *to = name;
    const char *stop = name + name_len;
    const char *after_star = NULL;
    const char *retry = NULL;
    if (name_len > 0 && *name == '.' && (pattern_len == 0 || *pattern != '.'))
        return false;
    while (to < stop) {
        size_t len;
        if (at < end && *at == '*') {
            after_star = ++at;
            retry = to;
        } else if (at < end && takes(at, end, *to, &len)) {
            at += len;
            to++;
        } else if (after_star != NULL) {
            at = after_star;
            to = ++retry;
        } else {
            return false;
        }
    }
    while (at < end && *at == '*')
        at++;
    return at == end;
}
