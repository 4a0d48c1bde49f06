/* Stdin and the outputs: what a descriptor would allow, and that what the command gets does not. */
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "guard/descriptor.h"
#include "guard/stdin.h"
#include "guarded.h"
#include "scratch.h"

#define TEXT "first line\nsecond line\n"

/* What opening it again with `flags` answers. */
static int reopen(int fd, int flags)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    cf_autoclose int again = open(link, flags | O_CLOEXEC);
    return errno_of(again);
}

ATTEMPT(write_stdin_anew)
{
    cf_autoclose int fd = open("/proc/self/fd/0", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    return errno_of(pwrite(fd, "X", 1, 0));
}

ATTEMPT(read_stdin)
{
    char text[64] = { 0 };
    if (read(0, text, sizeof text) < 0 || lseek(0, 0, SEEK_SET) < 0)
        return errno;
    return strcmp(text, "second line\n") == 0 ? 0 : EIO;
}

ATTEMPT(walk_from_stdin)
{
    cf_autoclose int fd = openat(0, "beside", O_RDONLY | O_CLOEXEC);
    return errno_of(fd);
}

/* The file as whoever runs this owns it, read up to the second line. */
static int open_text(int flags)
{
    int fd = open(scratch("text"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, TEXT, strlen(TEXT)) < 0)
        abort();
    close(fd);
    fd = open(scratch("text"), flags | O_CLOEXEC);
    lseek(fd, (off_t)strlen("first line\n"), SEEK_SET);
    return fd;
}

static bool is_intact(void)
{
    char text[64] = { 0 };
    cf_autoclose int fd = open(scratch("text"), O_RDONLY | O_CLOEXEC);
    return read(fd, text, sizeof text) > 0 && strcmp(text, TEXT) == 0;
}

/* stdin as `fd`, then the attempt inside bwrap. */
static bool inside_with_stdin(const char *attempt, int fd, int wanted)
{
    dup2(fd, 0);
    return CHECK_INSIDE(attempt, geteuid(), NULL, NULL, wanted);
}

static int replace_a_file(void)
{
    struct cf_error err;
    cf_autoclose int given = open_text(O_RDONLY);
    bool held = inside_with_stdin("write_stdin_anew", given, 0) && CHECK(!is_intact());
    cf_autoclose int text = open_text(O_RDWR);
    cf_autoclose int fd = cf_stdin_prepare(text, &err);
    held = held && CHECK(fd > 2) && CHECK_INT(reopen(fd, O_WRONLY), EROFS) &&
           CHECK_INT(reopen(fd, O_RDWR | O_TRUNC), EROFS) &&
           CHECK_INT(reopen(fd, O_RDONLY), 0) &&
           CHECK_INT(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY) &&
           CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    held = held && inside_with_stdin("write_stdin_anew", fd, EROFS);
    lseek(fd, (off_t)strlen("first line\n"), SEEK_SET);
    held = held && inside_with_stdin("read_stdin", fd, 0) && CHECK(is_intact());
    return held ? 0 : 1;
}

CHECK_CASE(a_file_can_be_read_and_seeked_and_no_longer_written)
{
    for (EACH_USER(uid)) {
        chmod(scratch_open(), 01777);
        CHECK_INT(as_user(uid, replace_a_file), 0);
        scratch_close();
    }
}

static int go_on_after_the_command(void)
{
    struct cf_error err;
    char rest[64] = { 0 };
    cf_autoclose int given = open_text(O_RDONLY);
    cf_autoclose int fd = cf_stdin_prepare(given, &err);
    bool held = CHECK_INT(lseek(fd, 0, SEEK_CUR), strlen("first line\n"));
    held &= CHECK_INT(read(fd, rest, 7), 7);
    held &= CHECK_INT(lseek(given, 0, SEEK_CUR), strlen("first line\n"));
    cf_stdin_settle(given, fd);
    memset(rest, 0, sizeof rest);
    held &= CHECK_INT(read(given, rest, sizeof rest), 5) && CHECK_TEXT(rest, "line\n");
    return held ? 0 : 1;
}

CHECK_CASE(whoever_reads_afterwards_goes_on_where_the_command_stopped)
{
    for (EACH_USER(uid)) {
        chmod(scratch_open(), 01777);
        CHECK_INT(as_user(uid, go_on_after_the_command), 0);
        scratch_close();
    }
}

/* What is opened for the user by somebody else cannot be opened again: a copy. */
static int replace_what_cannot_be_opened(void)
{
    struct cf_error err;
    char text[64] = { 0 };
    cf_autoclose int given = open_text(O_RDWR);
    unlink(scratch("text"));
    bool held = CHECK_INT(reopen(given, O_WRONLY), 0);
    cf_autoclose int fd = cf_stdin_prepare(given, &err);
    held &= CHECK(fd >= 0) && CHECK_INT(read(fd, text, sizeof text), strlen("second line\n"));
    held &= CHECK_TEXT(text, "second line\n") && CHECK_INT(lseek(fd, 0, SEEK_SET), 0);
    held &= CHECK_INT(fcntl(fd, F_GET_SEALS),
                      F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    dup2(fd, 0);
    held &= CHECK_ATTEMPT("write_stdin_anew", geteuid(), NULL, geteuid() == 0 ? EPERM : EACCES);
    return held ? 0 : 1;
}

CHECK_CASE(a_deleted_file_is_a_sealed_copy)
{
    for (EACH_USER(uid)) {
        chmod(scratch_open(), 01777);
        CHECK_INT(as_user(uid, replace_what_cannot_be_opened), 0);
        scratch_close();
    }
}

static int kept;

static int replace_a_file_of_roots(void)
{
    struct cf_error err;
    cf_autoclose int fd = cf_stdin_prepare(kept, &err);
    return CHECK(fd >= 0) && CHECK_INT(fcntl(fd, F_GET_SEALS) & F_SEAL_WRITE, F_SEAL_WRITE) ? 0
                                                                                            : 1;
}

CHECK_CASE(a_file_that_only_its_opener_may_open_is_a_sealed_copy)
{
    if (geteuid() != 0)
        CHECK_SKIP("root");
    scratch_open();
    kept = open_text(O_RDONLY);
    CHECK_INT(as_user(SOMEBODY, replace_a_file_of_roots), 0);
    close(kept);
    scratch_close();
}

CHECK_CASE(a_name_that_is_another_file_by_now_is_not_followed)
{
    struct cf_error err;
    char text[64] = { 0 };
    scratch_open();
    cf_autoclose int given = open_text(O_RDONLY);
    CHECK_INT(link(scratch("text"), scratch("kept")), 0);
    scratch_file("other", "a secret\n", 0600);
    CHECK_INT(rename(scratch("other"), scratch("text")), 0);
    cf_autoclose int fd = cf_stdin_prepare(given, &err);
    CHECK(read(fd, text, sizeof text) > 0);
    CHECK_TEXT(text, "second line\n");
    scratch_close();
}

CHECK_CASE(a_file_too_large_to_copy_is_refused_with_the_remedy)
{
    struct cf_error err;
    scratch_open();
    cf_autoclose int given = open_text(O_RDWR);
    CHECK_INT(ftruncate(given, (off_t)CF_STDIN_COPY_MAX + 1), 0);
    unlink(scratch("text"));
    CHECK_INT(cf_stdin_prepare(given, &err), -1);
    CHECK_HOLDS(err.message,
                "too large to be copied; give the command its input through a pipe "
                "(cat ... | confine-lua run ...): File too large");
    scratch_close();
}

CHECK_CASE(a_disk_can_be_read_and_no_longer_written)
{
    struct cf_error err;
    if (geteuid() != 0)
        CHECK_SKIP("root");
    /* A loop device without a file is a disk of 0 bytes. */
    scratch_open();
    CHECK_INT(mknod(scratch("disk"), S_IFBLK | 0600, makedev(7, 0)), 0);
    cf_autoclose int given = open(scratch("disk"), O_RDONLY | O_CLOEXEC);
    if (given < 0) {
        scratch_close();
        CHECK_SKIP("a loop device that may be opened");
    }
    CHECK_INT(reopen(given, O_RDWR), 0);
    cf_autoclose int fd = cf_stdin_prepare(given, &err);
    char sector[512];
    CHECK(read(fd, sector, sizeof sector) >= 0);
    CHECK_INT(reopen(fd, O_RDWR), EACCES);
    scratch_close();
}

static int refuse_a_folder(void)
{
    struct cf_error err;
    char wanted[256];
    cf_autoclose int folder = open(scratch("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool held = inside_with_stdin("walk_from_stdin", folder, 0);
    held &= CHECK_INT(cf_stdin_prepare(folder, &err), -1);
    snprintf(
        wanted, sizeof wanted,
        "stdin is the folder %.*s, through which the command could walk the host; redirect "
        "it from /dev/null or a file",
        (int)strlen(scratch("")) - 1, scratch(""));
    held &= CHECK_TEXT(err.message, wanted);
    held &= CHECK_INT(cf_output_needs_relay(folder, "stderr", &err), -1);
    held &= CHECK_HOLDS(err.message, "stderr is the folder ");
    return held ? 0 : 1;
}

CHECK_CASE(a_folder_is_refused)
{
    scratch_open();
    scratch_file("beside", "x", 0644);
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, refuse_a_folder), 0);
    scratch_close();
}

/* What a descriptor is taken for, given as stdin and as an output. */
static void check_kind(int fd, int taken, int relayed)
{
    struct cf_error err;
    int copy = cf_stdin_prepare(fd, &err);
    CHECK_INT(copy >= 0, taken);
    cf_close_fd(&copy);
    CHECK_INT(cf_output_needs_relay(fd, "stdout", &err), relayed);
    close(fd);
}

static int socket_pair(int type)
{
    int ends[2];
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) < 0)
        abort();
    close(ends[1]);
    return ends[0];
}

CHECK_CASE(streams_of_bytes_are_handed_on)
{
    int ends[2];
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    /* It could be opened again, to read what others wrote to it. */
    check_kind(ends[0], 1, 1);
    close(ends[1]);
    check_kind(open("/dev/null", O_RDWR | O_CLOEXEC), 1, 0);
    check_kind(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), 1, 0);
    check_kind(socket_pair(SOCK_STREAM), 1, 0);
    check_kind(socket_pair(SOCK_SEQPACKET), 1, 0);
}

CHECK_CASE(powers_on_the_host_are_not)
{
    check_kind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), 0, 1);
    check_kind(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), 0, 1);
    check_kind(socket_pair(SOCK_DGRAM), 0, 1);
    check_kind(eventfd(0, EFD_CLOEXEC), 0, 1);
    check_kind(open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), 0, 1);
    check_kind(open("/usr", O_PATH | O_CLOEXEC), 0, -1);
    check_kind(open("/proc/self/exe", O_PATH | O_CLOEXEC), 0, 1);
    /* A path can be read again through /proc/self/fd, but not written, where it is a file. */
    scratch_open();
    check_kind(open_text(O_WRONLY), 0, 1);
    scratch_close();
}

CHECK_CASE(a_connection_to_a_named_server_is_refused_by_its_name)
{
    struct cf_error err;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    scratch_open();
    cf_autoclose int server = scratch_socket("server", SOCK_STREAM);
    cf_autoclose int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", scratch("server"));
    CHECK_INT(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    CHECK_INT(cf_stdin_prepare(client, &err), -1);
    CHECK_HOLDS(err.message, "stdin is a socket connected to ");
    CHECK_HOLDS(err.message, address.sun_path);
    /* Its other end was accepted: the peer has no name, and a client is no authority. */
    check_kind(accept4(server, NULL, NULL, SOCK_CLOEXEC), 1, 0);
    scratch_close();
}

CHECK_CASE(a_closed_stdin_is_empty)
{
    char byte;
    struct cf_error err;
    cf_autoclose int fd = cf_stdin_prepare(1000, &err);
    CHECK_INT(read(fd, &byte, 1), 0);
}

CHECK_CASE(an_output_file_is_relayed_also_while_it_is_empty)
{
    struct cf_error err;
    scratch_open();
    cf_autoclose int file = open_text(O_RDWR | O_APPEND);
    CHECK_INT(cf_output_needs_relay(file, "stdout", &err), 1);
    CHECK_INT(ftruncate(file, 0), 0);
    CHECK_INT(cf_output_needs_relay(file, "stdout", &err), 1);
    scratch_close();
}

static int write_only(void)
{
    struct cf_error err;
    struct termios modes;
    int ours = -1, terminal = -1;
    char text[64];
    bool held = CHECK_INT(openpty(&ours, &terminal, NULL, NULL, NULL), 0);
    held = held && CHECK_INT(reopen(terminal, O_RDONLY | O_NOCTTY), 0);
    cf_autoclose int fd = cf_output_terminal(terminal, &err);
    held = held && CHECK_INT(isatty(fd), 1) && CHECK_INT(tcgetattr(fd, &modes), 0);
    held = held && CHECK_INT(write(fd, "out\n", 4), 4);
    held = held && CHECK_INT(read(ours, text, sizeof text), 5);
    held = held && CHECK_INT(write(ours, "typed\n", 6), 6);
    held = held && CHECK_INT(read(fd, text, sizeof text), -1) && CHECK_INT(errno, EBADF);
    held = held && CHECK_INT(reopen(fd, O_RDONLY | O_NOCTTY), EACCES);
    held = held && CHECK_INT(reopen(fd, O_RDWR | O_NOCTTY), EACCES);
    held = held && CHECK_INT(reopen(fd, O_WRONLY | O_NOCTTY), EACCES);
    held = held && CHECK_INT(fchmod(fd, 0666), -1) && CHECK_INT(errno, EROFS);
    held = held && CHECK_INT(cf_output_terminal(ours, &err), -1);
    close(ours);
    close(terminal);
    return held ? 0 : 1;
}

CHECK_CASE(an_output_terminal_can_be_written_and_nothing_else)
{
    for (EACH_USER(uid))
        CHECK_INT(as_user(uid, write_only), 0);
}

CHECK_CASE(what_is_no_terminal_is_not_taken_for_one)
{
    struct cf_error err;
    cf_autoclose int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    CHECK_INT(cf_output_terminal(null, &err), -1);
    CHECK_TEXT(err.message, "/dev/null is no terminal");
}

GUARDED_MAIN
