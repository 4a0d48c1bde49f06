/* Attempts to type into a terminal of the host or to steer its console. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TIOCL_SHIFT_STATE = 6 };

/* A filter that compares 64 bits of the request misses this one; the kernel looks at 32. */
static const unsigned long HIGH_BITS = 0x100000000UL;

/* Opens a terminal named by a path, or takes a descriptor named by a number. Returns a
 * descriptor that need not be closed, or -1 with the finding filled. */
static int terminal(const char *name, struct cf_finding *finding)
{
    unsigned long number;
    int fd;
    if (*name == '/')
        fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    else if (cf_number_read(name, 1u << 20, &number, finding) < 0)
        return -1;
    else
        fd = (int)number;
    if (fd < 0)
        cf_finding_refused(finding, errno, "open");
    return fd;
}

static void request(const char *name, unsigned long number, char argument, const char *call,
                    struct cf_finding *finding)
{
    int fd = terminal(name, finding);
    if (fd < 0)
        return;
    if (syscall(SYS_ioctl, fd, number, &argument) >= 0)
        cf_finding_reached(finding, "%s was done", call);
    else if (errno == ENOTTY || errno == EBADF)
        cf_finding_unavailable(finding, errno, "%s: no such terminal", call);
    else
        cf_finding_refused(finding, errno, "%s", call);
}

static void type_in(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    request(args[0], TIOCSTI, '\0', "TIOCSTI", finding);
}

static void type_in_high(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    request(args[0], TIOCSTI | HIGH_BITS, '\0', "TIOCSTI with a high bit", finding);
}

static void console(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    request(args[0], TIOCLINUX, TIOCL_SHIFT_STATE, "TIOCLINUX", finding);
}

static void console_high(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    request(args[0], TIOCLINUX | HIGH_BITS, TIOCL_SHIFT_STATE, "TIOCLINUX with a high bit",
            finding);
}

static void controlling(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    CF_PROBE_FD fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open /dev/tty");
    else
        cf_finding_reached(finding, "there is a controlling terminal");
}

static void write_to(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = open(args[0], O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        cf_finding_refused(finding, errno, "open");
    else if (!isatty(fd))
        cf_finding_unavailable(finding, ENOTTY, "not a terminal");
    else
        cf_finding_reached(finding, "the terminal was opened for writing");
}

static const struct cf_attempt ATTEMPTS[] = {
    { "tiocsti", "terminal", "FD|PATH", "keys can be typed into the terminal", 1, 1, type_in },
    { "tiocsti-high", "terminal", "FD|PATH",
      "keys can be typed into the terminal past a filter of whole request numbers", 1, 1,
      type_in_high },
    { "tioclinux", "terminal", "FD|PATH", "the console can be steered", 1, 1, console },
    { "tioclinux-high", "terminal", "FD|PATH",
      "the console can be steered past a filter of whole request numbers", 1, 1, console_high },
    { "controlling-terminal", "terminal", "", "the command has a controlling terminal", 0, 0,
      controlling },
    { "terminal-write", "terminal", "PATH", "a terminal of the host can be written", 1, 1,
      write_to },
};

const struct cf_family cf_family_terminals = CF_FAMILY(ATTEMPTS);
