/* A child whose result and error come back through one page of shared memory. */
#include "guard/trial.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/child.h"

/* No guard takes longer than a few milliseconds to prove. */
#define PATIENCE_MS 10000

struct report {
    int result;
    struct cf_error error;
};

static int run(const char *what, int (*attempt)(void *arg, struct cf_error *err), void *arg,
               struct report *report, struct cf_error *err)
{
    struct cf_child child = CF_CHILD_NONE;
    int forked = cf_child_fork(&child, err);
    if (forked < 0)
        return -1;
    if (forked == 0) {
        report->result = attempt(arg, &report->error);
        _exit(0);
    }
    if (cf_child_wait(&child, PATIENCE_MS, err) < 0)
        return -1;
    if (WIFSIGNALED(child.status))
        return cf_fail(err, 0, "%s: ended by signal %d", what, WTERMSIG(child.status));
    if (report->result < 0 && err != NULL)
        *err = report->error;
    return report->result;
}

int cf_trial_run(const char *what, int (*attempt)(void *arg, struct cf_error *err), void *arg,
                 struct cf_error *err)
{
    struct report *report =
        mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return cf_fail(err, errno, "mmap for %s", what);
    int result = run(what, attempt, arg, report, err);
    munmap(report, sizeof *report);
    return result;
}
