/* confine-probe: makes one attempt to reach what a confined command must not reach, and says
 * what came of it. The same program runs outside as the control and inside as the proof. */
#include "probe/probe.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 64, LONGEST_SECONDS = 20 };

static const struct cf_family *const FAMILIES[] = {
    &cf_family_sockets, &cf_family_detours,   &cf_family_authorities,
    &cf_family_desktop, &cf_family_processes, &cf_family_kernel,
    &cf_family_ipc,     &cf_family_files,     &cf_family_terminals,
};
enum { FAMILY_COUNT = sizeof(FAMILIES) / sizeof(*FAMILIES) };

static const struct cf_attempt *find(const char *name)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        for (size_t k = 0; k < FAMILIES[i]->count; k++)
            if (strcmp(FAMILIES[i]->attempts[k].name, name) == 0)
                return &FAMILIES[i]->attempts[k];
    return NULL;
}

static int list(void)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        for (size_t k = 0; k < FAMILIES[i]->count; k++) {
            const struct cf_attempt *attempt = &FAMILIES[i]->attempts[k];
            printf("%s\t%s\t%s\t%s\n", attempt->name, attempt->usage, attempt->threat,
                   attempt->means);
        }
    return 0;
}

static int usage(FILE *stream)
{
    fputs(
        "usage: confine-probe try ATTEMPT [ARG...]\n"
        "       confine-probe list\n"
        "try prints one line of JSON and exits 0 when the attempt reached its target, 1 when "
        "it\n"
        "was refused, 2 when it cannot be tried here; 64 for a wrong command line.\n"
        "list prints each attempt: name, arguments, class, what it means when it is reached.\n",
        stream);
    return stream == stdout ? 0 : EXIT_USAGE;
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

static int try(const struct cf_attempt *attempt, char **args, int count)
{
    struct cf_finding *finding =
        mmap(NULL, sizeof(*finding), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (finding == MAP_FAILED) {
        perror("confine-probe: mmap");
        return CF_UNAVAILABLE;
    }
    cf_finding_unavailable(finding, 0, "the attempt ended without a verdict");
    snprintf(finding->target, sizeof(finding->target), "%s", count > 0 ? args[0] : "");
    make_apart(attempt, args, count, finding);
    cf_finding_print(attempt->name, finding);
    return (int)finding->verdict;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc < 3 || strcmp(argv[1], "try") != 0)
        return usage(stderr);

    const struct cf_attempt *attempt = find(argv[2]);
    if (!attempt) {
        fprintf(stderr, "confine-probe: no attempt is named %s; see confine-probe list\n",
                argv[2]);
        return EXIT_USAGE;
    }
    int count = argc - 3;
    if (count < attempt->least || count > attempt->most) {
        fprintf(stderr, "usage: confine-probe try %s %s\n", attempt->name, attempt->usage);
        return EXIT_USAGE;
    }
    return try(attempt, argv + 3, count);
}
