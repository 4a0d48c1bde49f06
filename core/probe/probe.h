/* What an attempt of confine-probe is, what it finds, and the helpers that the attempts share.
 */
#ifndef CF_PROBE_PROBE_H
#define CF_PROBE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* The verdicts are also the exit statuses of `confine-probe try`. */
enum cf_verdict {
    CF_REACHED = 0,     /* the attempt did what its sentence says */
    CF_REFUSED = 1,     /* the kernel, or a name that is not there, answered no */
    CF_UNAVAILABLE = 2, /* what the attempt needs is not here: the answer proves nothing */
};

/* Lives in memory shared with the process that makes the attempt, so that a guard that kills
 * the attempt still leaves a verdict. Strings are bytes, cut off at their size. */
struct cf_finding {
    enum cf_verdict verdict;
    int error;         /* errno of the step that ended the attempt, 0 when there was none */
    char target[1024]; /* what was attempted, as the caller named it */
    char detail[512];  /* the step that ended it, or what was read; never a secret's value */
};

/* One attempt is one record; a family is a file of them. */
struct cf_attempt {
    const char *name;
    const char *threat; /* the class of threats that it belongs to, see confine-probe list */
    const char *usage;  /* its arguments, for people */
    const char *means;  /* one sentence: what it means when this is reached */
    int least, most;    /* how many arguments it takes */
    void (*make)(char **args, int count, struct cf_finding *finding);
};

struct cf_family {
    const struct cf_attempt *attempts;
    size_t count;
};

#define CF_FAMILY(table)                                                                       \
    {                                                                                          \
        (table), sizeof(table) / sizeof(*(table))                                              \
    }

extern const struct cf_family cf_family_sockets, cf_family_detours, cf_family_authorities,
    cf_family_desktop, cf_family_processes, cf_family_kernel, cf_family_ipc, cf_family_files,
    cf_family_terminals, cf_family_legs;

/* Each ends an attempt: it fills the finding with a verdict and a printf-style detail. */
void cf_finding_reached(struct cf_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cf_finding_refused(struct cf_finding *finding, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cf_finding_unavailable(struct cf_finding *finding, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the finding as one line of JSON; bytes outside ASCII appear as \u00XX. `key` is what
 * the caller knows the attempt by, or NULL. */
void cf_finding_print(FILE *stream, const char *key, const char *attempt,
                      const struct cf_finding *finding);

/* Fills a socket address from "/path", "relative/path" or "@abstract". Returns 0, or -1 with
 * the finding filled when the name is empty or too long for the kernel (108 bytes). */
int cf_address_read(const char *name, struct sockaddr_un *address, socklen_t *length,
                    struct cf_finding *finding);

/* A socket address of any length of path: what is too long for the kernel goes through a
 * descriptor of its folder. */
struct cf_address {
    struct sockaddr_un name;
    socklen_t length;
    int folder; /* owned, -1 where none is needed */
};

/* As cf_address_read. What it opened is closed by cf_address_close, after the address's use. */
int cf_address_open(const char *name, struct cf_address *address, struct cf_finding *finding);
void cf_address_close(struct cf_address *address);

/* Connects a socket of `type` (SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM). Returns an owned
 * descriptor whose reads and writes give up after a few seconds, or -1 with the finding filled.
 */
int cf_socket_connect(const char *name, int type, struct cf_finding *finding);

/* Sends all of `data`, with the caller's credentials when `with_credentials`. Returns 0, or -1
 * with the finding filled. */
int cf_socket_say(int fd, const void *data, size_t length, int with_credentials,
                  struct cf_finding *finding);

/* Reads until at least `wanted` bytes came, at most `size`. Returns the number read, or -1 with
 * the finding filled as unavailable: it was connected, which is not the refusal that was hoped
 * for, yet nothing answered in its protocol. */
ssize_t cf_socket_hear(int fd, void *buffer, size_t size, size_t wanted,
                       struct cf_finding *finding);

/* Reads a decimal or 0x number of at most `most`. Returns 0, or -1 with the finding filled. */
int cf_number_read(const char *text, unsigned long most, unsigned long *number,
                   struct cf_finding *finding);

/* Closes *fd when it is open; for the cleanup attribute. */
void cf_probe_close(int *fd);
#define CF_PROBE_FD __attribute__((cleanup(cf_probe_close))) int

#endif
