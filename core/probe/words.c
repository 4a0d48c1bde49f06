/* Lists of words as the program that orders attempts writes them: bytes, no quoting. */
#include "words.h"

#include <string.h>

int cf_words_next(char *text, size_t length, size_t *at, struct cf_words *words)
{
    size_t next = *at;
    words->count = 0;
    for (;;) {
        const char *end = next < length ? memchr(text + next, 0, length - next) : NULL;
        if (!end)
            return 0;
        char *word = text + next;
        next = (size_t)(end - text) + 1;
        if (!*word)
            break;
        if (words->count == CF_WORDS_MOST)
            return -1;
        words->items[words->count++] = word;
    }
    words->items[words->count] = NULL;
    *at = next;
    return 1;
}
