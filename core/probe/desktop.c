/* Attempts that speak to the servers of a desktop session in their own protocols: X11, Wayland,
 * PulseAudio, PipeWire and the keyring's control socket. */
#include "probe.h"

#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

/* Sends a request with the caller's credentials and reads at least `wanted` bytes. Returns the
 * answer's length, or -1 with the finding filled. */
static ssize_t ask(const char *name, const void *request, size_t length, void *answer,
                   size_t size, size_t wanted, struct cf_finding *finding)
{
    CF_PROBE_FD fd = cf_socket_connect(name, SOCK_STREAM, finding);
    if (fd < 0 || cf_socket_say(fd, request, length, 1, finding) < 0)
        return -1;
    return cf_socket_hear(fd, answer, size, wanted, finding);
}

/* The connection setup of the X protocol 11.0 without authorization data. A server that answers
 * "failed" was reached too: only its cookie stands between the caller and every key pressed. */
static void ask_x11(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const unsigned char request[12] = { 'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    unsigned char answer[1024];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 8, finding) < 0)
        return;
    if (answer[2] != 11)
        cf_finding_unavailable(finding, 0, "connected, but no X11 answer");
    else
        cf_finding_reached(finding, "the X server answered the setup: %s",
                           answer[0] == 1 ? "accepted" : "a cookie is wanted");
}

/* wl_display (object 1), get_registry (opcode 1), new object 2. Each global is announced as
 * event 0 of object 2. */
static void ask_wayland(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    static const uint32_t request[3] = { 1, (12u << 16) | 1, 2 };
    uint32_t answer[256];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 12, finding) < 0)
        return;
    if (answer[0] == 2 && (answer[1] & 0xffff) == 0)
        cf_finding_reached(finding, "the compositor announced its globals");
    else
        cf_finding_unavailable(finding, 0, "connected, but no Wayland registry");
}

/* A packet of PulseAudio's native protocol: five header words, then the tagged values AUTH (8),
 * a tag, the protocol version and a cookie of 256 bytes. The server knows the caller by his
 * credentials; any command word of REPLY (2) or ERROR (0) is an answer. */
static void ask_pulse(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    enum { HEADER = 20, COOKIE = 256, BODY = 3 * 5 + 5 + COOKIE };
    static const uint32_t words[3] = { 8, 0, 32 };
    unsigned char request[HEADER + BODY] = { 0 }, answer[512];
    uint32_t number = htonl(BODY);
    memcpy(request, &number, 4);
    memset(request + 4, 0xff, 4);
    unsigned char *next = request + HEADER;
    for (int i = 0; i < 3; i++, next += 5) {
        number = htonl(words[i]);
        *next = 'L';
        memcpy(next + 1, &number, 4);
    }
    number = htonl(COOKIE);
    *next = 'x';
    memcpy(next + 1, &number, 4);

    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), HEADER + 5, finding) < 0)
        return;
    memcpy(&number, answer + HEADER + 1, 4);
    number = ntohl(number);
    if (answer[HEADER] != 'L' || (number != 2 && number != 0))
        cf_finding_unavailable(finding, 0, "connected, but no PulseAudio answer");
    else
        cf_finding_reached(finding, "the sound server %s",
                           number == 2 ? "took the caller in" : "wants a cookie");
}

/* PipeWire's native protocol: object 0 (core), opcode 1 (hello), a structure with the
 * integer 3. Every message begins with object, opcode and size, sequence, descriptors; the core
 * answers with its info, event 0. */
static void ask_pipewire(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    enum { POD_INT = 4, POD_STRUCT = 14 };
    static const uint32_t request[10] = { 0, (1u << 24) | 24, 0, 0, 16, POD_STRUCT,
                                          4, POD_INT,         3, 0 };
    uint32_t answer[1024];
    if (ask(args[0], request, sizeof(request), answer, sizeof(answer), 24, finding) < 0)
        return;
    if (answer[0] <= 1 && (answer[1] & 0xffffff) > 0 && answer[5] == POD_STRUCT)
        cf_finding_reached(finding, "the media server answered hello");
    else
        cf_finding_unavailable(finding, 0, "connected, but no PipeWire answer");
}

/* gnome-keyring's control socket: a byte with credentials, then a length, an operation
 * (0, initialize) and no environment; it answers with a length of 8 and a result. */
static void ask_keyring(char **args, int count, struct cf_finding *finding)
{
    (void)count;
    const uint32_t request[3] = { htonl(12), 0, 0 };
    uint32_t answer[16];
    CF_PROBE_FD fd = cf_socket_connect(args[0], SOCK_STREAM, finding);
    if (fd < 0 || cf_socket_say(fd, "", 1, 1, finding) < 0 ||
        cf_socket_say(fd, request, sizeof(request), 0, finding) < 0 ||
        cf_socket_hear(fd, answer, sizeof(answer), 8, finding) < 0)
        return;
    cf_finding_reached(finding, "the keyring answered its control protocol with result %u",
                       ntohl(answer[1]));
}

static const struct cf_attempt ATTEMPTS[] = {
    { "x11", "authority", "PATH|@NAME", "an X server would show every key pressed", 1, 1,
      ask_x11 },
    { "wayland", "authority", "PATH", "a compositor would show windows of this command", 1, 1,
      ask_wayland },
    { "pulse", "authority", "PATH", "a sound server would record the microphone", 1, 1,
      ask_pulse },
    { "pipewire", "authority", "PATH", "a media server would record microphone and camera", 1,
      1, ask_pipewire },
    { "keyring", "authority", "PATH", "the keyring takes orders: stored passwords can be had",
      1, 1, ask_keyring },
};

const struct cf_family cf_family_desktop = CF_FAMILY(ATTEMPTS);
