/* What signals do in a program that is about to be executed. */
#ifndef CF_BASE_DISPOSITIONS_H
#define CF_BASE_DISPOSITIONS_H

/*
 * Gives every signal its default action and unblocks all: what is ignored or blocked would
 * outlive execve(2). Async-signal-safe, for a forked child.
 */
void cf_dispositions_reset(void);

#endif
