/* One mapping of the process: the program's Lua state lives in it. */
#include "base/heap.h"

#include <sys/mman.h>

static void *heap;
static size_t heap_size;

void cf_heap_name(void *start, size_t size)
{
    heap = start;
    heap_size = size;
}

void cf_heap_drop(void)
{
    if (heap != NULL)
        madvise(heap, heap_size, MADV_DONTNEED);
}
