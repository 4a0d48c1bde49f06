/* All attempts by name, and how one of them is made so that it always leaves a verdict. */
#include "attempts.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_SECONDS = 20 };

static const struct cf_family *const FAMILIES[] = {
    &cf_family_sockets,   &cf_family_detours, &cf_family_authorities, &cf_family_desktop,
    &cf_family_processes, &cf_family_kernel,  &cf_family_ipc,         &cf_family_files,
    &cf_family_terminals, &cf_family_legs,
};
enum { FAMILY_COUNT = sizeof(FAMILIES) / sizeof(*FAMILIES) };

const struct cf_attempt *cf_attempt_find(const char *name)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        for (size_t k = 0; k < FAMILIES[i]->count; k++)
            if (strcmp(FAMILIES[i]->attempts[k].name, name) == 0)
                return &FAMILIES[i]->attempts[k];
    return NULL;
}

void cf_attempts_list(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        for (size_t k = 0; k < FAMILIES[i]->count; k++) {
            const struct cf_attempt *attempt = &FAMILIES[i]->attempts[k];
            printf("%s\t%s\t%s\t%s\n", attempt->name, attempt->usage, attempt->threat,
                   attempt->means);
        }
}

/* A seccomp filter may kill the attempt and a daemon may never answer, so the attempt runs in a
 * child of its own and the verdict on a child that died is given here. */
static void make_apart(const struct cf_attempt *attempt, char **args, int count,
                       struct cf_finding *finding)
{
    pid_t child = fork();
    if (child < 0) {
        cf_finding_unavailable(finding, errno, "fork");
        return;
    }
    if (child == 0) {
        alarm(LONGEST_SECONDS);
        attempt->make(args, count, finding);
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        cf_finding_unavailable(finding, ETIME, "no verdict within %d s", LONGEST_SECONDS);
    else if (WIFSIGNALED(status))
        cf_finding_refused(finding, 0, "the attempt was killed by SIG%s",
                           sigabbrev_np(WTERMSIG(status)));
}

void cf_attempt_make(const struct cf_attempt *attempt, char **args, int count,
                     struct cf_finding *finding)
{
    struct cf_finding *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(finding, 0, sizeof(*finding));
    snprintf(finding->target, sizeof(finding->target), "%s", count > 0 ? args[0] : "");
    if (shared == MAP_FAILED) {
        cf_finding_unavailable(finding, errno, "mmap");
        return;
    }
    memcpy(shared->target, finding->target, sizeof(finding->target));
    cf_finding_unavailable(shared, 0, "the attempt ended without a verdict");
    make_apart(attempt, args, count, shared);
    *finding = *shared;
    munmap(shared, sizeof(*shared));
}
