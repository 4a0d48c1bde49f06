/* From a libseccomp filter to the program that bwrap reads: the export, and one check before it. */
#ifndef CF_GUARD_BPF_H
#define CF_GUARD_BPF_H

#include <seccomp.h>

#include "base/error.h"

/*
 * The filter, for the native architecture, as a program in an owned, sealed memfd. In front of it
 * stands a check that libseccomp has no word for: a native system call whose number is above
 * `newest` answers ENOSYS, as on a kernel that does not have it. That covers x32, whose numbers
 * have bit 30 set. -1 with *err filled.
 */
int cf_bpf_export(scmp_filter_ctx filter, unsigned newest, struct cf_error *err);

#endif
