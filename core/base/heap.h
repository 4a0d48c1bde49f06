/* Giving memory back in a child that goes on without what its parent had allocated. */
#ifndef CF_BASE_HEAP_H
#define CF_BASE_HEAP_H

#include <stddef.h>

/* Names the mapping that holds most of what this process allocates. One for each process. */
void cf_heap_name(void *start, size_t size);

/*
 * Frees the pages of the named mapping, whose content is lost. For a forked child that will look
 * up nothing there any more: otherwise it keeps alone what the parent, going on, frees and
 * overwrites. Async-signal-safe. Does nothing where no mapping was named.
 */
void cf_heap_drop(void);

#endif
