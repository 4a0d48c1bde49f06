/* A process of outside that attempts aim at: it holds sockets, shared objects and a secret. */
#include "targets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "probe.h"
#include "shared.h"
#include "standins.h"
#include "words.h"

enum { ORDERS_SIZE = 65536 };

/* A listening socket, or what it accepted; the latter has no name. */
struct target {
    int fd, type;
    const struct cf_standin *standin;
    char name[256];
    struct target *next;
};

static struct {
    int poll;
    struct target *list;
    char orders[ORDERS_SIZE];
    size_t have;
} server;

static volatile sig_atomic_t is_over;

static void end(int signal)
{
    (void)signal;
    is_over = 1;
}

/* Watches the descriptor, which is closed when that cannot be. Returns the target or NULL. */
static struct target *watch(int fd, int type, const struct cf_standin *standin,
                            const char *name)
{
    struct target *target = calloc(1, sizeof(*target));
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = target };
    if (!target || epoll_ctl(server.poll, EPOLL_CTL_ADD, fd, &event) < 0) {
        free(target);
        close(fd);
        return NULL;
    }
    target->fd = fd;
    target->type = type;
    target->standin = standin;
    snprintf(target->name, sizeof(target->name), "%s", name);
    target->next = server.list;
    server.list = target;
    return target;
}

static void drop(struct target *target)
{
    struct target **at = &server.list;
    while (*at && *at != target)
        at = &(*at)->next;
    if (*at)
        *at = target->next;
    close(target->fd);
    free(target);
}

static struct target *named(const char *name)
{
    for (struct target *at = server.list; at; at = at->next)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

static int type_of(const char *word)
{
    if (strcmp(word, "datagram") == 0)
        return SOCK_DGRAM;
    return strcmp(word, "seqpacket") == 0 ? SOCK_SEQPACKET : SOCK_STREAM;
}

/* Returns a bound socket that listens where its type can, or -1 with errno. */
static int bind_at(const char *name, int type)
{
    struct cf_finding finding;
    struct cf_address address;
    if (cf_address_open(name, &address, &finding) < 0) {
        errno = finding.error;
        return -1;
    }
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&address.name, address.length) < 0 ||
                    (type != SOCK_DGRAM && listen(fd, 64) < 0))) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    cf_address_close(&address);
    return fd;
}

static int listen_at(const char *name, int type, const struct cf_standin *standin)
{
    int fd = bind_at(name, type);
    return fd < 0 || !watch(fd, type, standin, name) ? -1 : 0;
}

static int order_listen(char **words, char *said, size_t size)
{
    (void)said;
    (void)size;
    const struct cf_standin *standin = cf_standin_find(words[1]);
    if (!standin) {
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return listen_at(words[3], type_of(words[2]), standin);
}

static int order_close(char **words, char *said, size_t size)
{
    (void)said;
    (void)size;
    struct target *target = named(words[1]);
    if (!target) {
        errno = ENOENT;
        return -1;
    }
    drop(target);
    return *words[1] == '@' ? 0 : unlink(words[1]);
}

static int order_replace(char **words, char *said, size_t size)
{
    char beside[256];
    char *order[] = { words[0], words[1], words[2], beside, NULL };
    snprintf(beside, sizeof(beside), "%.250s.new", words[3]);
    struct target *old = named(words[3]);
    if (order_listen(order, said, size) < 0 || rename(beside, words[3]) < 0)
        return -1;
    snprintf(server.list->name, sizeof(server.list->name), "%s", words[3]);
    if (old)
        drop(old);
    return 0;
}

static int order_tcp(char **words, char *said, size_t size)
{
    (void)words;
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t length = sizeof(address);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, 8) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) < 0) {
        close(fd);
        return -1;
    }
    snprintf(said, size, "%d", ntohs(address.sin_port));
    return watch(fd, SOCK_STREAM, cf_standin_find("connect"), "tcp") ? 0 : -1;
}

static int order_make(char **words, char *said, size_t size)
{
    return cf_shared_make(words[1], words[2], said, size);
}

static int order_self(char **words, char *said, size_t size)
{
    (void)words;
    snprintf(said, size, "%d %d", getpid(), server.poll);
    return 0;
}

static const struct {
    const char *name;
    int words;
    int (*obey)(char **words, char *said, size_t size);
} ORDERS[] = {
    { "listen", 4, order_listen }, { "close", 2, order_close }, { "replace", 4, order_replace },
    { "tcp", 1, order_tcp },       { "make", 3, order_make },   { "self", 1, order_self },
};

static void obey(struct cf_words *words)
{
    char said[256] = "";
    for (size_t at = 0; at < sizeof(ORDERS) / sizeof(*ORDERS); at++) {
        if (words->count != ORDERS[at].words || strcmp(words->items[0], ORDERS[at].name) != 0)
            continue;
        if (ORDERS[at].obey(words->items, said, sizeof(said)) < 0)
            printf("error %s: %s\n", words->items[0], strerror(errno));
        else
            printf("ok %s\n", said);
        fflush(stdout);
        return;
    }
    puts("error no such order");
    fflush(stdout);
}

static void take_orders(void)
{
    ssize_t got =
        read(STDIN_FILENO, server.orders + server.have, sizeof(server.orders) - server.have);
    if (got <= 0) {
        is_over = 1;
        return;
    }
    server.have += (size_t)got;
    struct cf_words words;
    size_t at = 0;
    while (cf_words_next(server.orders, server.have, &at, &words) > 0)
        obey(&words);
    memmove(server.orders, server.orders + at, server.have - at);
    server.have -= at;
}

static void answer(const struct target *target)
{
    if (target->standin->length > 0)
        (void)!send(target->fd, target->standin->answer, target->standin->length, MSG_NOSIGNAL);
}

static void attend(struct target *target)
{
    char heard[4096];
    if (!target->name[0] || target->type == SOCK_DGRAM) {
        if (recv(target->fd, heard, sizeof(heard), MSG_DONTWAIT) > 0)
            answer(target);
        else if (!target->name[0])
            drop(target);
        return;
    }
    int fd = accept4(target->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const struct target *guest = fd < 0 ? NULL : watch(fd, target->type, target->standin, "");
    if (guest && guest->standin->greets)
        answer(guest);
}

static void remove_all(void)
{
    while (server.list) {
        if (server.list->name[0] == '/')
            unlink(server.list->name);
        drop(server.list);
    }
    cf_shared_remove();
}

static int set_up(void)
{
    struct rlimit files;
    struct epoll_event event = { .events = EPOLLIN };
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    struct sigaction action = { .sa_handler = end };
    sigaction(SIGTERM, &action, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    server.poll = epoll_create1(EPOLL_CLOEXEC);
    return server.poll < 0 ? -1 : epoll_ctl(server.poll, EPOLL_CTL_ADD, STDIN_FILENO, &event);
}

int cf_targets_serve(void)
{
    if (set_up() < 0) {
        perror("confine-probe: targets");
        return 1;
    }
    while (!is_over) {
        struct epoll_event event;
        if (epoll_wait(server.poll, &event, 1, -1) <= 0)
            continue;
        if (event.data.ptr)
            attend(event.data.ptr);
        else
            take_orders();
    }
    remove_all();
    return 0;
}
