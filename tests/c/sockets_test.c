/* Sockets are found with their true names, however odd, and with what they are bound to. */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
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

#define HEADER "Num       RefCount Protocol Flags    Type St Inode Path\n"
#define ROW(flags, type, state, inode)                                                         \
    "0000000000000000: 00000002 00000000 " flags " " type " " state " " inode

static char shown[4096];

/* One socket a line: kind, state, inode, name between quotes with odd bytes as \xNN. */
static const char *show(const struct cf_sockets *sockets)
{
    size_t used = 0;
    shown[0] = '\0';
    for (size_t at = 0; at < sockets->len; at++) {
        const struct cf_socket *socket = &sockets->items[at];
        const char *name = cf_socket_name(sockets, socket);
        const char *mark = socket->naming == CF_SOCKET_PATH       ? " "
                           : socket->naming == CF_SOCKET_ABSTRACT ? " @"
                                                                  : " -";
        used +=
            (size_t)snprintf(shown + used, sizeof shown - used, "%u/%u %llu%s", socket->type,
                             socket->state, (unsigned long long)socket->inode, mark);
        for (size_t i = 0; i < socket->name_len; i++)
            used += (size_t)snprintf(shown + used, sizeof shown - used,
                                     name[i] < ' ' ? "\\x%02x" : "%c", name[i]);
        used += (size_t)snprintf(shown + used, sizeof shown - used, "\n");
    }
    snprintf(shown + used, sizeof shown - used, "%zu unreadable", sockets->unreadable);
    return shown;
}

static const char *parse(const char *text, size_t len)
{
    struct cf_sockets sockets = { .len = 0 };
    struct cf_error err;
    CHECK_INT(cf_sockets_parse(text, len, &sockets, &err), 0);
    show(&sockets);
    cf_sockets_free(&sockets);
    return shown;
}

#define PARSE(text) parse(text, sizeof text - 1)

CHECK_CASE(rows_of_every_kind_are_read)
{
    CHECK_TEXT(
        PARSE(HEADER ROW("00010000", "0001", "01", "  101") " /run/a b.sock\n" ROW(
            "00000000", "0001", "03",
            "  102") "\n" ROW("00000000", "0002", "01",
                              "12345") " @name\n" ROW("00010000", "0005", "01",
                                                      "12345678") " relative\n" ROW("00000000",
                                                                                    "0001",
                                                                                    "02",
                                                                                    "    0") " "
                                                                                             "/"
                                                                                             "r"
                                                                                             "u"
                                                                                             "n"
                                                                                             "/"
                                                                                             "a"
                                                                                             " "
                                                                                             "b"
                                                                                             "."
                                                                                             "s"
                                                                                             "o"
                                                                                             "c"
                                                                                             "k"
                                                                                             "\n"),
        "1/1 101 /run/a b.sock\n"
        "1/2 102 -\n"
        "2/0 12345 @name\n"
        "5/1 12345678 relative\n"
        "1/3 0 /run/a b.sock\n"
        "0 unreadable");
}

CHECK_CASE(a_newline_in_a_name_does_not_split_the_socket)
{
    CHECK_TEXT(PARSE(ROW("00010000", "0001", "01", "  101") " /tmp/a\nb\n\nc \n" ROW(
                   "00010000", "0001", "01", "  102") " @x\n\n"),
               "1/1 101 /tmp/a\\x0ab\\x0a\\x0ac \n"
               "1/1 102 @x\\x0a\n"
               "0 unreadable");
}

CHECK_CASE(a_line_that_continues_nothing_is_counted)
{
    CHECK_TEXT(
        PARSE(HEADER "garbage\n" ROW("00000000", "0001", "03", "  7") "\nmore\nand more\n" ROW(
            "00010000", "0001", "01", "  8") " /a\n"),
        "1/2 7 -\n"
        "1/1 8 /a\n"
        "3 unreadable");
}

CHECK_CASE(a_continuation_longer_than_any_name_is_counted)
{
    char text[512];
    int len = snprintf(text, sizeof text, "%s /%0100d\n%06d\n%0200d\n",
                       ROW("00010000", "0001", "01", "  8"), 0, 1, 0);
    char wanted[512];
    snprintf(wanted, sizeof wanted, "1/1 8 /%0100d\\x0a%06d\n1 unreadable", 0, 1);
    CHECK_TEXT(parse(text, (size_t)len), wanted);
}

CHECK_CASE(a_table_cut_off_anywhere_is_never_taken_for_whole)
{
    static const char text[] = HEADER ROW("00010000", "0001", "01", "  101") " /run/long\n" ROW(
        "00010000", "0001", "01", "  102") " /run/other\n";
    for (size_t len = sizeof HEADER; len < sizeof text - 1; len++) {
        struct cf_sockets sockets = { .len = 0 };
        struct cf_error err;
        CHECK_INT(cf_sockets_parse(text, len, &sockets, &err), 0);
        bool between = text[len - 1] == '\n';
        CHECK_INT(sockets.unreadable, between ? 0 : 1);
        for (size_t at = 0; at < sockets.len; at++)
            CHECK(sockets.items[at].name_len >= strlen("/run/long"));
        cf_sockets_free(&sockets);
    }
}

CHECK_CASE(columns_out_of_form_are_unreadable)
{
    static const char *const rows[] = {
        "0000000000000000: 00000002 00000000 00010000 0001 01\n",
        "0000000000000000: 00000002 00000000 00010000 0001 01 \n",
        "0000000000000000: 00000002 00000000 00010000 0001 01 x7 /a\n",
        "0000000000000000: 00000002 00000000 00010000 0001 01 7/a\n",
        "0000000000000000: 00000002 00000000 00010000 0001 01 7 \n",
        "0000000000000000: 00000002 00000000 00010000 0004 01 7 /a\n",
        "0000000000000000: 0000000g 00000000 00010000 0001 01 7 /a\n",
        "0000000000000000: 0000002 00000000 00010000 0001 01 7 /a\n",
        "0000000000000000 00000002 00000000 00010000 0001 01 7 /a\n",
        "0000000000000000: 00000002 00000000 00010000 0001 01 99999999999999999999 /a\n",
        ":\n",
        "\n",
    };
    for (size_t at = 0; at < sizeof rows / sizeof *rows; at++)
        CHECK_TEXT(parse(rows[at], strlen(rows[at])), "1 unreadable");
    CHECK_TEXT(PARSE(ROW("00010000", "0001", "01", "7") " /a\0b\n"), "1 unreadable");
}

CHECK_CASE(hidden_addresses_are_no_obstacle)
{
    CHECK_TEXT(PARSE("(____ptrval____): 00000002 00000000 00010000 0001 01 7 @\n"),
               "1/1 7 @\n0 unreadable");
    CHECK_TEXT(PARSE(""), "0 unreadable");
}

/* One message with a name attribute and a file attribute, as the kernel lays them out. */
struct diag {
    struct nlmsghdr head;
    struct unix_diag_msg msg;
    struct nlattr name_head;
    char name[8];
    struct nlattr vfs_head;
    struct unix_diag_vfs vfs;
};

static struct diag make_diag(void)
{
    return (struct diag){
        .head = { .nlmsg_len = sizeof(struct diag), .nlmsg_type = SOCK_DIAG_BY_FAMILY },
        .msg = { .udiag_family = AF_UNIX,
                 .udiag_type = SOCK_STREAM,
                 .udiag_state = 10,
                 .udiag_ino = 77 },
        .name_head = { .nla_len = 4 + 7, .nla_type = UNIX_DIAG_NAME },
        .name = "/run/x",
        .vfs_head = { .nla_len = 4 + 8, .nla_type = UNIX_DIAG_VFS },
        .vfs = { .udiag_vfs_ino = 1234, .udiag_vfs_dev = 253u << 20 | 70000 },
    };
}

static int parse_diag(const void *data, size_t len, struct cf_sockets *sockets)
{
    struct cf_error err;
    *sockets = (struct cf_sockets){ .len = 0 };
    return cf_sockets_parse_diag(data, len, sockets, &err);
}

CHECK_CASE(a_message_gives_name_and_file_with_the_device_as_stat_has_it)
{
    struct cf_sockets sockets;
    struct diag diag = make_diag();
    CHECK_INT(parse_diag(&diag, sizeof diag, &sockets), 0);
    CHECK_TEXT(show(&sockets), "1/1 77 /run/x\n0 unreadable");
    CHECK(sockets.items[0].has_file);
    CHECK_INT(sockets.items[0].ino, 1234);
    CHECK_INT(sockets.items[0].dev, 0x1110fd70);
    cf_sockets_free(&sockets);
}

CHECK_CASE(an_abstract_name_keeps_its_nuls)
{
    struct cf_sockets sockets;
    struct diag diag = make_diag();
    memcpy(diag.name, "\0a\0@\0b ", 7);
    CHECK_INT(parse_diag(&diag, sizeof diag, &sockets), 0);
    CHECK_TEXT(show(&sockets), "1/1 77 @a\\x00@\\x00b \n0 unreadable");
    cf_sockets_free(&sockets);
}

CHECK_CASE(the_end_of_a_dump_and_its_errors_are_told)
{
    struct {
        struct nlmsghdr head;
        int number;
    } end = { { .nlmsg_len = sizeof end, .nlmsg_type = NLMSG_DONE }, 0 };
    struct cf_sockets sockets;
    CHECK_INT(parse_diag(&end, sizeof end, &sockets), 1);
    end.head.nlmsg_type = NLMSG_ERROR;
    end.number = -ENOENT;
    struct cf_error err;
    CHECK_INT(cf_sockets_parse_diag(&end, sizeof end, &sockets, &err), -1);
    CHECK_TEXT(err.message, "sock_diag dump: No such file or directory");
    cf_sockets_free(&sockets);
}

CHECK_CASE(a_message_beyond_its_end_is_refused)
{
    struct cf_sockets sockets;
    struct diag diag = make_diag();
    CHECK_INT(parse_diag(&diag, sizeof diag - 1, &sockets), -1);
    cf_sockets_free(&sockets);
    diag.vfs_head.nla_len = 100;
    CHECK_INT(parse_diag(&diag, sizeof diag, &sockets), -1);
    cf_sockets_free(&sockets);
    diag.vfs_head.nla_len = 3;
    CHECK_INT(parse_diag(&diag, sizeof diag, &sockets), -1);
    cf_sockets_free(&sockets);
    diag.head.nlmsg_len = 20;
    CHECK_INT(parse_diag(&diag, sizeof diag, &sockets), -1);
    cf_sockets_free(&sockets);
}

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
    scratch_file("unix", HEADER ROW("00010000", "0001", "01", "7") " /a\n", 0600);
    struct cf_sockets sockets = { .len = 0 };
    enum cf_sockets_source used;
    struct cf_error err;
    struct cf_sockets_ask ask = { .file = scratch("unix") };
    CHECK_INT(cf_sockets_list(&ask, &sockets, &used, &err), 0);
    CHECK_INT(used, CF_SOCKETS_PROC);
    CHECK_TEXT(show(&sockets), "1/1 7 /a\n0 unreadable");
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
