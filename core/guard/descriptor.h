/* What a descriptor that the command is to inherit would let it do beyond reading and writing. */
#ifndef CF_GUARD_DESCRIPTOR_H
#define CF_GUARD_DESCRIPTOR_H

#include <stddef.h>

#include "base/error.h"

/*
 * The command can open any descriptor it has again, through /proc/self/fd/N, with other flags
 * and with the file permissions it has; and it can connect, bind and ask ioctls of it.
 */
enum cf_descriptor_kind {
    CF_DESCRIPTOR_CLOSED,
    /* A terminal; /dev/null and its kin; a pipe or FIFO; one end of a pair of connected stream or
     * seqpacket AF_UNIX sockets without a named peer (what Node, sshd and inetd-like supervisors
     * give): nothing more can be had from it than what the caller meant. */
    CF_DESCRIPTOR_HARMLESS,
    CF_DESCRIPTOR_FILE,  /* regular: can be opened again for writing, truncated, read from 0 */
    CF_DESCRIPTOR_BLOCK, /* a disk: the same */
    /* Harm that a pipe in between takes away: a connection to a named server (an authority, but
     * also journald's stdout socket), a datagram or unconnected socket, which reaches any
     * abstract name of the host, an internet socket, which can be connected anew to anywhere on
     * the host's network, any other device, anything opened with O_PATH. */
    CF_DESCRIPTOR_POWERFUL,
    CF_DESCRIPTOR_FOLDER, /* a way into the host's tree */
};

/*
 * Looks at fd, which may be closed. *kind is set; `what`, a buffer of `size` bytes, names the
 * descriptor's target for messages ("socket connected to /run/docker.sock"). -1 with *err filled
 * only when the descriptor could not be looked at.
 */
int cf_descriptor_look(int fd, enum cf_descriptor_kind *kind, char *what, size_t size,
                       struct cf_error *err);

#endif
