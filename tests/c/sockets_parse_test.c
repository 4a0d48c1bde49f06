/* What the kernel tells about sockets is read whole, odd names and cut tables too. */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <sys/socket.h>

#include "check.h"
#include "host/sockets.h"

#define HEADER "Num       RefCount Protocol Flags    Type St Inode Path\n"
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
    CHECK_TEXT(PARSE(HEADER "0: 00000002 00000000 00010000 0001 01   101 /run/a b.sock\n"
                            "0: 00000002 00000000 00000000 0001 03   102\n"
                            "0: 00000002 00000000 00000000 0002 01 12345 @name\n"
                            "0: 00000002 00000000 00010000 0005 01 12345678 relative\n"
                            "0: 00000002 00000000 00000000 0001 02     0 /run/a b.sock\n"),
               "1/1 101 /run/a b.sock\n"
               "1/2 102 -\n"
               "2/0 12345 @name\n"
               "5/1 12345678 relative\n"
               "1/3 0 /run/a b.sock\n"
               "0 unreadable");
}

CHECK_CASE(a_newline_in_a_name_does_not_split_the_socket)
{
    CHECK_TEXT(PARSE("0: 00000002 00000000 00010000 0001 01   101 /tmp/a\nb\n\nc \n"
                     "0: 00000002 00000000 00010000 0001 01   102 @x\n\n"),
               "1/1 101 /tmp/a\\x0ab\\x0a\\x0ac \n"
               "1/1 102 @x\\x0a\n"
               "0 unreadable");
}

CHECK_CASE(a_line_that_continues_nothing_is_counted)
{
    CHECK_TEXT(PARSE(HEADER "garbage\n"
                            "0: 00000002 00000000 00000000 0001 03     7\n"
                            "more\nand more\n"
                            "0: 00000002 00000000 00010000 0001 01     8 /a\n"),
               "1/2 7 -\n"
               "1/1 8 /a\n"
               "3 unreadable");
}

CHECK_CASE(a_continuation_longer_than_any_name_is_counted)
{
    char text[512], wanted[512];
    int len = snprintf(text, sizeof text,
                       "0: 00000002 00000000 00010000 0001 01     8 /%0100d\n%06d\n%0200d\n", 0,
                       1, 0);
    snprintf(wanted, sizeof wanted, "1/1 8 /%0100d\\x0a%06d\n1 unreadable", 0, 1);
    CHECK_TEXT(parse(text, (size_t)len), wanted);
}

CHECK_CASE(a_table_cut_off_anywhere_is_never_taken_for_whole)
{
    static const char text[] =
        HEADER "0: 00000002 00000000 00010000 0001 01   101 /run/long\n"
               "0: 00000002 00000000 00010000 0001 01   102 /run/other\n";
    for (size_t len = sizeof HEADER; len < sizeof text - 1; len++) {
        struct cf_sockets sockets = { .len = 0 };
        struct cf_error err;
        CHECK_INT(cf_sockets_parse(text, len, &sockets, &err), 0);
        CHECK_INT(sockets.unreadable, text[len - 1] == '\n' ? 0 : 1);
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
    CHECK_TEXT(PARSE("0: 00000002 00000000 00010000 0001 01     7 /a\0b\n"), "1 unreadable");
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

CHECK_MAIN
