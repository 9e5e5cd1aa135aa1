/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agents.h"

#include "argument_memory.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/tracee/wait.h>
#include <string.h>
#include <sys/time.h>

#define BUSY 64      /* calls between two looks that keep it looking */
#define LOOKS 20     /* without any, before it sleeps */
#define TICK_US 2000 /* that it sleeps first, and at most, until it looks again */
#define TICK_US_MAX 20000

static int take_call(void *user, void *user_thread, const struct inside_call *inside)
{
	struct stops *s = user;
	struct thread *thread = user_thread;
	struct call_event event = {.type = inside->end ? CALL_EXIT : CALL_ENTER, .thread = thread};
	struct syscall_call *call = &thread->call;

	if (inside->end) {
		thread->result = (struct syscall_result){inside->result, is_errno(inside->result)};
		if (!thread->in_call)
			return 0;
	} else {
		call->arch = arch_native();
		call->nr = (uint32_t)inside->nr;
		memcpy(call->args, inside->args, sizeof(call->args));
		call->sp = inside->sp;
		call->tid = thread->tid;
		thread->in_call = true;
		thread->wanted = !thread->hidden;
	}
	if (inside->live) { /* in place of what the agent did not come to take: as if its entry were now */
		struct call_event enter = {.type = CALL_ENTER, .thread = thread};

		if (s->config->memory)
			stops_fail(s, argument_memory_take(&enter, s->config->string_max));
		stops_emit(s, &event);
	} else {
		event.ahead = true;
		event.stack = inside->stack;
		s->recorded += !inside->end && !thread->hidden;
		stops_emit_at(s, &event, inside->now);
	}
	thread->in_call = !inside->end;
	return s->error;
}

static void take_counts(void *user, uint32_t nr, const struct call_counts *counts)
{
	struct stops *s = user;

	s->calls += counts->sums.count;
	s->recorded += counts->sums.count;
	stops_fail(s, s->sink->add(s->sink, nr, counts));
}

static struct snapshot *memory_of(void *user_thread)
{
	struct thread *thread = user_thread;

	return &thread->memory;
}

bool stops_avoidable(void)
{
	return arch_native() && inside_supported();
}

bool agents_possible(const struct stops_config *config)
{
	return config->inside && !config->filter && arch_native();
}

void agents_begin(struct stops *s)
{
	const char *why;

	if (!agents_possible(s->config))
		return;
	s->recording = (struct inside_config){
		.string_max = s->config->string_max,
		.memory = s->config->memory,
		.calls = s->config->inside,
		.shown = s->config->shown,
		.stacks = s->config->stacks,
		.failures = s->config->failures,
		.counting = s->sink->add ? s->config->counting : COUNT_NONE,
		.counted = take_counts,
		.user = s,
		.call = take_call,
		.memory_of = memory_of,
	};
	if (inside_new(&s->recording, &s->inside, &why)) {
		s->inside = NULL;
		s->no_inside = why;
	}
}

void agents_add(struct stops *s, struct thread *thread, const struct thread *maker)
{
	if (s->inside)
		thread->inside =
			inside_add(s->inside, thread->tid, maker ? maker->inside : NULL, thread->clone_flags, thread);
}

void agents_start(struct thread *thread)
{
	if (thread->inside)
		inside_start(thread->inside, !thread->hidden);
}

long agents_drain(struct stops *s)
{
	long n = s->inside ? inside_drain(s->inside) : 0;

	if (n < 0)
		stops_fail(s, (int)n);
	return n < 0 ? 0 : n;
}

static void tick(suseconds_t us)
{
	const struct itimerval timer = {{0, us}, {0, us}};

	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

/* Looks at rings and stops in turn. 1: *ev is a stop; 0: nothing happens. */
static int look(struct stops *s, struct wait_event *ev)
{
	int got = 0;

	for (unsigned looks = 0; looks < LOOKS && !got; looks++) {
		got = wait_peek(ev, false);
		if (!got && agents_drain(s) > BUSY)
			looks = 0;
	}
	return got;
}

/* One stop of each thread that has one: else those of the newest threads could always come first (wait_more). */
static size_t look_at_all(struct stops *s, struct wait_event *batch, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < THREADS_BUCKETS; i++) {
		for (const struct thread *t = s->threads.bucket[i]; t && n < max; t = t->next)
			n += wait_peek_at(t->tid, &batch[n]) > 0;
	}
	return n;
}

/* Nothing happened: sleeps until something does, or some time has gone. As agents_wait. */
static int doze(struct stops *s, struct wait_event *ev)
{
	unsigned us = TICK_US << (s->ticks / 4 < 4 ? s->ticks / 4 : 4);
	int got;

	tick(us < TICK_US_MAX ? us : TICK_US_MAX);
	got = wait_peek(ev, true);
	tick(0);
	s->idle.armed = false;
	s->ticks = got == -EINTR && !agents_drain(s) ? s->ticks + 1 : 0;
	return got == -EINTR ? -EAGAIN : got;
}

int agents_wait(struct stops *s, struct wait_event *batch, size_t max, size_t *n)
{
	int got = 0;

	*n = 0;
	if (++s->turns > s->threads.count && s->threads.count > 1) {
		s->turns = 0;
		*n = look_at_all(s, batch, max);
	}
	if (!*n) {
		got = s->ticks ? 0 : look(s, batch);
		got = got ? got : doze(s, batch);
		*n = got > 0;
	}
	(void)agents_drain(s);
	if ((got >= 0 || got == -EAGAIN) && idle_is_due(&s->idle, s->sink))
		return -EINTR;
	return got < 0 ? got : 0;
}

bool agents_signal(struct thread *thread, int sig)
{
	unsigned char info[SIGINFO_BYTES];

	return thread->inside &&
	       inside_signal(thread->inside, sig, tracee_siginfo(thread->tid, info) ? NULL : info) == INSIDE_OURS;
}

void agents_ended_call(struct stops *s, struct thread *thread)
{
	struct call_event late = {.type = CALL_LATE, .thread = thread};
	bool before = inside_runs(thread->inside), again;

	if (!thread->inside)
		return;
	again = thread->result.error && (is_restart(thread->result.value) ||
	                                 (thread->result.value == -EINTR && inside_waits_for_signal(thread->inside)));
	(void)inside_ended_call(thread->inside, again);
	if (!before && inside_is_first(thread->inside))
		stops_emit_at(s, &late, clock_now());
}

void agents_end(struct stops *s, struct stops_why *why)
{
	uint64_t caught;

	if (s->inside) {
		why->programs = inside_refused(s->inside, &why->inside);
		(void)agents_drain(s);
		inside_tell_counts(s->inside);
		inside_quiet(s->inside);
	} else {
		why->inside = s->no_inside;
	}
	why->calls = s->calls;
	caught = s->inside ? inside_caught(s->inside) : 0;
	why->recorded = s->recorded > caught ? s->recorded - caught : 0;
}

void agents_let_go(struct stops *s)
{
	(void)agents_drain(s);
	inside_let_go(s->inside);
}
