/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/stops/stops.h>

#include "agents.h"
#include "call_stops.h"
#include "detach.h"
#include "forbidden.h"
#include "idle.h"
#include "polling.h"
#include "source.h"
#include "usage_stops.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/record/calls/thread_parent.h>
#include <exectrace/record/calls/threads.h>
#include <exectrace/record/seccomp/guard.h>
#include <exectrace/record/seccomp/seccomp_filter.h>
#include <exectrace/record/seccomp/untraced.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/affinity.h>
#include <exectrace/target/tracee/detour.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <exectrace/target/tracee/wait.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BATCH 2048 /* stops that are looked at in a row, one a thread */

struct thread *stops_begin(struct stops *s, pid_t tid, pid_t tgid, const struct thread *maker)
{
	struct thread *thread = threads_add(&s->threads, tid);
	struct call_event event = {.type = CALL_BEGIN, .thread = thread};

	if (!thread)
		return NULL;
	thread->tgid = tgid ? tgid : tid;
	thread->attached = s->attaching;
	thread_parent_find(&s->threads, thread, maker);
	if (!maker)
		maker = threads_find(&s->threads, thread->parent);
	untraced_inherit(thread, maker);
	agents_add(s, thread, maker);
	thread->hidden = !s->config->follow && !stops_asked_for(s->config, tid, thread->tgid);
	seccomp_filter_add(&s->filter, thread, maker);
	s->shown += !thread->hidden;
	stops_emit(s, &event);
	return thread;
}

void stops_forget(struct stops *s, struct thread *thread)
{
	s->shown -= !thread->hidden;
	delays_drop(&s->delays, thread->tid);
	seccomp_filter_remove(&s->filter, thread);
	threads_remove(&s->threads, thread);
}

static void end(struct stops *s, struct thread *thread, int status)
{
	struct call_event event = {.type = CALL_END, .thread = thread, .status = status};

	if (thread->tid == thread->tgid)
		handshake_ended(&s->filter.handshake, thread->tgid, status);
	if (s->config->usage)
		event.usage = usage_stops_end(&s->threads, thread, status);
	stops_emit(s, &event);
	stops_forget(s, thread);
}

static void on_signal(struct stops *s, struct thread *thread, int sig)
{
	_Alignas(siginfo_t) unsigned char info[SIGINFO_BYTES];
	struct call_event event = {.type = CALL_SIGNAL, .thread = thread, .sig = sig};

	event.info = tracee_siginfo(thread->tid, info) == 0 ? info : NULL;
	if (event.info)
		tamper_signal(thread, sig, info);
	stops_emit(s, &event);
	(void)restart_exec(thread->tid);
}

/* The threads of a process are gone, but the one that executes; it has the number of the first now. */
static void replace(struct stops *s, struct thread **thread, pid_t former)
{
	struct call_event event = {.type = CALL_TAKEN, .thread = *thread};
	struct thread *other = threads_find(&s->threads, former);
	pid_t pid = (*thread)->tid;
	bool hidden = (*thread)->hidden;

	if (!other)
		return;
	event.other = other->tid;
	stops_emit(s, &event);
	usage_stops_replace(other, *thread);
	stops_forget(s, *thread);
	threads_rename(&s->threads, other, pid);
	if (other->inside)
		inside_rename(other->inside, pid);
	other->call.tid = pid;
	if (other->hidden && !hidden)
		s->shown++;
	other->hidden = hidden;
	seccomp_filter_remove(&s->filter, other);
	seccomp_filter_add(&s->filter, other, other);
	*thread = other;
}

static void on_exec(struct stops *s, struct thread **thread)
{
	struct call_event event = {.type = CALL_EXEC, .other = (*thread)->tid};
	unsigned long former = 0;

	if (tracee_event_msg((*thread)->tid, &former) == 0 && former && (pid_t)former != (*thread)->tid) {
		event.other = (pid_t)former;
		replace(s, thread, (pid_t)former);
	}
	event.thread = *thread;
	(*thread)->exec_due = false;
	if ((*thread)->inside)
		inside_exec((*thread)->inside);
	stops_emit(s, &event);
}

void stops_child(struct stops *s, struct thread *maker)
{
	unsigned long child = 0;

	if (tracee_event_msg(maker->tid, &child) == 0 && child && !threads_find(&s->threads, (pid_t)child) &&
	    proc_tracer((pid_t)child) == (pid_t)syscall(SYS_gettid))
		(void)stops_begin(s, (pid_t)child, threads_group_of((pid_t)child), maker);
	untraced_restore(maker);
	seccomp_filter_forked(&s->filter, maker);
}

static void on_leaving(struct stops *s, struct thread *thread)
{
	struct call_event event = {.type = CALL_LEAVES, .thread = thread};

	forbidden_tell(s, thread);
	if (s->config->usage)
		usage_stops_take(&s->threads, thread);
	if (s->config->leaving)
		stops_emit(s, &event);
}

/* *thread: what it is from then on; NULL: it was let go of. */
static void on_event(struct stops *s, struct thread **thread, const struct wait_event *wait)
{
	if (wait->event == PTRACE_EVENT_EXEC) {
		on_exec(s, thread);
		if (detach_at_exec(s, *thread))
			*thread = NULL;
	} else if (wait->event == PTRACE_EVENT_SECCOMP)
		call_stops_take(s, *thread);
	else if (wait_is_maker(wait))
		stops_child(s, *thread);
	else if (wait->event == PTRACE_EVENT_EXIT)
		on_leaving(s, *thread);
}

/* Lets a thread run to its next stop. */
static void resume(struct stops *s, struct thread *thread, int sig)
{
	if (inside_is_gone(thread->inside))
		return;
	if (inside_runs(thread->inside))
		(void)tracee_cont(thread->tid, sig);
	else if (seccomp_filter_stops_at_all(&s->filter, thread) || thread->untraced)
		(void)tracee_to_syscall(thread->tid, sig);
	else
		(void)tracee_cont(thread->tid, sig);
}

/* Children that had begun without it would stop at every call while it does not. False: the thread has ended. */
static bool give_filter(struct stops *s, struct thread *thread, bool outside)
{
	int status;

	if (s->threads.count > 1)
		seccomp_filter_too_late(&s->filter);
	if (!seccomp_filter_try(&s->filter, &s->affinity, thread, outside, &status))
		return true;
	end(s, thread, status);
	return false;
}

/* Looks at a stop and lets the thread run on. */
static void on_stop(struct stops *s, struct thread *thread, const struct wait_event *wait)
{
	struct call_event event = {.type = CALL_STOP, .thread = thread, .sig = wait->sig};

	switch (wait->kind) {
	case WAIT_SYSCALL:
		call_stops_take(s, thread);
		if (!give_filter(s, thread, false))
			return;
		break;
	case WAIT_SIGNAL:
		if (agents_signal(thread, wait->sig)) {
			resume(s, thread, 0);
			return;
		}
		on_signal(s, thread, wait->sig);
		break;
	case WAIT_GROUP_STOP:
		stops_emit(s, &event);
		(void)tracee_listen(thread->tid);
		return;
	case WAIT_EVENT:
		on_event(s, &thread, wait);
		break;
	default: /* it was asked to stop, or is new */
		if (!thread->in_call)
			untraced_restore(thread);
		seccomp_filter_asked(thread);
		agents_start(thread);
		if (thread->attached && s->config->below) /* that is by hand: no action's, which may be parked */
			detour_resume_call(thread->tid);
		call_stops_interrupted(s, thread);
		if (!give_filter(s, thread, true))
			return;
		break;
	}
	if (thread && !thread->delayed)
		resume(s, thread, wait_signal(wait));
}

/* Those that have waited long enough where they stand. */
static void run_delayed(struct stops *s)
{
	struct thread *thread;

	for (pid_t tid = delays_next(&s->delays); tid; tid = delays_next(&s->delays)) {
		thread = threads_find(&s->threads, tid);
		if (!thread)
			continue;
		thread->delayed = false;
		resume(s, thread, 0);
	}
}

static void on_wait(struct stops *s, const struct wait_event *wait)
{
	struct thread *thread = threads_find(&s->threads, wait->pid);

	if (s->filter.guard && guard_is(s->filter.guard, wait->pid))
		return;
	affinity_stop(&s->affinity, wait->pid);
	if (!thread && wait->kind != WAIT_EXIT)
		thread = stops_begin(s, wait->pid, threads_group_of(wait->pid), NULL); /* before its parent's event */
	if (wait->kind != WAIT_EXIT && (!thread || thread->hidden)) {
		/* No memory, or it is not to be followed. */
		if (thread) {
			untraced_restore(thread);
			agents_start(thread);
		}
		(void)tracee_detach(wait->pid, wait_signal(wait));
		if (thread)
			stops_forget(s, thread);
		return;
	}
	if (!thread)
		return;
	if (wait->kind == WAIT_EXIT)
		end(s, thread, wait->status);
	else
		on_stop(s, thread, wait);
}

/* Those with a filter stay attached: the guard takes them when this process ends. */
static void hand_over(struct stops *s)
{
	seccomp_filter_end(&s->filter, s->threads.count > 0);
	detach_forget(s);
}

/* Waits for a stop and takes all others that are there. */
static int wait_all(struct stops *s, struct wait_event *batch, size_t *n)
{
	bool inside = s->inside && inside_count(s->inside);
	int err = 0;

	affinity_follow(&s->affinity, !s->polling.on && !inside);
	if (inside)
		return agents_wait(s, batch, BATCH, n);
	err = polling_wait(&s->polling, s->filter.handshake.on ? handshake_wait : wait_any, &batch[0]);
	*n = err ? 0 : s->threads.count > 1 ? wait_more(batch, 1, BATCH) : 1;
	polling_stops(&s->polling, *n);
	return err;
}

/* What one run is given. */
struct run {
	const struct stops_config *config;
	struct call_sink *sink;
	const volatile sig_atomic_t *stop;
	struct stops_why *why;
};

static int run_here(void *user)
{
	const struct run *run = user;
	struct stops s = {.config = run->config, .sink = run->sink, .why = run->why};
	struct wait_event batch[BATCH];
	size_t n = 0;
	int err;

	agents_begin(&s);
	err = stops_attach(&s, run->stop);
	while (!err && !s.error && !*run->stop && s.shown) {
		idle_arm(&s.idle, s.sink, delays_due(&s.delays));
		err = wait_all(&s, batch, &n);
		for (size_t i = 0; i < n; i++)
			on_wait(&s, &batch[i]);
		seccomp_filter_hear(&s.filter, &s.threads, !err);
		if (err == -EINTR)
			stops_fail(&s, idle_over(&s.idle, s.sink));
		run_delayed(&s);
		if (err == -EINTR || err == -EAGAIN)
			err = 0;
	}
	run->why->all = s.filter.why;
	run->why->refused = s.refused;
	agents_end(&s, run->why);
	if (s.filter.guard)
		hand_over(&s);
	else
		detach_all(&s);
	inside_free(s.inside);
	delays_release(&s.delays);
	return s.error ? s.error : err == -ECHILD ? 0 : err;
}

int stops_run(const struct stops_config *config, struct call_sink *sink, const volatile sig_atomic_t *stop,
              struct stops_why *why)
{
	struct run run = {config, sink, stop, why};

	return agents_possible(config) ? inside_run(run_here, &run) : run_here(&run);
}
