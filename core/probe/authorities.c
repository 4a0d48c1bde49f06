/* Attempts that speak to an authority or a service in its own protocol, so that a bare connect
 * never counts: agents, engines, message buses, multiplexers, databases. */
#include "probe.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Sends a request and reads at least `wanted` bytes. Returns the answer's length, or -1 with
 * the finding filled. The answer is terminated by a zero byte. */
static ssize_t ask(const char *name, const void *request, size_t length, char *answer,
                   size_t size, size_t wanted, struct cf_finding *finding)
{
    CF_PROBE_FD fd = cf_socket_connect(name, SOCK_STREAM, finding);
    if (fd < 0 || (length > 0 && cf_socket_say(fd, request, length, 0, finding) < 0))
        return -1;
    ssize_t got = cf_socket_hear(fd, answer, size - 1, wanted, finding);
    if (got >= 0)
        answer[got] = 0;
    return got;
}

/* Reached when the answer starts with `prefix`; the detail is the answer's first line. */
static void expect(const char *answer, const char *prefix, const char *protocol,
                   struct cf_finding *finding)
{
    int line = (int)strcspn(answer, "\r\n");
    if (strncmp(answer, prefix, strlen(prefix)) == 0)
        cf_finding_reached(finding, "%s: %.*s", protocol, line, answer);
    else
        cf_finding_unavailable(finding, 0, "connected, but no %s answer: %.*s", protocol, line,
                               answer);
}

static void ask_line(const char *name, const char *request, const char *prefix,
                     const char *protocol, struct cf_finding *finding)
{
    char answer[512];
    if (ask(name, request, strlen(request), answer, sizeof(answer), strlen(prefix), finding) >=
        0)
        expect(answer, prefix, protocol, finding);
}

static uint32_t read_u32(const char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof(number));
    return ntohl(number);
}

/* SSH_AGENTC_REQUEST_IDENTITIES (11) is answered by 12 and the number of keys; see
 * draft-miller-ssh-agent, section 4.4. */
static void ask_agent(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const char request[] = { 0, 0, 0, 1, 11 };
    char answer[512];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 5, finding) < 0)
        return;
    if (answer[4] == 12)
        cf_finding_reached(finding, "the agent listed its keys");
    else
        cf_finding_unavailable(finding, 0, "connected, but the agent answered %d", answer[4]);
}

/* The D-Bus specification's EXTERNAL mechanism names the user in hexadecimal ASCII. */
static void ask_bus(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char user[16], request[64] = "AUTH EXTERNAL ", answer[256];
    size_t length = strlen(request);
    snprintf(user, sizeof(user), "%u", geteuid());
    for (const char *digit = user; *digit; digit++, length += 2)
        snprintf(request + length, sizeof(request) - length, "%02x", *digit);
    snprintf(request + length, sizeof(request) - length, "\r\n");

    CF_PROBE_FD fd = cf_socket_connect(args[0], SOCK_STREAM, finding);
    if (fd < 0 || cf_socket_say(fd, "", 1, 1, finding) < 0 ||
        cf_socket_say(fd, request, strlen(request), 0, finding) < 0)
        return;
    ssize_t got = cf_socket_hear(fd, answer, sizeof(answer) - 1, 3, finding);
    if (got < 0)
        return;
    answer[got] = 0;
    expect(answer, "OK ", "D-Bus", finding);
}

static void ask_gpg(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    char answer[256];
    if (ask(args[0], "", 0, answer, sizeof(answer), 3, finding) >= 0)
        expect(answer, "OK ", "Assuan", finding);
}

static void ask_http(char **args, int count, struct cf_finding *finding)
{
    char request[512];
    snprintf(request, sizeof(request), "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n",
             count > 1 ? args[1] : "/_ping");
    ask_line(args[0], request, "HTTP/1.", "HTTP", finding);
}

/* An HTTP/2 server, as containerd is, answers the preface with a SETTINGS frame (type 4). */
static void ask_http2(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const char request[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
    char answer[256];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 9, finding) < 0)
        return;
    if (answer[3] == 4)
        cf_finding_reached(finding, "HTTP/2: the server sent its settings");
    else
        cf_finding_unavailable(finding, 0, "connected, but no HTTP/2 settings");
}

/* tmux's messages begin with type, length, flags, peer and pid; a message of a foreign protocol
 * version is answered by MSG_VERSION (12). */
static void ask_tmux(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    struct {
        uint32_t type;
        uint16_t length, flags;
        uint32_t version, pid;
    } message = { .type = 100, .length = sizeof(message), .version = 0xff };
    char answer[256];
    message.pid = (uint32_t)getpid();
    if (ask(args[0], &message, sizeof(message), answer, sizeof(answer), sizeof(message),
            finding) < 0)
        return;
    memcpy(&message, answer, sizeof(message));
    if (message.type == 12)
        cf_finding_reached(finding, "tmux told its protocol version");
    else
        cf_finding_unavailable(finding, 0, "connected, but tmux answered %u", message.type);
}

static void ask_emacs(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    ask_line(args[0], "-eval 42 \n", "-emacs-pid ", "Emacs server", finding);
}

/* PostgreSQL answers SSLRequest with one byte, S or N. */
static void ask_postgres(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const char request[] = { 0, 0, 0, 8, 0x04, (char)0xd2, 0x16, 0x2f };
    char answer[64];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 1, finding) < 0)
        return;
    if (*answer == 'S' || *answer == 'N')
        cf_finding_reached(finding, "PostgreSQL answered %c", *answer);
    else
        cf_finding_unavailable(finding, 0, "connected, but no PostgreSQL answer");
}

static void ask_redis(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    ask_line(args[0], "PING\r\n", "+PONG", "Redis", finding);
}

/* The master answers MUX_MSG_HELLO (1) of version 4 on its own; see OpenSSH's PROTOCOL.mux. */
static void ask_ssh_master(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const char request[] = { 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 4 };
    char answer[64];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 12, finding) < 0)
        return;
    if (read_u32(answer + 4) == 1)
        cf_finding_reached(finding, "the ssh master told version %u", read_u32(answer + 8));
    else
        cf_finding_unavailable(finding, 0, "connected, but no ssh master answer");
}

static const struct cf_attempt ATTEMPTS[] = {
    { "agent", "authority", "PATH|@NAME", "an ssh agent would sign with the user's keys", 1, 1,
      ask_agent },
    { "bus", "authority", "PATH|@NAME",
      "a message bus took the caller in: it can start programs outside", 1, 1, ask_bus },
    { "gpg", "authority", "PATH|@NAME",
      "a gpg agent would sign and decrypt with the user's keys", 1, 1, ask_gpg },
    { "http", "authority", "PATH|@NAME [URL]",
      "an engine answers its HTTP interface: it can mount this host's files", 1, 2, ask_http },
    { "http2", "authority", "PATH|@NAME",
      "an engine answers its gRPC interface: it can mount this host's files", 1, 1, ask_http2 },
    { "tmux", "authority", "PATH", "a tmux server would type into the user's terminals", 1, 1,
      ask_tmux },
    { "emacs", "authority", "PATH", "an Emacs server would run Lisp as the user", 1, 1,
      ask_emacs },
    { "ssh-master", "authority", "PATH", "an ssh connection of the user's could be used", 1, 1,
      ask_ssh_master },
    { "postgres", "legitimate leg", "PATH", "PostgreSQL answers, as it must", 1, 1,
      ask_postgres },
    { "redis", "legitimate leg", "PATH", "Redis answers, as it must", 1, 1, ask_redis },
};

const struct cf_family cf_family_authorities = CF_FAMILY(ATTEMPTS);
