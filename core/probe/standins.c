/* Stand-ins for daemons: what each answers, so that an attempt in its protocol is reached. */
#include "standins.h"

#include <string.h>

#define ANSWER(name, greets, text)                                                             \
    {                                                                                          \
        (name), (greets), (text), sizeof(text) - 1                                             \
    }

/* The shortest answers that authorities.c and desktop.c take; the protocols are cited there. */
static const struct cf_standin STANDINS[] = {
    ANSWER("connect", false, ""),
    ANSWER("http", false, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nOK"),
    ANSWER("http2", false, "\0\0\0\4\0\0\0\0\0"),
    ANSWER("agent", false, "\0\0\0\5\14\0\0\0\0"),
    ANSWER("bus", false, "OK 00112233445566778899aabbccddeeff\r\n"),
    ANSWER("gpg", true, "OK Pleased to meet you\n"),
    ANSWER("tmux", false, "\14\0\0\0\20\0\0\0\10\0\0\0\1\0\0\0"),
    ANSWER("emacs", false, "-emacs-pid 1\n"),
    ANSWER("ssh-master", false, "\0\0\0\10\0\0\0\1\0\0\0\4"),
    ANSWER("postgres", false, "N"),
    ANSWER("redis", false, "+PONG\r\n"),
    ANSWER("x11", false, "\0\0\13\0\0\0\0\0"),
    ANSWER("wayland", false, "\2\0\0\0\0\0\14\0\0\0\0\0"),
    ANSWER("pulse", false,
           "\0\0\0\12\377\377\377\377\0\0\0\0\0\0\0\0\0\0\0\0L\0\0\0\2L\0\0\0\0"),
    ANSWER("pipewire", false, "\0\0\0\0\10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\16\0\0\0"),
    ANSWER("keyring", false, "\0\0\0\10\0\0\0\0"),
};

const struct cf_standin *cf_standin_find(const char *protocol)
{
    for (size_t at = 0; at < sizeof(STANDINS) / sizeof(*STANDINS); at++)
        if (strcmp(STANDINS[at].protocol, protocol) == 0)
            return &STANDINS[at];
    return NULL;
}
