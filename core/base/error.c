/* Formats a failure into its error value; control bytes of hostile names never get through. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_MAX 128

/* Appends text from `used` on while the whole stays below `limit`. */
static size_t append_escaped(char *to, size_t used, size_t limit, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte >= 0x20 && byte != 0x7f) {
            if (used + 1 >= limit)
                break;
            to[used++] = *at;
            continue;
        }
        if (used + 4 >= limit)
            break;
        static const char digits[] = "0123456789abcdef";
        to[used++] = '\\';
        to[used++] = 'x';
        to[used++] = digits[byte >> 4];
        to[used++] = digits[byte & 15];
    }
    to[used] = '\0';
    return used;
}

int cf_fail(struct cf_error *err, int number, const char *format, ...)
{
    if (err == NULL)
        return -1;
    int saved = errno;
    char text[CF_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    va_end(args);

    /* The reason is kept even where the subject has to be cut. */
    size_t used = append_escaped(err->message, 0, CF_MESSAGE_MAX - REASON_MAX, text);
    err->number = number;
    if (number != 0) {
        /* Unlike strerror, this neither allocates nor translates, so it is safe after fork. */
        const char *why = strerrordesc_np(number);
        used = append_escaped(err->message, used, CF_MESSAGE_MAX, ": ");
        append_escaped(err->message, used, CF_MESSAGE_MAX, why != NULL ? why : "unknown error");
    }
    errno = saved;
    return -1;
}

bool cf_is_want(int number)
{
    return number == ENOMEM || number == EMFILE || number == ENFILE || number == ENOSPC ||
           number == EDQUOT || number == EAGAIN || number == EINTR || number == EIO;
}
