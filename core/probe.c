/* confine-probe: makes attempts to reach what a confined command must not reach, and says what
 * came of them. The same program runs outside as the control and inside as the proof. */
#include <stdio.h>
#include <string.h>

#include "probe/apart.h"
#include "probe/attempts.h"
#include "probe/series.h"
#include "probe/targets.h"

enum { EXIT_USAGE = 64 };

static int usage(FILE *stream)
{
    fputs(
        "usage: confine-probe try ATTEMPT [ARG...]\n"
        "       confine-probe list\n"
        "       confine-probe series LIST REPORT\n"
        "       confine-probe targets WORD\n"
        "       confine-probe apart FOLDER COMMAND [ARG...]\n"
        "try prints one line of JSON and exits 0 when the attempt reached its target, 1 when "
        "it\n"
        "was refused, 2 when it cannot be tried here; 64 for a wrong command line.\n"
        "list prints each attempt: name, arguments, class, what it means when it is reached.\n"
        "series makes many attempts by the orders of a file. targets is what attempts aim at;\n"
        "it takes orders from standard input, and WORD is what is to be found in its command\n"
        "line. apart runs a command in namespaces where something is mounted while it runs.\n",
        stream);
    return stream == stdout ? 0 : EXIT_USAGE;
}

static int try(const char *name, char **args, int count)
{
    const struct cf_attempt *attempt = cf_attempt_find(name);
    if (!attempt) {
        fprintf(stderr, "confine-probe: no attempt is named %s; see confine-probe list\n",
                name);
        return EXIT_USAGE;
    }
    if (count < attempt->least || count > attempt->most) {
        fprintf(stderr, "usage: confine-probe try %s %s\n", attempt->name, attempt->usage);
        return EXIT_USAGE;
    }
    struct cf_finding finding;
    cf_attempt_make(attempt, args, count, &finding);
    cf_finding_print(stdout, NULL, attempt->name, &finding);
    return (int)finding.verdict;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc == 2 && strcmp(word, "--help") == 0)
        return usage(stdout);
    if (argc == 2 && strcmp(word, "list") == 0) {
        cf_attempts_list();
        return 0;
    }
    if (argc > 2 && strcmp(word, "try") == 0)
        return try(argv[2], argv + 3, argc - 3);
    if (argc == 4 && strcmp(word, "series") == 0)
        return cf_series_run(argv[2], argv[3]);
    if (argc == 3 && strcmp(word, "targets") == 0)
        return cf_targets_serve();
    if (argc > 3 && strcmp(word, "apart") == 0)
        return cf_apart_run(argv[2], argv + 3);
    return usage(stderr);
}
