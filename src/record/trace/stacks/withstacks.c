/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/trace/stacks/withstacks.h>

#include <exectrace/base/clock.h>
#include <exectrace/base/kerrno.h>
#include <signal.h>
#include <stdlib.h>

struct stacking {
	struct call_sink sink; /* first */
	struct trace_stacks *stacks;
	const struct syscall_filter *filter;
	struct syscall_filter returns; /* calls whose stack is that to which they return */
	struct call_sink *next;
	bool failed; /* only stacks of calls that fail: they are taken when that is known; and of signals that may be
	                fatal */
};

static int pass_on(struct stacking *s, const struct call_event *event)
{
	int err = s->next->event(s->next, event);

	s->sink.held = s->next->held;
	return err;
}

static int on_enter(struct stacking *s, const struct call_event *event)
{
	struct thread *thread = event->thread;
	struct call_event later = *event;
	uint64_t took = 0;

	thread->stack = 0;
	if (s->filter && !thread->forbidden && !(s->failed && thread->attached) &&
	    !syscall_filter_has(s->filter, thread->call.arch, thread->call.nr)) {
		thread->aside = true;
		return 0;
	}
	if (s->failed && !thread->attached)
		return pass_on(s, event);
	thread->stack = stacks_take(s->stacks, thread, event->stack);
	if (event->ahead)
		return pass_on(s, event);
	/* It has waited for us: that is no time of the call. */
	took = clock_now() - event->now;
	later.now += took;
	later.wall += took;
	thread->enter += took;
	thread->wall += took;
	return pass_on(s, &later);
}

static int on_exit_of(struct stacking *s, const struct call_event *event)
{
	struct thread *thread = event->thread;

	if (!event->ahead)
		stacks_returned(s->stacks, thread);
	if (thread->aside)
		return s->filter ? 0 : pass_on(s, event);
	if (s->failed && !thread->attached)
		thread->stack = is_failure(thread->result.error, thread->result.value)
		                        ? stacks_take(s->stacks, thread, NULL)
		                        : 0;
	else if (syscall_filter_has(&s->returns, thread->call.arch, thread->call.nr))
		thread->stack = stacks_take(s->stacks, thread, NULL);
	else
		thread->stack = stacks_again(s->stacks, thread, event->stack);
	return pass_on(s, event);
}

/* Signals that are not sent in numbers, and that end a process as a rule: where they find it tells why. */
static bool may_be_fatal(int sig)
{
	static const int sigs[] = {SIGINT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGTRAP,
	                           SIGSYS, SIGABRT, SIGQUIT, SIGTERM, SIGXCPU};

	for (size_t i = 0; i < sizeof(sigs) / sizeof(*sigs); i++)
		if (sigs[i] == sig)
			return true;
	return false;
}

/* Where the thread was. */
static int on_signal(struct stacking *s, const struct call_event *event)
{
	struct thread *thread = event->thread;
	uint64_t of_call = thread->stack;
	int err;

	thread->stack = !s->failed || may_be_fatal(event->sig) ? stacks_take(s->stacks, thread, NULL) : 0;
	err = pass_on(s, event);
	thread->stack = of_call;
	return err;
}

static int on_end(struct stacking *s, const struct call_event *event)
{
	int err = pass_on(s, event);

	stacks_end(s->stacks, event->thread);
	return err;
}

static int stacking_event(struct call_sink *sink, const struct call_event *event)
{
	struct stacking *s = (struct stacking *)sink;
	int err = 0;

	switch (event->type) {
	case CALL_BEGIN:
		err = stacks_begin(s->stacks, event->thread);
		return err ? err : pass_on(s, event);
	case CALL_ENTER:
		return on_enter(s, event);
	case CALL_EXIT:
		return on_exit_of(s, event);
	case CALL_SIGNAL:
		return on_signal(s, event);
	case CALL_EXEC:
		event->thread->stack_end = 0; /* that was of the former program's stack */
		stacks_exec(s->stacks, event->thread);
		return pass_on(s, event);
	case CALL_LET_GO:
		if (s->failed && event->thread->in_call && !event->thread->aside)
			event->thread->stack = stacks_take(s->stacks, event->thread, NULL);
		return on_end(s, event);
	case CALL_TAKEN:
	case CALL_END:
		return on_end(s, event);
	default:
		return pass_on(s, event);
	}
}

static int stacking_idle(struct call_sink *sink)
{
	struct stacking *s = (struct stacking *)sink;
	int err = s->next->idle(s->next);

	sink->held = s->next->held;
	return err;
}

static int stacking_end(struct call_sink *sink)
{
	struct stacking *s = (struct stacking *)sink;
	int err = s->next->end(s->next);

	stacks_free(s->stacks);
	free(s);
	return err;
}

struct call_sink *stacks_sink(struct trace_stacks *stacks, const struct syscall_filter *filter, struct call_sink *next,
                              bool failed, struct syscall_filter *calls)
{
	const struct syscall_filter *changes = stacks_calls(stacks);
	struct stacking *s = calloc(1, sizeof(*s));
	struct buf why = BUF_INIT;

	if (!s)
		return NULL;
	syscall_filter_all(calls);
	if (filter)
		*calls = *filter;
	for (size_t abi = 0; filter && abi < SYSCALL_ABIS; abi++) {
		for (size_t i = 0; i < SYSCALL_NR_MAX / 64; i++)
			calls->bits[abi][i] |= changes->bits[abi][i];
	}
	*s = (struct stacking){
		.sink = {.event = stacking_event, .idle = stacking_idle, .end = stacking_end},
		.stacks = stacks,
		.filter = filter,
		.next = next,
		.failed = failed,
	};
	(void)syscall_filter_parse(&s->returns, "rt_sigreturn,sigreturn", &why);
	buf_release(&why);
	return &s->sink;
}
