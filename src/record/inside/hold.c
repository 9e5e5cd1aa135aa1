/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text is written over while no other thread of the program can execute it: not with a trap that stands meanwhile,
 * which would be left behind when the tracer is killed just then, and the program would die of it. Threads in the agent
 * stay there, and those in a call without it stop at its end; neither notices anything. Only those that compute are
 * made to stop: a call that waits, as epoll_wait(2), would end with EINTR.
 */
#include "private.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/process/waiting.h>
#include <limits.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAIT_NS 20000000 /* for a thread to stop */
#define AFTER 16         /* calls that are caught, until it is tried again */

bool hold_is_stopped(pid_t tid)
{
	struct proc_status status;

	return proc_status(tid, &status) || status.signals.state == 't' || status.signals.state == 'T' ||
	       proc_status_ended(&status);
}

/* Its stop is waited for, and answered, as any other (stops.c). */
static bool is_made_to_stop(pid_t tid)
{
	uint64_t end = clock_now() + WAIT_NS;

	if (hold_is_stopped(tid))
		return true;
	if (tracee_interrupt(tid))
		return false;
	while (!hold_is_stopped(tid)) {
		if (clock_now() > end)
			return false;
		sched_yield();
	}
	return true;
}

/* Without the agent it stops at the end of the call that it sleeps in. */
static bool is_in_call(pid_t tid)
{
	uint64_t pc;
	long nr;

	return hold_is_stopped(tid) || (proc_syscall(tid, &nr, &pc) == 0 && nr >= 0);
}

static bool is_held(const struct inside_thread *thread)
{
	if (!thread->on)
		return is_in_call(thread->tid);
	if (thread->stops || __atomic_load_n(&data_area(thread->space->data, thread->area)->inside, __ATOMIC_SEQ_CST))
		return true;
	return is_made_to_stop(thread->tid);
}

bool hold_begin(const struct inside_thread *thread)
{
	struct space *space = thread->space;

	if (space->refs == 1)
		return true;
	if (space->unheld) {
		space->unheld--;
		return false;
	}
	__atomic_store_n(&data_control(space->data)->hold, 1, __ATOMIC_SEQ_CST);
	for (const struct inside_thread *t = thread->inside->threads; t; t = t->next) {
		if (t == thread || t->space != space || is_held(t))
			continue;
		hold_end(thread);
		space->unheld = AFTER;
		return false;
	}
	return true;
}

void hold_stop_others(const struct inside_thread *thread)
{
	for (const struct inside_thread *t = thread->inside->threads; t; t = t->next) {
		if (t != thread && t->space == thread->space && t->on)
			(void)is_made_to_stop(t->tid);
	}
}

void hold_end(const struct inside_thread *thread)
{
	struct control *control = data_control(thread->space->data);

	if (!__atomic_exchange_n(&control->hold, 0, __ATOMIC_SEQ_CST))
		return;
	(void)syscall(SYS_futex, &control->hold, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
