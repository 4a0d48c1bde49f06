/* Giving memory back in a child that goes on without what its parent had allocated. */
#ifndef CF_BASE_HEAP_H
#define CF_BASE_HEAP_H

/*
 * Frees the pages of the heap, whose content is lost. For a forked child that will neither
 * allocate nor look up anything there any more: otherwise it keeps alone what the parent, going
 * on, frees and overwrites. Only async-signal-safe calls. Does nothing where there is no heap.
 */
void cf_heap_drop(void);

#endif
