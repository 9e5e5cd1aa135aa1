/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detach.h"

#include "agents.h"
#include <exectrace/base/clock.h>
#include <exectrace/record/seccomp/untraced.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/detour.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <exectrace/target/tracee/wait.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

#define PATIENCE_NS NS_PER_S

/* In the middle of a call there is no way back: a thread with an agent goes on to the end of it, or until it waits. */
static bool goes_on(const struct thread *thread, const struct wait_event *wait)
{
	struct syscall_stop stop;
	bool within = wait->kind == WAIT_EVENT && wait->event != PTRACE_EVENT_EXIT;

	if (!thread || !thread->inside)
		return false;
	if (wait->kind == WAIT_SYSCALL)
		within = tracee_syscall(wait->pid, &stop) == 0 && stop.op == SYSCALL_STOP_ENTRY;
	return within && tracee_to_syscall(wait->pid, 0) == 0 && tracee_interrupt(wait->pid) == 0;
}

/* Let go, it would get a signal that is the agent's; in its stop for that it can be let go. */
static bool has_ours(const struct thread *thread, const struct wait_event *wait)
{
	return thread && wait->kind != WAIT_SIGNAL && wait->kind != WAIT_EXIT && inside_owes_signal(thread->inside) &&
	       tracee_cont(wait->pid, 0) == 0;
}

/* It is stopped at the end of a call that we have changed. */
static void end_call(struct thread *thread)
{
	struct syscall_stop stop;

	if (tracee_syscall(thread->tid, &stop) || stop.op != SYSCALL_STOP_EXIT)
		return;
	thread->result = (struct syscall_result){stop.value, stop.error};
	untraced_restore(thread);
	inside_at_end(thread->inside, stop.value);
	(void)tamper_leave(thread);
}

static struct thread *known(struct stops *s, const struct wait_event *wait)
{
	struct thread *thread = threads_find(&s->threads, wait->pid);

	/* One that was made meanwhile has what its maker has. */
	return thread || wait->kind == WAIT_EXIT ? thread
	                                         : stops_begin(s, wait->pid, threads_group_of(wait->pid), NULL);
}

/* It is let go of, or will be at our end. While it is stopped sinks may look at it. */
static void tell(struct stops *s, struct thread *thread)
{
	struct call_event event = {.type = CALL_LET_GO, .thread = thread};

	if (thread)
		stops_emit_at(s, &event, clock_now());
}

/* One that is parked (target/tracee/park.h) has made none: an interruption is what it waits for. */
static void resume_call(const struct thread *thread)
{
	if (thread && thread->in_call)
		detour_resume_call(thread->tid);
}

static void forget(struct stops *s, struct thread *thread)
{
	tell(s, thread);
	threads_remove(&s->threads, thread);
}

void detach_forget(struct stops *s)
{
	for (size_t i = 0; i < THREADS_BUCKETS; i++)
		while (s->threads.bucket[i])
			forget(s, s->threads.bucket[i]);
}

static void let_one_go(struct stops *s, const struct wait_event *wait)
{
	struct thread *thread = known(s, wait);

	if (goes_on(thread, wait) || has_ours(thread, wait))
		return;
	if (wait->kind != WAIT_EXIT) {
		bool ours = thread && wait->kind == WAIT_SIGNAL && agents_signal(thread, wait->sig);

		if (thread && wait->kind == WAIT_SYSCALL)
			end_call(thread);
		if (thread && wait->kind != WAIT_EVENT)
			inside_leave(thread->inside, wait->kind == WAIT_SIGNAL && !ours);
		(void)restart_exec(wait->pid);
		if (wait->kind == WAIT_SYSCALL || wait->kind == WAIT_INTERRUPT)
			resume_call(thread);
		tell(s, thread);
		(void)tracee_detach(wait->pid, ours ? 0 : wait_signal(wait));
	}
	if (thread)
		threads_remove(&s->threads, thread);
}

bool detach_at_exec(struct stops *s, struct thread *thread)
{
	struct call_event event = {.type = CALL_LET_GO, .thread = thread};
	bool own = s->config->ends && thread->tid == s->config->pid && s->entries <= 1;

	if (!s->config->until_exec || own)
		return false;
	stops_emit(s, &event);
	(void)tracee_detach(thread->tid, 0);
	stops_forget(s, thread);
	return true;
}

/* A leader that ends before its process does not stop any more, and cannot be waited for while other threads are. */
static void forget_ended(struct threads *threads)
{
	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		struct thread *next = NULL;

		for (struct thread *thread = threads->bucket[i]; thread; thread = next) {
			next = thread->next;
			if (proc_has_ended(thread->tid))
				threads_remove(threads, thread);
		}
	}
}

/* --- Threads with an agent: all stop before one is let go, for until then it has to do with all of a program ------ */

/* It stays stopped, unless a call or a signal is in the way. */
static void keep_stopped(struct stops *s, const struct wait_event *wait)
{
	struct thread *thread = known(s, wait);

	if (thread && wait_is_maker(wait))
		stops_child(s, thread);
	if (!thread || !thread->inside || wait->kind == WAIT_EXIT || wait->kind == WAIT_EVENT) {
		let_one_go(s, wait);
	} else if (goes_on(thread, wait) || has_ours(thread, wait)) {
		return;
	} else if (wait->kind == WAIT_SIGNAL) { /* it has its signal, and stops behind it */
		int sig = agents_signal(thread, wait->sig) ? 0 : wait->sig;

		(void)tracee_cont(thread->tid, sig);
		(void)tracee_interrupt(thread->tid);
	} else {
		if (wait->kind == WAIT_SYSCALL)
			end_call(thread);
		thread->leaves = true;
	}
}

/* Where no signal reaches it, as when it waits for a child of vfork(2), it is not waited for. */
static bool stops_soon(const struct thread *thread)
{
	struct proc_status status;

	return !thread->leaves && proc_status(thread->tid, &status) == 0 && !strchr("DZX", status.signals.state);
}

static bool one_stops_soon(const struct threads *threads)
{
	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (const struct thread *thread = threads->bucket[i]; thread; thread = thread->next) {
			if (stops_soon(thread))
				return true;
		}
	}
	return false;
}

static void let_stopped_go(struct stops *s)
{
	struct threads *threads = &s->threads;

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		struct thread *next = NULL;

		for (struct thread *thread = threads->bucket[i]; thread; thread = next) {
			next = thread->next;
			if (!thread->leaves)
				continue;
			inside_leave(thread->inside, false);
			(void)restart_exec(thread->tid);
			resume_call(thread);
			tell(s, thread);
			(void)tracee_detach(thread->tid, 0);
			threads_remove(&s->threads, thread);
		}
	}
}

/* How the next change of a thread is taken. */
typedef void take_fn(struct stops *s, const struct wait_event *wait);

/* Until there is none for a moment, and `more` says that none is to come, or the time is over. */
static void take_all(struct stops *s, take_fn *take, bool (*more)(const struct threads *threads), uint64_t last)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};
	struct wait_event wait;
	int got = 1;

	while (got >= 0 && clock_now() < last) {
		got = wait_next(&wait);
		if (got > 0) {
			take(s, &wait);
		} else if (got == 0) {
			forget_ended(&s->threads);
			if (!more(&s->threads))
				return;
			nanosleep(&moment, NULL);
		}
	}
}

static bool are_there(const struct threads *threads)
{
	return threads->count > 0;
}

void detach_all(struct stops *s)
{
	const uint64_t begin = clock_now();

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (struct thread *thread = s->threads.bucket[i]; thread; thread = thread->next)
			(void)tracee_interrupt(thread->tid);
	}
	if (s->inside && s->threads.count) {
		take_all(s, keep_stopped, one_stops_soon, begin + PATIENCE_NS / 2);
		agents_let_go(s);
		let_stopped_go(s);
	}
	take_all(s, let_one_go, are_there, begin + PATIENCE_NS);
	detach_forget(s);
}
