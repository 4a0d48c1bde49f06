/* No value of the plan stands in an argv, where every process of the host could read it. */
#include "launch/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fds.h"

static int add_word(struct cf_bytes *text, const char *word, struct cf_error *err)
{
    return cf_bytes_append(text, word, strlen(word) + 1, err);
}

int cf_args_memfd(const struct cf_launch *launch, int status_fd, struct cf_error *err)
{
    char number[16];
    snprintf(number, sizeof number, "%d", status_fd);
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (add_word(&text, "--die-with-parent", err) < 0 ||
        add_word(&text, "--json-status-fd", err) < 0 || add_word(&text, number, err) < 0)
        return -1;
    if (!launch->inherit_tty && add_word(&text, "--new-session", err) < 0)
        return -1;
    for (const char *const *word = launch->args; *word != NULL; word++)
        if (add_word(&text, *word, err) < 0)
            return -1;
    return cf_memfd_from("bwrap-args", text.data, text.len, err);
}

const char **cf_args_argv(const struct cf_launch *launch, int args_fd, char *number,
                          struct cf_error *err)
{
    size_t count = 0;
    while (launch->command[count] != NULL)
        count++;
    const char **argv = calloc(CF_ARGV_EXTRA + count + 1, sizeof *argv);
    if (argv == NULL) {
        cf_fail(err, ENOMEM, "build the command line");
        return NULL;
    }
    snprintf(number, 16, "%d", args_fd);
    argv[0] = "bwrap";
    argv[1] = "--args";
    argv[2] = number;
    argv[3] = "--";
    memcpy(argv + CF_ARGV_EXTRA, launch->command, count * sizeof *argv);
    return argv;
}
