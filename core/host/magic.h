/* The links of /proc that the kernel resolves by object and not by their text. */
#ifndef CF_HOST_MAGIC_H
#define CF_HOST_MAGIC_H

/*
 * Whether the link `name` in the open folder may be followed by its text. 0 for any ordinary
 * link, and for one of /proc/PID/{cwd,exe,root,fd/N} whose text names, in this mount view, the
 * very object that the link stands for; else an errno, EXDEV when the two differ.
 */
int cf_magic_check(int folder, const char *name, const char *text);

#endif
