/* Many attempts by one process, in order, as a list orders them. */
#include "series.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attempts.h"
#include "base/bytes.h"
#include "base/fds.h"
#include "words.h"

enum { LONGEST_LIST = 16 << 20 };

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void sleep_milliseconds(long count)
{
    struct timespec pause = { .tv_sec = count / 1000, .tv_nsec = count % 1000 * 1000000 };
    nanosleep(&pause, NULL);
}

static void make_for(const char *mode, const struct cf_attempt *attempt, char **args, int count,
                     struct cf_finding *finding)
{
    const char *colon = strchr(mode, ':');
    long end = milliseconds() + (colon ? strtol(colon + 1, NULL, 10) : 0);
    long pause = strncmp(mode, "until", 5) == 0 ? 20 : 0;
    for (;;) {
        cf_attempt_make(attempt, args, count, finding);
        if (finding->verdict == CF_REACHED || milliseconds() >= end)
            return;
        if (pause)
            sleep_milliseconds(pause);
    }
}

static void make_order(FILE *report, struct cf_words *words)
{
    enum { KEY, MODE, NAME, ARGS };
    struct cf_finding finding = { .verdict = CF_UNAVAILABLE };
    if (words->count < ARGS) {
        fprintf(stderr, "confine-probe: an order has a key, a mode and an attempt\n");
        return;
    }
    const struct cf_attempt *attempt = cf_attempt_find(words->items[NAME]);
    int count = words->count - ARGS;
    if (!attempt)
        cf_finding_unavailable(&finding, 0, "no attempt has this name");
    else if (count < attempt->least || count > attempt->most)
        cf_finding_unavailable(&finding, 0, "it takes %s", attempt->usage);
    else
        make_for(words->items[MODE], attempt, words->items + ARGS, count, &finding);
    cf_finding_print(report, words->items[KEY], words->items[NAME], &finding);
    fflush(report);
}

int cf_series_run(const char *list, const char *report)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, list, LONGEST_LIST, &text, &err) < 0) {
        fprintf(stderr, "confine-probe: %s\n", err.message);
        return 1;
    }
    FILE *stream = strcmp(report, "-") == 0 ? stdout : fopen(report, "we");
    if (!stream) {
        perror(report);
        return 1;
    }
    struct cf_words words;
    size_t at = 0;
    while (cf_words_next(text.data, text.len, &at, &words) > 0)
        make_order(stream, &words);
    return stream == stdout || fclose(stream) == 0 ? 0 : 1;
}
