/* What uid 0 may do in /proc without any capability that an ordinary user may not. */
#ifndef CF_GUARD_PROC_H
#define CF_GUARD_PROC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* File permissions are all that guards many entries, and uid 0 owns them: dropping capabilities
 * takes nothing away there, and a fresh procfs has the same entries. */
struct cf_proc_entry {
    char path[120];
    bool is_folder;
    bool is_writable; /* itself, or something below it: to be covered read-only */
    bool is_private;  /* readable only by its owner: to be hidden */
};

#define CF_PROC_ENTRIES_MAX 256

struct cf_proc_entries {
    size_t len;
    struct cf_proc_entry items[CF_PROC_ENTRIES_MAX];
};

/*
 * Finds them by asking the kernel for access (nothing is opened) with the caller's ids and no
 * capability, in a child. Writable: by the entry right below /proc ("/proc/sys", "/proc/irq",
 * "/proc/sysrq-trigger"); private, when wanted: by their own path, /proc/sys left out. Processes' own folders
 * and what everybody may write are not looked at. Empty for other users than uid 0; sorted by path.
 * -1 with ENOSPC for more entries than fit, or when /proc cannot be walked.
 */
int cf_proc_exposed(bool with_private, struct cf_proc_entries *entries, struct cf_error *err);

#endif
