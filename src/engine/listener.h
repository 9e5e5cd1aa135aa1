/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seccomp listener (seccomp_unotify(2)): the filter, and the three ioctls. The only place that calls them. */
#ifndef EXECTRACE_SRC_ENGINE_LISTENER_H
#define EXECTRACE_SRC_ENGINE_LISTENER_H

#include "shared.h"
#include <stdbool.h>
#include <stdint.h>

/*
 * Installs, in the calling process and all that descend from it, a filter that notifies on execve and execveat of every
 * ABI and on the park call, and allows all else. Sets no_new_privs only when that is the only way (*nnp). The listener
 * or -errno.
 */
int listener_install(bool *nnp);

/* Whether receiver and caller wake each other on the processor they run on. False: they cannot (before Linux 6.6). */
bool listener_sync_wakeup(int listener, bool on);

/* Receives into a free slot. 0; -EINTR; -ENOENT: the caller was gone, or all are (see listener_ended). */
int listener_receive(int listener, struct slot *slot);

/* Lets the call of a slot go on. 0 or -errno (-ENOENT: its caller is gone). */
int listener_continue(int listener, uint64_t id);

/* Ends the call: with a result, or with error (a negative errno value). 0 or -errno. */
int listener_answer(int listener, uint64_t id, int64_t result, int error);

/* True while the caller still waits for this answer. */
bool listener_valid(int listener, uint64_t id);

/* True when no process has the filter any more (POLLHUP, Linux 5.9). */
bool listener_ended(int listener);

#endif
