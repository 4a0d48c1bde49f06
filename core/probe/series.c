/* Many attempts by one process, in order, as a list orders them. */
#include "series.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Until when a mode goes on; "through:FILE" until a little after the file is there. */
static long end_of(const char *mode, long start)
{
    enum { AFTERWARDS = 40, LONGEST = 12000 };
    const char *colon = strchr(mode, ':');
    if (!colon)
        return start;
    if (strncmp(mode, "through", 7) != 0)
        return start + strtol(colon + 1, NULL, 10);
    struct stat st;
    if (stat(colon + 1, &st) < 0)
        return start + LONGEST;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long age = (long)(now.tv_sec - st.st_mtim.tv_sec) * 1000 +
               (now.tv_nsec - st.st_mtim.tv_nsec) / 1000000;
    return milliseconds() + AFTERWARDS - age;
}

static void make_for(const char *mode, const struct cf_attempt *attempt, char **args, int count,
                     struct cf_finding *finding)
{
    long start = milliseconds();
    enum cf_verdict enough = strncmp(mode, "settle", 6) == 0 ? CF_REFUSED : CF_REACHED;
    long pause = strncmp(mode, "until", 5) == 0 || strncmp(mode, "settle", 6) == 0 ? 20 : 0;
    do {
        if (finding->detail[0] && pause)
            sleep_milliseconds(pause);
        cf_attempt_make(attempt, args, count, finding);
    } while (finding->verdict != enough && milliseconds() < end_of(mode, start));
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
