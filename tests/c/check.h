/* What every C test is written with: named cases, comparisons that print both sides, a count. */
#ifndef CF_TESTS_CHECK_H
#define CF_TESTS_CHECK_H

#include <stdbool.h>
#include <string.h>

/*
 * A test program is
 *
 *     CHECK_CASE(a_daemon_is_found) { CHECK_INT(found, 1); }
 *     CHECK_MAIN
 *
 * Cases run in the order of the file. The program prints one line for each failure, then
 * `N passed, N failed, N skipped`, and exits 1 when anything failed. At the end it counts its
 * open descriptors and children: one more than at the start is a failure.
 */
#define CHECK_CASE(name)                                                                       \
    static void case_##name(void);                                                             \
    __attribute__((constructor)) static void register_##name(void)                             \
    {                                                                                          \
        check_register(#name, case_##name);                                                    \
    }                                                                                          \
    static void case_##name(void)

#define CHECK_MAIN                                                                             \
    int main(void)                                                                             \
    {                                                                                          \
        return check_run();                                                                    \
    }

#define CHECK(condition) check_true(__FILE__, __LINE__, #condition, (condition))
#define CHECK_INT(got, wanted)                                                                 \
    check_int(__FILE__, __LINE__, #got, (long long)(got), (long long)(wanted))
#define CHECK_TEXT(got, wanted) check_text(__FILE__, __LINE__, #got, (got), (wanted))
/* Like CHECK_TEXT, for a text that begins or ends in something that is different each time. */
#define CHECK_HOLDS(got, part) check_holds(__FILE__, __LINE__, #got, (got), (part))

/* Ends the case as skipped, naming what is absent here. */
#define CHECK_SKIP(absent)                                                                     \
    do {                                                                                       \
        check_skip(absent);                                                                    \
        return;                                                                                \
    } while (0)

void check_register(const char *name, void (*run)(void));
int check_run(void);
void check_skip(const char *absent);
/* Each returns whether it held, so that a case can stop where going on makes no sense. */
bool check_true(const char *file, int line, const char *what, bool held);
bool check_int(const char *file, int line, const char *what, long long got, long long wanted);
bool check_text(const char *file, int line, const char *what, const char *got,
                const char *wanted);
bool check_holds(const char *file, int line, const char *what, const char *got,
                 const char *part);

#endif
