/* Launches for tests: a shell script in bwrap, its outcome, and a look at what is left of it. */
#ifndef CF_TESTS_LAUNCHED_H
#define CF_TESTS_LAUNCHED_H

#include <stdbool.h>
#include <sys/types.h>

#include "check.h"
#include "launch/launch.h"

/* A launch of `sh -c script` that keeps what it writes; one at a time. */
struct cf_launch launch_shell(const char *script);

/* Launches, waits, and leaves the outcome in `launched` until the next. */
void launch_run(const struct cf_launch *launch);
extern struct cf_outcome launched;

/* The launcher in a process of its own, so that it can be killed; it exits as the command did, or
 * with 99. With `terminal` not NULL it has a new terminal, whose other end is left there. */
pid_t launch_apart(const struct cf_launch *launch, int *terminal);

void launch_pause(double seconds);

/* Reads the other end of a terminal until the text appears, 10 seconds at most. */
bool launch_shows(int terminal, const char *text);
void launch_type(int terminal, const char *keys);

/* How many processes have the marker in their command line. */
int launch_processes(const char *marker);

/* Waits until nothing is a child of ours, as the subreaper that orphans come to. */
bool launch_orphans_end(double seconds);

bool launch_is_possible(void);

#define NEED_BWRAP()                                                                           \
    do {                                                                                       \
        if (!launch_is_possible())                                                             \
            CHECK_SKIP("bwrap with a procfs of its own");                                      \
    } while (0)

#endif
