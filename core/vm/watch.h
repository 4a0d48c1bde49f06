/* Runs a call that may never end: a timer cuts it off wherever it is. */
#ifndef CF_VM_WATCH_H
#define CF_VM_WATCH_H

#include "base/error.h"

/*
 * Calls call(context) and returns 0 when it came back, 1 when it had used `seconds` of processor
 * time (more than 0) and was abandoned by siglongjmp, -1 when the timer could not be had and
 * nothing was called. Processor time, because a loaded machine must not fail a sound policy, and
 * a call that neither sleeps nor waits has no other way to last.
 *
 * What an abandoned call held is lost: it must not allocate outside memory that is thrown away
 * with it, take locks, or open descriptors. For its duration the C locale is in force, so that
 * neither number formatting nor string comparison allocates. Uses SIGVTALRM, whose handler and
 * mask are put back. One call at a time in a process.
 */
int cf_watch_call(void (*call)(void *context), void *context, double seconds,
                  struct cf_error *err);

#endif
