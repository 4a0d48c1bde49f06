/* Live sockets are found with their true names, what they are bound to and who holds them. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fds.h"
#include "check.h"
#include "host/owners.h"
#include "host/sockets.h"
#include "scratch.h"

static char shown[4096];

/* The live table, by either source: the sockets of this test's folder, in order of name. */
static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char *list_scratch(enum cf_sockets_source source, bool listening)
{
    struct cf_sockets sockets = { .len = 0 };
    enum cf_sockets_source used;
    struct cf_error err;
    struct cf_sockets_ask ask = { .source = source, .listening = listening };
    static char lines[8][256];
    const char *order[8];
    size_t count = 0, base = strlen(scratch(""));
    if (!CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), 0))
        return "";
    CHECK_INT(used, source);
    for (size_t at = 0; at < sockets.len && count < 8; at++) {
        const struct cf_socket *socket = &sockets.items[at];
        const char *name = cf_socket_name(&sockets, socket);
        if (socket->name_len < base || memcmp(name, scratch(""), base) != 0)
            continue;
        snprintf(lines[count], sizeof lines[0], "%.*s %u/%u", (int)(socket->name_len - base),
                 name + base, socket->type, socket->state);
        order[count] = lines[count];
        count++;
    }
    cf_sockets_free(&sockets);
    qsort(order, count, sizeof *order, compare_names);
    size_t used_bytes = 0;
    shown[0] = '\0';
    for (size_t at = 0; at < count; at++)
        used_bytes +=
            (size_t)snprintf(shown + used_bytes, sizeof shown - used_bytes, "%s;", order[at]);
    return shown;
}

CHECK_CASE(the_kernel_s_two_answers_agree)
{
    scratch_open();
    int fds[] = { scratch_socket("a b", SOCK_STREAM), scratch_socket("c\nd", SOCK_SEQPACKET),
                  scratch_socket("e", SOCK_DGRAM), socket(AF_UNIX, SOCK_STREAM, 0) };
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", scratch("f"));
    CHECK_INT(bind(fds[3], (struct sockaddr *)&address, sizeof address), 0);
    CHECK_TEXT(list_scratch(CF_SOCKETS_NETLINK, false), "a b 1/1;c\nd 5/1;e 2/0;f 1/0;");
    CHECK_TEXT(list_scratch(CF_SOCKETS_PROC, false), "a b 1/1;c\nd 5/1;e 2/0;f 1/0;");
    CHECK_TEXT(list_scratch(CF_SOCKETS_NETLINK, true), "a b 1/1;c\nd 5/1;e 2/0;");
    CHECK_TEXT(list_scratch(CF_SOCKETS_PROC, true), "a b 1/1;c\nd 5/1;e 2/0;");
    for (size_t at = 0; at < 4; at++)
        cf_close_fd(&fds[at]);
    scratch_close();
}

CHECK_CASE(a_bound_file_is_known_by_its_identity_and_its_maker)
{
    scratch_open();
    int fd = scratch_socket("s", SOCK_STREAM);
    struct stat bound, own;
    CHECK_INT(lstat(scratch("s"), &bound), 0);
    CHECK_INT(fstat(fd, &own), 0);
    struct cf_sockets sockets = { .len = 0 };
    enum cf_sockets_source used;
    struct cf_error err;
    struct cf_sockets_ask ask = { .source = CF_SOCKETS_NETLINK, .listening = true };
    CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), 0);
    int found = 0;
    for (size_t at = 0; at < sockets.len; at++) {
        const struct cf_socket *socket = &sockets.items[at];
        if (socket->inode != own.st_ino)
            continue;
        found++;
        CHECK_INT(socket->dev, bound.st_dev);
        CHECK_INT(socket->ino, bound.st_ino & UINT32_MAX);
        CHECK_INT(socket->uid, geteuid());
    }
    CHECK_INT(found, 1);
    cf_sockets_free(&sockets);
    cf_close_fd(&fd);
    scratch_close();
}

CHECK_CASE(the_other_end_is_told_when_asked_for)
{
    int pair[2];
    struct stat here, there;
    struct cf_sockets sockets = { .len = 0 };
    enum cf_sockets_source used;
    struct cf_error err;
    struct cf_sockets_ask ask = { .source = CF_SOCKETS_NETLINK, .peers = true };
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    CHECK(fstat(pair[0], &here) == 0 && fstat(pair[1], &there) == 0);
    CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), 0);
    uint64_t peer = 0;
    for (size_t at = 0; at < sockets.len; at++)
        if (sockets.items[at].inode == here.st_ino)
            peer = sockets.items[at].peer;
    CHECK_INT(peer, there.st_ino);
    cf_sockets_free(&sockets);
    cf_close_fd(&pair[0]);
    cf_close_fd(&pair[1]);
}

CHECK_CASE(a_text_can_stand_in_for_the_table)
{
    scratch_open();
    scratch_file("unix", "0: 00000002 00000000 00010000 0001 01     7 /a\n", 0600);
    struct cf_sockets sockets = { .len = 0 };
    enum cf_sockets_source used;
    struct cf_error err;
    struct cf_sockets_ask ask = { .file = scratch("unix") };
    CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), 0);
    CHECK_INT(used, CF_SOCKETS_PROC);
    CHECK_INT(sockets.len, 1);
    CHECK_INT(sockets.items[0].inode, 7);
    cf_sockets_free(&sockets);
    ask.file = "/no/such";
    CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), -1);
    CHECK_TEXT(err.message, "open /no/such: No such file or directory");
    cf_sockets_free(&sockets);
    scratch_close();
}

/* 0 when the holder of a socket made here is found to be `wanted`, 0 for nobody. */
static int find_owner(const char *const *comms, pid_t wanted)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat own;
    struct cf_owners owners;
    struct cf_error err;
    CHECK_INT(fstat(fd, &own), 0);
    uint64_t inodes[] = { own.st_ino, 1, own.st_ino };
    CHECK_INT(cf_owners_find(inodes, 3, comms, &owners, &err), 0);
    CHECK_INT(owners.len, 2);
    CHECK_INT(owners.items[1].inode, own.st_ino);
    bool right = CHECK_INT(owners.items[1].pid, wanted);
    if (wanted != 0) {
        right &= CHECK_TEXT(owners.items[1].comm, "sockets_test");
        right &= CHECK_INT(owners.items[1].uid, geteuid());
        right &= CHECK_HOLDS(owners.items[1].exe, "/sockets_test");
    }
    cf_owners_free(&owners);
    cf_close_fd(&fd);
    return right ? 0 : 1;
}

CHECK_CASE(the_holder_of_a_socket_is_found)
{
    find_owner(NULL, getpid());
    find_owner((const char *const[]){ "other", "sockets_test", NULL }, getpid());
}

CHECK_CASE(only_candidates_are_looked_into)
{
    find_owner((const char *const[]){ "sockets_tes", "sockets_testx", NULL }, 0);
    find_owner((const char *const[]){ NULL }, 0);
}

static int find_as_ordinary(void)
{
    return find_owner(NULL, getpid());
}

CHECK_CASE(an_ordinary_user_finds_its_own)
{
    CHECK_INT(as_user(SOMEBODY, find_as_ordinary), 0);
}

CHECK_MAIN
