/* What a confined command must still be able to do, and what a runner must be able to end. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the child: runs the program, with nothing to read and its words into `out`. */
static void become(char **args, int out)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    execvp(args[0], args);
    _exit(errno == ENOENT ? 127 : 126);
}

/* Reads to the end; the last piece of what came is kept in `tail`, on one line. */
static void read_tail(int fd, char *tail, size_t size)
{
    char piece[4096];
    ssize_t got;
    tail[0] = 0;
    while ((got = read(fd, piece, sizeof(piece))) > 0) {
        size_t keep = (size_t)got < size - 1 ? (size_t)got : size - 1;
        memcpy(tail, piece + got - keep, keep);
        tail[keep] = 0;
    }
    for (char *byte = tail; *byte; byte++)
        if (*byte == '\n')
            *byte = byte[1] ? ' ' : 0;
}

static void run_program(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) < 0) {
        cf_finding_unavailable(finding, errno, "pipe");
        return;
    }
    pid_t child = fork();
    if (child == 0)
        become(args, ends[1]);
    close(ends[1]);
    char tail[200];
    read_tail(ends[0], tail, sizeof(tail));
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0)
        cf_finding_unavailable(finding, errno, "fork");
    else if (WIFSIGNALED(status))
        cf_finding_refused(finding, 0, "ended by signal %d; %s", WTERMSIG(status), tail);
    else if (WEXITSTATUS(status) == 127)
        cf_finding_unavailable(finding, ENOENT, "%.64s is not here; %s", args[0], tail);
    else if (WEXITSTATUS(status) != 0)
        cf_finding_refused(finding, 0, "exit status %d; %s", WEXITSTATUS(status), tail);
    else
        cf_finding_reached(finding, "it worked");
}

static void look_for_variable(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    if (getenv(args[0]))
        cf_finding_reached(finding, "the variable is set");
    else
        cf_finding_refused(finding, 0, "the variable is not set");
}

/* Both halves of a pair, and a socket of its own in each of the three types. */
static void use_pair(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    int pair[2];
    char byte = 'x';
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0) {
        cf_finding_refused(finding, errno, "socketpair");
        return;
    }
    if (send(pair[0], &byte, 1, 0) != 1 || recv(pair[1], &byte, 1, 0) != 1)
        cf_finding_refused(finding, errno, "send through a pair");
    else
        cf_finding_reached(finding, "a datagram went through a pair");
    close(pair[0]);
    close(pair[1]);
}

/* Returns 0 when a socket of its own was bound and connected to, else -1 with the finding. */
static int use_own(const char *name, int type, struct cf_finding *finding)
{
    struct sockaddr_un address;
    socklen_t length;
    if (cf_address_read(name, &address, &length, finding) < 0)
        return -1;
    CF_PROBE_FD server = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    if (server < 0 || bind(server, (struct sockaddr *)&address, length) < 0 ||
        (type != SOCK_DGRAM && listen(server, 1) < 0)) {
        cf_finding_refused(finding, errno, "bind %.64s", name);
        return -1;
    }
    CF_PROBE_FD client = cf_socket_connect(name, type, finding);
    if (*name != '@')
        unlink(name);
    return client < 0 ? -1 : 0;
}

static void use_own_sockets(char **args, int count, struct cf_finding *finding)
{
    (void)args;
    (void)count;
    static const int types[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET };
    char path[64], abstract[64];
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        snprintf(path, sizeof(path), "own-%d-%zu.sock", getpid(), i);
        snprintf(abstract, sizeof(abstract), "@confine-own-%d-%zu", getpid(), i);
        if (use_own(path, types[i], finding) < 0 || use_own(abstract, types[i], finding) < 0)
            return;
    }
    cf_finding_reached(finding, "its own sockets work, by path and by abstract name");
}

/* Asks another process for something by a file. */
static void ask(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    CF_PROBE_FD fd = open(args[0], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        cf_finding_unavailable(finding, errno, "create %.256s", args[0]);
    else
        cf_finding_reached(finding, "asked");
}

/* Asks, and waits for the answer by another file. */
static void await(char **args, int count, struct cf_finding *finding)
{
    enum { PAUSES = 6000 };
    struct timespec pause = { .tv_nsec = 2000000 };
    ask(args, count, finding);
    if (finding->verdict != CF_REACHED)
        return;
    for (int i = 0; i < PAUSES && access(args[1], F_OK) < 0; i++)
        nanosleep(&pause, NULL);
    if (access(args[1], F_OK) < 0)
        cf_finding_unavailable(finding, ETIME, "no answer");
    else
        cf_finding_reached(finding, "answered");
}

static void ignore_endings(void)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        signal(signals[i], SIG_IGN);
}

/* The last of two forks, in a session of its own, that no SIGTERM ends. The mark holds its
 * process number; the alarm ends it where nothing else does. */
static void stay(const char *mark)
{
    enum { LIFE_SECONDS = 15 };
    alarm(LIFE_SECONDS);
    setsid();
    if (fork() != 0)
        _exit(0);
    ignore_endings();
    alarm(LIFE_SECONDS);
    FILE *file = fopen(mark, "we");
    if (file) {
        fprintf(file, "%d\n", getpid());
        fclose(file);
    }
    for (;;)
        pause();
}

static void be_stubborn(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    ignore_endings();
    if (fork() == 0)
        stay(args[1]);
    cf_finding_reached(finding, "it stays");
    for (;;)
        pause();
}

static const struct cf_attempt ATTEMPTS[] = {
    { "run", "legitimate leg", "PROGRAM [ARG...]", "the program works", 1, 60, run_program },
    { "pair", "legitimate leg", "", "a pair of datagram sockets works", 0, 0, use_pair },
    { "own-sockets", "legitimate leg", "", "the command's own sockets work", 0, 0,
      use_own_sockets },
    { "variable", "environment", "NAME", "the variable is set", 1, 1, look_for_variable },
    { "ask", "rendezvous", "GO", "something was asked for by a file", 1, 1, ask },
    { "await", "rendezvous", "GO DONE",
      "what was asked for by one file was answered by another", 2, 2, await },
    { "stubborn", "process", "WORD MARK",
      "a process that no SIGTERM ends outlives what started it", 2, 2, be_stubborn },
};

const struct cf_family cf_family_legs = CF_FAMILY(ATTEMPTS);
