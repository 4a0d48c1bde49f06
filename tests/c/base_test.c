/* The vocabulary: failures read well, buffers grow, descriptors are closed or handed on. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fds.h"
#include "check.h"
#include "scratch.h"

CHECK_CASE(a_failure_names_operation_subject_and_reason)
{
    struct cf_error err;
    CHECK_INT(cf_fail(&err, EACCES, "lstat %s", "/run/x"), -1);
    CHECK_TEXT(err.message, "lstat /run/x: Permission denied");
    CHECK_INT(err.number, EACCES);
}

CHECK_CASE(a_failure_without_errno_is_the_text_alone)
{
    struct cf_error err;
    cf_fail(&err, 0, "not a word: %d", 7);
    CHECK_TEXT(err.message, "not a word: 7");
    CHECK_INT(err.number, 0);
}

CHECK_CASE(a_failure_leaves_errno_alone)
{
    struct cf_error err;
    errno = EPIPE;
    cf_fail(&err, ENOENT, "x");
    CHECK_INT(errno, EPIPE);
    CHECK_INT(cf_fail(NULL, ENOENT, "x"), -1);
}

CHECK_CASE(control_bytes_of_a_name_are_escaped_in_a_message)
{
    struct cf_error err;
    cf_fail(&err, 0, "open %s", "/tmp/\033[2Jx\n\177\303\244");
    CHECK_TEXT(err.message, "open /tmp/\\x1b[2Jx\\x0a\\x7f\303\244");
}

CHECK_CASE(an_unknown_errno_still_gives_a_message)
{
    struct cf_error err;
    cf_fail(&err, 9999, "x");
    CHECK_TEXT(err.message, "x: unknown error");
}

CHECK_CASE(a_long_subject_is_cut_and_the_reason_kept)
{
    struct cf_error err;
    char *name = malloc(3 * CF_MESSAGE_MAX);
    if (!CHECK(name != NULL))
        return;
    memset(name, 'a', 3 * CF_MESSAGE_MAX - 1);
    name[3 * CF_MESSAGE_MAX - 1] = '\0';
    cf_fail(&err, ENOENT, "%s", name);
    CHECK(strlen(err.message) < CF_MESSAGE_MAX);
    CHECK_TEXT(strchr(err.message, ':'), ": No such file or directory");
    memset(name, '\n', CF_MESSAGE_MAX);
    cf_fail(&err, ENOENT, "%s", name);
    CHECK(strlen(err.message) < CF_MESSAGE_MAX);
    CHECK_TEXT(strchr(err.message, ':') - 4, "\\x0a: No such file or directory");
    free(name);
}

CHECK_CASE(a_buffer_grows_and_ends_in_nul)
{
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    struct cf_error err;
    for (int at = 0; at < 1000; at++)
        CHECK_INT(cf_bytes_append(&text, "ab\0", 3, &err), 0);
    CHECK_INT(text.len, 3000);
    CHECK_INT(text.data[3000], '\0');
    CHECK(memcmp(text.data + 2997, "ab\0", 3) == 0);
}

CHECK_CASE(formatted_text_is_appended)
{
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    struct cf_error err;
    CHECK_INT(cf_bytes_text(&text, "one", &err), 0);
    CHECK_INT(cf_bytes_format(&text, &err, ", %d, %s", 2, "three"), 0);
    CHECK_TEXT(text.data, "one, 2, three");
}

CHECK_CASE(a_size_beyond_memory_is_an_error)
{
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    struct cf_error err;
    CHECK_INT(cf_bytes_text(&text, "x", &err), 0);
    CHECK_INT(cf_bytes_reserve(&text, SIZE_MAX, &err), -1);
    CHECK_INT(err.number, ENOMEM);
    size_t cap = 0;
    CHECK(cf_array_grow(NULL, &cap, SIZE_MAX / 4, 64, &err) == NULL);
    CHECK_INT(err.number, ENOMEM);
    CHECK_TEXT(text.data, "x");
}

static int opened_and_dropped(void)
{
    cf_autoclose int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd;
}

CHECK_CASE(a_descriptor_is_closed_unless_taken)
{
    int dropped = opened_and_dropped();
    CHECK_INT(fcntl(dropped, F_GETFD), -1);
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int taken = cf_take_fd(&fd);
    CHECK_INT(fd, -1);
    CHECK(fcntl(taken, F_GETFD) >= 0);
    cf_close_fd(&taken);
    CHECK_INT(taken, -1);
    cf_close_fd(&taken);
}

CHECK_CASE(a_memfd_holds_its_text_and_is_sealed)
{
    char text[8] = "";
    struct cf_error err;
    cf_autoclose int fd = cf_memfd_from("label", "plan\0x", 6, &err);
    CHECK_INT(read(fd, text, sizeof text), 6);
    CHECK(memcmp(text, "plan\0x", 6) == 0);
    CHECK_INT(write(fd, "y", 1), -1);
    CHECK_INT(errno, EPERM);
    CHECK_INT(ftruncate(fd, 0), -1);
    CHECK_INT(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_INT(fcntl(fd, F_GET_SEALS), F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
}

CHECK_CASE(all_is_read_up_to_a_limit)
{
    struct cf_error err;
    char *data = calloc(1, 300000);
    if (!CHECK(data != NULL))
        return;
    cf_autoclose int fd = cf_memfd_from("x", data, 300000, &err);
    free(data);
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    CHECK_INT(cf_read_all(fd, "x", 300000, &text, &err), 0);
    CHECK_INT(text.len, 300000);
    cf_bytes_free(&text);
    lseek(fd, 0, SEEK_SET);
    CHECK_INT(cf_read_all(fd, "x", 299999, &text, &err), -1);
    CHECK_TEXT(err.message, "read x: more than 299999 bytes: File too large");
    CHECK_INT(text.len, 299999);
}

CHECK_CASE(folders_are_made_whatever_the_umask_is)
{
    struct cf_error err;
    struct stat about;
    scratch_open();
    scratch_dir("a", 0755);
    mode_t before = umask(0777);
    CHECK_INT(cf_folders_make(scratch("a/b/c"), &err), 0);
    CHECK_INT(cf_folders_make(scratch("a/b/c"), &err), 0);
    CHECK_INT(umask(before), 0777);
    CHECK(stat(scratch("a/b"), &about) == 0 && (about.st_mode & 07777) == 0700);
    CHECK(stat(scratch("a/b/c"), &about) == 0 && (about.st_mode & 07777) == 0700);
    CHECK(stat(scratch("a"), &about) == 0 && (about.st_mode & 07777) == 0755);
    scratch_file("f", "", 0600);
    CHECK_INT(cf_folders_make(scratch("f/x"), &err), -1);
    CHECK_INT(err.number, ENOTDIR);
    scratch_close();
}

CHECK_CASE(a_want_tells_nothing_of_what_was_asked_about)
{
    static const int wants[] = { ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT, EAGAIN, EINTR, EIO };
    static const int answers[] = { 0, ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, EROFS, EEXIST };
    for (size_t at = 0; at < sizeof wants / sizeof *wants; at++)
        CHECK(cf_is_want(wants[at]));
    for (size_t at = 0; at < sizeof answers / sizeof *answers; at++)
        CHECK(!cf_is_want(answers[at]));
}

CHECK_CASE(what_cannot_be_opened_is_named)
{
    struct cf_error err;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    CHECK_INT(cf_read_file_at(AT_FDCWD, "/no/such", 10, &text, &err), -1);
    CHECK_TEXT(err.message, "open /no/such: No such file or directory");
    CHECK_INT(cf_write_all(-1, "x", 1, &err), -1);
    CHECK_TEXT(err.message, "write to descriptor -1: Bad file descriptor");
}

CHECK_MAIN
