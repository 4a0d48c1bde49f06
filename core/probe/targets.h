/* A process of outside that attempts aim at: it holds sockets, shared objects and a secret. */
#ifndef CF_PROBE_TARGETS_H
#define CF_PROBE_TARGETS_H

/*
 * Serves until its standard input ends, then takes away all that it made. Orders come as words.h
 * has them, and each is answered by one line, `ok [WORD...]` or `error TEXT`:
 *   listen PROTOCOL TYPE NAME   binds NAME and answers in the protocol (standins.h); TYPE is
 *                               stream, seqpacket or datagram
 *   close NAME                  ends it and takes its name away
 *   replace PROTOCOL TYPE NAME  binds another beside it and renames that over it
 *   tcp                         listens on the loopback; says the port
 *   make KIND LABEL             see shared.h; says what it is called
 *   self                        says its process number and an open descriptor
 * Anybody of the same user may trace it. Returns the exit status.
 */
int cf_targets_serve(void);

#endif
