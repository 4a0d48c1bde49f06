/* Growing buffers and arrays by doubling, with every size computation checked. */
#include "base/bytes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cf_bytes_free(struct cf_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct cf_bytes)CF_BYTES_EMPTY;
}

void *cf_array_grow(void *items, size_t *cap, size_t need, size_t size, struct cf_error *err)
{
    if (need <= *cap && items != NULL)
        return items;
    size_t wanted = *cap > 8 ? *cap : 8;
    while (wanted < need && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    size_t total;
    if (wanted < need || __builtin_mul_overflow(wanted, size, &total)) {
        cf_fail(err, ENOMEM, "grow to %zu items", need);
        return NULL;
    }
    void *moved = realloc(items, total);
    if (moved == NULL) {
        cf_fail(err, ENOMEM, "allocate %zu bytes", total);
        return NULL;
    }
    *cap = wanted;
    return moved;
}

int cf_bytes_reserve(struct cf_bytes *bytes, size_t more, struct cf_error *err)
{
    size_t need;
    if (__builtin_add_overflow(bytes->len, more, &need) ||
        __builtin_add_overflow(need, 1, &need))
        return cf_fail(err, ENOMEM, "grow a buffer by %zu bytes", more);
    char *data = cf_array_grow(bytes->data, &bytes->cap, need, 1, err);
    if (data == NULL)
        return -1;
    bytes->data = data;
    data[bytes->len] = '\0';
    return 0;
}

int cf_bytes_append(struct cf_bytes *bytes, const void *data, size_t len, struct cf_error *err)
{
    if (cf_bytes_reserve(bytes, len, err) < 0)
        return -1;
    if (len > 0)
        memcpy(bytes->data + bytes->len, data, len);
    bytes->len += len;
    bytes->data[bytes->len] = '\0';
    return 0;
}

int cf_bytes_text(struct cf_bytes *bytes, const char *text, struct cf_error *err)
{
    return cf_bytes_append(bytes, text, strlen(text), err);
}

int cf_bytes_format(struct cf_bytes *bytes, struct cf_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        return cf_fail(err, EINVAL, "format a text");
    if (cf_bytes_reserve(bytes, (size_t)len, err) < 0)
        return -1;
    va_start(args, format);
    vsnprintf(bytes->data + bytes->len, (size_t)len + 1, format, args);
    va_end(args);
    bytes->len += (size_t)len;
    return 0;
}
