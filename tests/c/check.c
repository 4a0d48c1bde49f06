/* Runs the registered cases and looks for what they left behind. */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define CASES_MAX 512

static struct {
    const char *name;
    void (*run)(void);
} cases[CASES_MAX];
static int case_count;
static const char *running;
static int failures_here;
static bool skipped_here;

void check_register(const char *name, void (*run)(void))
{
    if (case_count == CASES_MAX)
        abort();
    cases[case_count].name = name;
    cases[case_count++].run = run;
}

void check_skip(const char *absent)
{
    printf("skipped %s: %s\n", running, absent);
    skipped_here = true;
}

static void report(const char *file, int line, const char *what)
{
    failures_here++;
    printf("failed %s: %s:%d: %s\n", running, file, line, what);
}

bool check_true(const char *file, int line, const char *what, bool held)
{
    if (!held)
        report(file, line, what);
    return held;
}

bool check_int(const char *file, int line, const char *what, long long got, long long wanted)
{
    if (got == wanted)
        return true;
    report(file, line, what);
    printf("    got    %lld\n    wanted %lld\n", got, wanted);
    return false;
}

static bool compare(const char *file, int line, const char *what, const char *got,
                    const char *wanted, bool held)
{
    if (held)
        return true;
    report(file, line, what);
    printf("    got    %s\n    wanted %s\n", got != NULL ? got : "(null)",
           wanted != NULL ? wanted : "(null)");
    return false;
}

bool check_text(const char *file, int line, const char *what, const char *got,
                const char *wanted)
{
    bool held = got == wanted || (got != NULL && wanted != NULL && strcmp(got, wanted) == 0);
    return compare(file, line, what, got, wanted, held);
}

bool check_holds(const char *file, int line, const char *what, const char *got,
                 const char *part)
{
    return compare(file, line, what, got, part, got != NULL && strstr(got, part) != NULL);
}

static int open_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    while (dir != NULL && readdir(dir) != NULL)
        count++;
    if (dir != NULL)
        closedir(dir);
    return count;
}

static void look_for_leftovers(int descriptors)
{
    running = "leftovers";
    failures_here = 0;
    CHECK_INT(open_descriptors(), descriptors);
    siginfo_t info;
    int found = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
    CHECK(found == -1 && errno == ECHILD);
}

int check_run(void)
{
    int passed = 0, failed = 0, skipped = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    int descriptors = open_descriptors();
    for (int at = 0; at < case_count; at++) {
        running = cases[at].name;
        failures_here = 0;
        skipped_here = false;
        cases[at].run();
        failed += failures_here > 0;
        skipped += failures_here == 0 && skipped_here;
        passed += failures_here == 0 && !skipped_here;
    }
    look_for_leftovers(descriptors);
    failed += failures_here > 0;
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}
