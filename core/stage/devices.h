/* /dev as a command needs it: the harmless devices, a devpts of its own, and what was granted. */
#ifndef CF_STAGE_DEVICES_H
#define CF_STAGE_DEVICES_H

#include "stage/state.h"

/*
 * Puts a folder of its own over the host's /dev, with what `--dev` of bwrap(1) has: null, zero,
 * full, random, urandom and tty of the host, read-only mounts, so that root can change neither
 * their mode nor their times; the links to the standard streams; shm; a new devpts instance; and
 * as console the terminal that the operation names, if any. Once; later calls do nothing.
 */
int cf_dev_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

/* Puts one device of the host into it. Once. */
int cf_device_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
