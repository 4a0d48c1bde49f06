/* Launching with a pipe as stdin: the command reads it, and nothing else is done to it. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launched.h"

static int ends[2];

/* A launch whose stdin is a pipe that holds the text and, but for `open`, has ended. */
static struct cf_launch launch_fed(const char *script, const char *text, bool open)
{
    struct cf_launch launch = launch_shell(script);
    if (pipe2(ends, O_CLOEXEC) < 0 || write(ends[1], text, strlen(text)) < 0)
        abort();
    if (!open)
        close(ends[1]);
    launch.fds[0] = ends[0];
    return launch;
}

/* What is left in the pipe. */
static const char *rest(void)
{
    static char text[256];
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ssize_t got = read(ends[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    return text;
}

CHECK_CASE(what_is_in_a_pipe_is_read_to_its_end)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_fed("cat; echo end", "one\ntwo\n", false);
    launch_run(&launch);
    CHECK_TEXT(launched.out.data, "one\ntwo\nend\n");
    CHECK_TEXT(rest(), "");
}

CHECK_CASE(what_the_command_does_not_read_stays_in_the_pipe)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_fed("head -c 4", "one\ntwo\nthree\n", true);
    launch_run(&launch);
    CHECK_TEXT(launched.out.data, "one\n");
    CHECK_TEXT(rest(), "two\nthree\n");
    close(ends[1]);

    launch = launch_fed("true", "one\n", false);
    launch_run(&launch);
    CHECK_TEXT(rest(), "one\n");
}

CHECK_CASE(the_pipe_cannot_be_written_through_stdin)
{
    NEED_BWRAP();
    /* Its mode keeps nobody from it who may change that; it is no way to the caller's. */
    struct cf_launch launch = launch_fed(
        "read a; chmod 600 /proc/self/fd/0; echo evil > /proc/self/fd/0", "x\n", true);
    launch_run(&launch);
    CHECK_INT(launched.code, 0);
    CHECK_TEXT(rest(), "");
    close(ends[1]);
}

CHECK_CASE(the_callers_pipe_goes_on_waiting)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_fed(
        "python3 -c 'import os; os.set_blocking(0, False)' && head -c 1", "xy", true);
    launch_run(&launch);
    CHECK_INT(launched.code, 0);
    CHECK_INT(fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
    CHECK_TEXT(rest(), "y");
    close(ends[1]);
}

CHECK_CASE(more_than_a_pipe_holds_passes)
{
    NEED_BWRAP();
    struct cf_launch launch = launch_fed("sleep 0.2; md5sum; wc -c", "", true);
    pid_t writer = fork();
    if (writer == 0) {
        char data[5000];
        close(ends[0]);
        memset(data, 'x', sizeof data);
        for (int at = 0; at < 200; at++)
            if (write(ends[1], data, sizeof data) != (ssize_t)sizeof data)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    launch_run(&launch);
    CHECK_INT(waitpid(writer, NULL, 0), writer);
    /* Of 1,000,000 bytes x. */
    CHECK_TEXT(launched.out.data, "ec78dbd963d2fc01e51176ed4dec299e  -\n0\n");
    CHECK_TEXT(rest(), "");
}

CHECK_CASE(what_others_wrote_to_an_output_cannot_be_read_back)
{
    NEED_BWRAP();
    int out[2];
    char text[64];
    CHECK_INT(pipe2(out, O_CLOEXEC), 0);
    CHECK_INT(write(out[1], "others\n", 7), 7);
    struct cf_launch launch = launch_shell("timeout 0.3 cat < /proc/self/fd/1; echo mine");
    launch.capture = false;
    launch.fds[1] = out[1];
    launch.relay[0] = true;
    launch_run(&launch);
    ssize_t got = read(out[0], text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    CHECK_TEXT(text, "others\nmine\n");
    close(out[0]);
    close(out[1]);
}

CHECK_MAIN
