/* Numbered entries of /proc, read with nothing but system calls: also for use after fork. */
#ifndef CF_LAUNCH_NUMBERS_H
#define CF_LAUNCH_NUMBERS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Calls visit(number, context) for each entry of the folder whose name is a number. -1 with
 * errno when the folder cannot be read.
 */
int cf_numbers_each(const char *folder, void (*visit)(int number, void *context),
                    void *context);

/*
 * The children of a process, oldest first where the kernel lists them (CONFIG_PROC_CHILDREN),
 * else by number. Fills at most max and returns how many, 0 when /proc cannot be read.
 */
size_t cf_numbers_children(pid_t parent, pid_t *children, size_t max);

#endif
