/* Namespaces in which a caller without rights may mount: stands for a host that mounts things. */
#ifndef CF_PROBE_APART_H
#define CF_PROBE_APART_H

/*
 * Runs a command in a user and mount namespace of its own, in which `folder`/first also stands
 * at `folder`/second, and a file system at `folder`/own, from the start. Once `folder`/meet/go is
 * there, a file system that holds a file is mounted at `folder`/later, the attempts of
 * `folder`/controls are made (series.h, report `folder`/found), and `folder`/meet/done appears.
 * All mounts end with the processes in it.
 * Returns the command's exit status, or 125 with a message on stderr.
 */
int cf_apart_run(const char *folder, char **command);

#endif
