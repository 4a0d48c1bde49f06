/* Finds the heap in /proc/self/maps, since only the C library knows where its break began. */
#include "base/heap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fds.h"

void cf_heap_drop(void)
{
    char maps[8192];
    cf_autoclose int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, maps, sizeof maps - 1);
    maps[length > 0 ? length : 0] = '\0';
    char *line = strstr(maps, "[heap]");
    while (line != NULL && line > maps && line[-1] != '\n')
        line--;
    char *dash = NULL;
    unsigned long start = line != NULL ? strtoul(line, &dash, 16) : 0;
    if (dash != NULL && *dash == '-')
        madvise((void *)start, strtoul(dash + 1, NULL, 16) - start, MADV_DONTNEED);
}
