/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the takeover attaches to the threads that it knows, also where one executes a program. */
#ifndef EXECTRACE_SRC_RECORD_SECCOMP_SEIZE_TIMEOUT_H
#define EXECTRACE_SRC_RECORD_SECCOMP_SEIZE_TIMEOUT_H

#include "takeover.h"

/* The slot of a thread; -1: it has none. */
int seize_timeout_slot(const struct guard_takeover *takeover, pid_t tid);

/* Lets a thread run on one processor only; 0: the calling one. 0 or -errno. */
int seize_timeout_confine(pid_t tid, int cpu);

/* True when there is nothing to wait for: it has ended, is ours as the child of one of ours, or has another tracer. */
bool seize_timeout_is_settled(const struct guard_takeover *takeover, pid_t tid);

/*
 * Attaches to those that it can be. ask: finds out whether there is still something to wait for. The number of those
 * that still have the old tracer.
 */
int seize_timeout_some(struct guard_takeover *takeover, bool ask);

#endif
