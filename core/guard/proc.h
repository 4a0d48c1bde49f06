/* What uid 0 may write in /proc without any capability that an ordinary user may not. */
#ifndef CF_GUARD_PROC_H
#define CF_GUARD_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* File permissions are all that guards many entries, and uid 0 owns them: dropping capabilities
 * takes nothing away there, and a fresh procfs has the same entries. */
struct cf_proc_entry {
    char path[120];
    bool is_folder; /* something below it may be written */
};

#define CF_PROC_ENTRIES_MAX 256

struct cf_proc_entries {
    size_t len;
    struct cf_proc_entry items[CF_PROC_ENTRIES_MAX];
};

/*
 * Finds the entries right below /proc ("/proc/sys", "/proc/irq", "/proc/sysrq-trigger") by their
 * permission bits; nothing is opened but folders. That the file system is read-only here says
 * nothing of a fresh procfs, so it is not asked. Processes' own folders and what everybody may
 * write are left out. Empty for other users than uid 0; sorted by path. -1 with ENOSPC for more
 * entries than fit, or when /proc cannot be walked.
 */
int cf_proc_exposed(struct cf_proc_entries *entries, struct cf_error *err);

#endif
