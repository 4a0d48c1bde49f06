/* What spoils the caller's terminal: possible without the seccomp program, refused with it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/tiocl.h>
#include <linux/tty.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/exposure.h"
#include "guarded.h"
#include "scratch.h"

/* The kernel looks at the lower half only, so the upper half must not help past a filter. */
#define HIGH_BITS (UINT64_C(0x5a5a5a5a) << 32)

static int type_into(int fd, uint64_t request)
{
    int before = 0, after = 0;
    ioctl(fd, FIONREAD, &before);
    if (syscall(SYS_ioctl, fd, request, "x") < 0)
        return errno;
    ioctl(fd, FIONREAD, &after);
    return after == before + 1 ? 0 : EIO;
}

ATTEMPT(type_into_0)
{
    return type_into(0, TIOCSTI);
}

ATTEMPT(type_into_1_high_bits)
{
    return type_into(1, TIOCSTI | HIGH_BITS);
}

ATTEMPT(type_into_2_sign_bits)
{
    return type_into(2, TIOCSTI | (UINT64_MAX << 32));
}

ATTEMPT(type_into_dev_tty)
{
    cf_autoclose int fd = open("/dev/tty", O_RDWR);
    return fd < 0 ? errno : type_into(fd, TIOCSTI | HIGH_BITS);
}

/* Answered by a virtual console; a pty does not know it. */
ATTEMPT(console_ioctl)
{
    char subcode = TIOCL_GETMOUSEREPORTING;
    return errno_of(syscall(SYS_ioctl, 0, TIOCLINUX | HIGH_BITS, &subcode));
}

/* Nobody reads or writes a terminal whose line discipline this is. */
ATTEMPT(line_discipline)
{
    int null = N_NULL, usual = N_TTY;
    if (syscall(SYS_ioctl, 1, TIOCSETD | HIGH_BITS, &null) < 0)
        return errno;
    return errno_of(ioctl(1, TIOCSETD, &usual));
}

ATTEMPT(other_ioctls)
{
    struct winsize size;
    struct termios termios;
    if (ioctl(0, TIOCGWINSZ, &size) < 0 || ioctl(0, TCGETS, &termios) < 0)
        return errno;
    return errno_of(ioctl(0, TIOCSWINSZ, &size));
}

/* A session whose controlling terminal is a new pty, on 0, 1 and 2. */
static int take_terminal(void)
{
    /* Failures are still to be read where the test was started. */
    stdout = fdopen(fcntl(1, F_DUPFD_CLOEXEC, 3), "w");
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || setsid() < 0)
        return -1;
    int slave = open(ptsname(master), O_RDWR);
    struct termios raw;
    if (slave < 0 || tcgetattr(slave, &raw) < 0)
        return -1;
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    for (int fd = 0; fd < 3; fd++)
        dup2(slave, fd);
    return slave > 2 ? close(slave) : 0;
}

static int set_discipline_in_a_session(void)
{
    uid_t uid = geteuid();
    bool held = take_terminal() == 0;
    struct cf_guards guards = guarded_all(false);
    held = held && CHECK_ATTEMPT("line_discipline", uid, NULL, 0) &&
           CHECK_ATTEMPT("line_discipline", uid, &guards, EPERM) &&
           CHECK_INSIDE("line_discipline", uid, NULL, NULL, 0) &&
           CHECK_INSIDE("line_discipline", uid, &guards, NULL, EPERM);
    guarded_end(&guards);
    return held ? 0 : 1;
}

CHECK_CASE(the_callers_terminal_keeps_its_line_discipline)
{
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, set_discipline_in_a_session), 0);
}

static const char *const typing[] = { "type_into_0", "type_into_1_high_bits",
                                      "type_into_2_sign_bits", "type_into_dev_tty" };

/* In bwrap's own /dev there is no /dev/tty but the caller's. */
static int type_from_a_session(void)
{
    uid_t uid = geteuid();
    bool held = take_terminal() == 0;
    struct cf_guards guards = guarded_all(false);
    for (size_t at = 0; at < sizeof typing / sizeof *typing; at++) {
        held = held && CHECK_ATTEMPT(typing[at], uid, NULL, 0) &&
               CHECK_ATTEMPT(typing[at], uid, &guards, EPERM) &&
               CHECK_INSIDE(typing[at], uid, NULL, NULL, 0) &&
               CHECK_INSIDE(typing[at], uid, &guards, NULL, EPERM);
    }
    held = held && CHECK_ATTEMPT("console_ioctl", uid, NULL, ENOTTY) &&
           CHECK_ATTEMPT("console_ioctl", uid, &guards, EPERM) &&
           CHECK_INSIDE("console_ioctl", uid, &guards, NULL, EPERM) &&
           CHECK_INSIDE("other_ioctls", uid, &guards, NULL, 0);
    guarded_end(&guards);
    return held ? 0 : 1;
}

CHECK_CASE(nothing_is_typed_into_the_callers_terminal)
{
    struct cf_exposure exposure;
    cf_exposure_read(&exposure);
    if (!exposure.tiocsti)
        CHECK_SKIP("a kernel where dev.tty.legacy_tiocsti is on");
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, type_from_a_session), 0);
}

GUARDED_MAIN
