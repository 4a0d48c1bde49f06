/* Lists of words as the program that orders attempts writes them: bytes, no quoting. */
#ifndef CF_PROBE_WORDS_H
#define CF_PROBE_WORDS_H

#include <stddef.h>

enum { CF_WORDS_MOST = 64 };

/* One order: words that live in the text they were cut from, and a NULL behind the last. */
struct cf_words {
    char *items[CF_WORDS_MOST + 1];
    int count;
};

/*
 * Cuts the next order off text[*at .. length): each word ends in a NUL, the order in an empty
 * word. Returns 1 and moves *at behind it; 0 when no whole order is left; -1 when it has more
 * than CF_WORDS_MOST words.
 */
int cf_words_next(char *text, size_t length, size_t *at, struct cf_words *words);

#endif
