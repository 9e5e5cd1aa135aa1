/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call that a seccomp filter does not forgive ends its process before any other filter is asked (seccomp(2),
 * SECCOMP_RET_KILL_PROCESS): where only wanted calls stop, it is not seen. Where the process is about to end, its
 * registers still tell.
 */
#ifndef EXECTRACE_SRC_RECORD_STOPS_FORBIDDEN_H
#define EXECTRACE_SRC_RECORD_STOPS_FORBIDDEN_H

#include "source.h"

/* A thread is stopped before its end (PTRACE_EVENT_EXIT): the sink gets the entry of the call that it ends for,
 * whatever calls were asked for. */
void forbidden_tell(struct stops *s, struct thread *thread);

#endif
