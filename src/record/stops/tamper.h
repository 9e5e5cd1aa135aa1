/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does to a stopped thread's call what injections.h says; and threads that wait for that. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_TAMPER_H
#define EXECTRACE_SRC_RECORD_STOPS_TAMPER_H

#include <exectrace/record/calls/call.h>

/* Stopped threads that are to run on later; plain zeroes are none. */
struct delays {
	struct delay *items;
	size_t n, cap;
};

/* At the entry, before the sink knows of it: writes what is to be behind the arguments. */
void tamper_begin(struct thread *thread);

/* At the entry, of which the sink knows. ns that the thread is to wait there; 0: none. */
uint64_t tamper_enter(struct thread *thread);

/* It is stopped at a signal, of which SIGINFO_BYTES are in info: one of ours is made to come from the kernel. */
void tamper_signal(struct thread *thread, int sig, void *info);

/* At the end, with its result in thread->result, before the sink knows of it. ns that the thread is to wait there; 0:
 * none. */
uint64_t tamper_leave(struct thread *thread);

/* A thread waits where it stands. False: no memory, it has to run on. */
bool delays_add(struct delays *delays, pid_t tid, uint64_t ns);

/* The number of a thread whose time has come, which is taken off; 0: there is none. */
pid_t delays_next(struct delays *delays);

/* It has run on, or ended. */
void delays_drop(struct delays *delays, pid_t tid);

/* When the next one is to run on; clock_now(), 0: there is none. */
uint64_t delays_due(const struct delays *delays);

void delays_release(struct delays *delays);

#endif
