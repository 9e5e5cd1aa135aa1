/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/calls/stops.h>

#include "affinity.h"
#include "argument_memory.h"
#include "detach.h"
#include "guard.h"
#include "idle.h"
#include "polling.h"
#include "seccomp_filter.h"
#include "thread_parent.h"
#include "threads.h"
#include "untraced.h"
#include "usage_stops.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/target/process/procfs.h>
#include <exectrace/target/tracee/ptrace.h>
#include <exectrace/target/tracee/restart.h>
#include <exectrace/target/tracee/wait.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

#define BATCH 2048               /* stops that are looked at in a row, one a thread */
#define WALL_NS (10 * NS_PER_MS) /* how long CLOCK_REALTIME is counted on without being read */

struct stops {
	const struct stops_config *config;
	struct call_sink *sink;
	struct threads threads;
	size_t shown;   /* of those, not hidden */
	unsigned flags; /* that threads are attached with */
	struct seccomp_filter filter;
	struct affinity affinity;
	struct polling polling;
	uint64_t wall_read; /* CLOCK_MONOTONIC when CLOCK_REALTIME was last read */
	uint64_t wall_less; /* what the former is behind the latter */
	struct idle idle;
	int error; /* the sink's */
};

static void fail(struct stops *s, int err)
{
	if (err && !s->error)
		s->error = err;
}

static void emit(struct stops *s, struct call_event *event)
{
	if (event->thread->hidden)
		return;
	event->now = clock_now();
	if (event->now - s->wall_read > WALL_NS) {
		s->wall_read = event->now;
		s->wall_less = clock_wall() - event->now;
	}
	event->wall = event->now + s->wall_less;
	if (event->type == CALL_ENTER) {
		event->thread->enter = event->now;
		event->thread->wall = event->wall;
	}
	if (s->config->memory)
		fail(s, argument_memory_take(event, s->config->string_max));
	fail(s, s->sink->event(s->sink, event));
}

static struct thread *begin(struct stops *s, pid_t tid, pid_t tgid, const struct thread *maker)
{
	struct thread *thread = threads_add(&s->threads, tid);
	struct call_event event = {.type = CALL_BEGIN, .thread = thread};

	if (!thread)
		return NULL;
	thread->tgid = tgid ? tgid : tid;
	thread_parent_find(&s->threads, thread, maker);
	if (!maker)
		maker = threads_find(&s->threads, thread->parent);
	untraced_inherit(thread, maker);
	thread->hidden = !s->config->follow && tid != s->config->pid;
	seccomp_filter_add(&s->filter, thread, maker);
	s->shown += !thread->hidden;
	emit(s, &event);
	return thread;
}

static void forget(struct stops *s, struct thread *thread)
{
	s->shown -= !thread->hidden;
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
	emit(s, &event);
	forget(s, thread);
}

static void enter(struct stops *s, struct thread *thread, const struct syscall_stop *stop)
{
	struct call_event event = {.type = CALL_ENTER, .thread = thread};
	struct syscall_call *call = &thread->call;

	call->arch = arch_by_call(stop->audit, (uint32_t)stop->nr);
	call->nr = (uint32_t)stop->nr;
	memcpy(call->args, stop->args, sizeof(call->args));
	call->sp = stop->sp;
	call->tid = thread->tid;
	thread->in_call = true;
	thread->exec_due &= !(call->arch && arch_is_exec(call->arch, call->nr));
	thread->wanted = !thread->hidden && call->arch &&
	                 (!s->config->filter || syscall_filter_has(s->config->filter, call->arch, call->nr));
	seccomp_filter_entered(&s->filter, thread);
	if (thread->wanted)
		emit(s, &event);
	if (s->config->follow || s->filter.guard)
		untraced_clear(thread);
}

static void leave(struct stops *s, struct thread *thread, const struct syscall_stop *stop)
{
	struct call_event event = {.type = CALL_EXIT, .thread = thread};

	thread->result = (struct syscall_result){stop->value, stop->error};
	untraced_restore(thread);
	if (thread->in_call && !stop->error)
		seccomp_filter_left(&s->filter, &s->threads, thread);
	/* The end of a call whose entry was not seen: of the one in which it was attached to. */
	if (thread->in_call && thread->wanted)
		emit(s, &event);
	thread->in_call = false;
}

static void on_syscall(struct stops *s, struct thread *thread)
{
	struct syscall_stop stop;

	if (tracee_syscall(thread->tid, &stop) || seccomp_filter_ignores(&s->filter, thread, &stop))
		return;
	if (stop.op == SYSCALL_STOP_ENTRY || stop.op == SYSCALL_STOP_SECCOMP)
		enter(s, thread, &stop);
	else if (stop.op == SYSCALL_STOP_EXIT)
		leave(s, thread, &stop);
}

static void on_signal(struct stops *s, struct thread *thread, int sig)
{
	unsigned char info[SIGINFO_BYTES];
	struct call_event event = {.type = CALL_SIGNAL, .thread = thread, .sig = sig};

	event.info = tracee_siginfo(thread->tid, info) == 0 ? info : NULL;
	emit(s, &event);
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
	emit(s, &event);
	usage_stops_replace(other, *thread);
	forget(s, *thread);
	threads_rename(&s->threads, other, pid);
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
	emit(s, &event);
}

/* A child that its parent's event tells of; it may have been seen before, and have ended. */
static void on_child(struct stops *s, struct thread *thread)
{
	unsigned long child = 0;

	if (tracee_event_msg(thread->tid, &child) == 0 && child && !threads_find(&s->threads, (pid_t)child) &&
	    proc_tracer((pid_t)child) == getpid())
		(void)begin(s, (pid_t)child, threads_group_of((pid_t)child), thread);
	untraced_restore(thread);
	seccomp_filter_forked(&s->filter, thread);
}

static void on_event(struct stops *s, struct thread **thread, int event)
{
	if (event == PTRACE_EVENT_EXEC)
		on_exec(s, thread);
	else if (event == PTRACE_EVENT_SECCOMP)
		on_syscall(s, *thread);
	else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
		on_child(s, *thread);
	else if (event == PTRACE_EVENT_EXIT)
		usage_stops_take(&s->threads, *thread);
}

/* Lets a thread run to its next stop. */
static void resume(struct stops *s, struct thread *thread, int sig)
{
	if (seccomp_filter_stops_at_all(&s->filter, thread) || thread->untraced)
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
		on_syscall(s, thread);
		if (!give_filter(s, thread, false))
			return;
		break;
	case WAIT_SIGNAL:
		on_signal(s, thread, wait->sig);
		break;
	case WAIT_GROUP_STOP:
		emit(s, &event);
		(void)tracee_listen(thread->tid);
		return;
	case WAIT_EVENT:
		on_event(s, &thread, wait->event);
		break;
	default: /* it was asked to stop, or is new */
		if (!thread->in_call)
			untraced_restore(thread);
		seccomp_filter_asked(thread);
		if (!give_filter(s, thread, true))
			return;
		break;
	}
	resume(s, thread, wait_signal(wait));
}

static void on_wait(struct stops *s, const struct wait_event *wait)
{
	struct thread *thread = threads_find(&s->threads, wait->pid);

	if (s->filter.guard && guard_is(s->filter.guard, wait->pid))
		return;
	affinity_stop(&s->affinity, wait->pid);
	if (!thread && wait->kind != WAIT_EXIT)
		thread = begin(s, wait->pid, threads_group_of(wait->pid), NULL); /* before its parent's event */
	if (wait->kind != WAIT_EXIT && (!thread || (thread->hidden && !s->filter.guard))) {
		/* No memory, or it is not to be followed and does not need us. */
		(void)tracee_detach(wait->pid, wait_signal(wait));
		if (thread)
			forget(s, thread);
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
	threads_clear(&s->threads);
}

/* Attaches to a thread that is not known yet; one that ends meanwhile is none. */
static int attach_thread(void *user, pid_t tid)
{
	struct stops *s = user;

	if (threads_find(&s->threads, tid) || tracee_seize(tid, s->flags))
		return 0;
	(void)tracee_interrupt(tid);
	return begin(s, tid, s->config->pid, NULL) ? 0 : -ENOMEM;
}

/*
 * A process that has threads gets no filter: the call for it is put where the first thread stands, in code that the
 * others run. Threads that are not attached yet may make others, hence until none is new.
 */
static int attach_others(struct stops *s)
{
	struct proc_stat stat;
	size_t known = 0;
	int err = proc_stat(s->config->pid, &stat);

	if (err || stat.threads < 2)
		return 0;
	seccomp_filter_too_late(&s->filter);
	usage_stops_late(&s->threads, s->config->pid);
	while (!err && s->config->follow && s->threads.count > known) {
		known = s->threads.count;
		err = proc_threads(s->config->pid, attach_thread, s);
	}
	return err;
}

static int attach(struct stops *s)
{
	const struct stops_config *config = s->config;
	int err = 0;

	s->flags = SEIZE_EXEC | (config->follow ? SEIZE_FORKS : 0) | (config->usage ? SEIZE_EXIT : 0);
	seccomp_filter_init(&s->filter, config->filter, config->execs, config->ends);
	if (s->filter.possible)
		s->flags |= SEIZE_FORKS | SEIZE_SECCOMP;
	err = tracee_seize(config->pid, s->flags);
	if (err)
		return err;
	affinity_init(&s->affinity, config->pid);
	polling_init(&s->polling, affinity_processors(&s->affinity), clock_now(), clock_worked());
	err = tracee_interrupt(config->pid);
	if (!err && !begin(s, config->pid, config->pid, NULL))
		err = -ENOMEM;
	return err ? err : attach_others(s);
}

/* Waits for a stop and takes all others that are there. */
static int wait_all(struct stops *s, struct wait_event *batch, size_t *n)
{
	int err = 0;

	affinity_follow(&s->affinity, !s->polling.on);
	err = polling_wait(&s->polling, s->filter.handshake.on ? handshake_wait : wait_any, &batch[0]);
	*n = err ? 0 : s->threads.count > 1 ? wait_more(batch, 1, BATCH) : 1;
	polling_stops(&s->polling, *n);
	return err;
}

int stops_run(const struct stops_config *config, struct call_sink *sink, const volatile sig_atomic_t *stop,
              const char **why_all)
{
	struct stops s = {.config = config, .sink = sink};
	struct wait_event batch[BATCH];
	size_t n = 0;
	int err = attach(&s);

	while (!err && !s.error && !*stop && s.shown) {
		idle_arm(&s.idle, sink);
		err = wait_all(&s, batch, &n);
		for (size_t i = 0; i < n; i++)
			on_wait(&s, &batch[i]);
		seccomp_filter_hear(&s.filter, &s.threads, !err);
		if (err == -EINTR)
			fail(&s, idle_over(&s.idle, sink));
		if (err == -EINTR || err == -EAGAIN)
			err = 0;
	}
	*why_all = s.filter.why;
	if (s.filter.guard)
		hand_over(&s);
	else
		detach_all(&s.threads);
	return s.error ? s.error : err == -ECHILD ? 0 : err;
}
