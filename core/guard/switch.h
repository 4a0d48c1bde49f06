/* Whether a guard is in force: always, except in the build that tests what a guard is worth. */
#ifndef CF_GUARD_SWITCH_H
#define CF_GUARD_SWITCH_H

#include <stdbool.h>

/*
 * False only in a build with -DCF_TEST_GUARDS, and there only for a name that stands in the
 * comma-separated list of the environment's CONFINE_TEST_WITHOUT; any other build does not look
 * at the environment. The guards of this room are session_keyring, rlimits, landlock, stdin,
 * seccomp, cgroup and proc; launch has descriptors; of a plan (pipeline/in_force.lua) there are
 * shadows, protect, private, proc, network, ipc, processes, session, capabilities and, in
 * doors/run.lua, environment.
 */
bool cf_guard_is_on(const char *name);

#endif
