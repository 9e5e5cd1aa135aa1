/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "replay_gate.h"
#include "replay_values.h"
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Records that come before the first switch are of some stack too. */
static inline int some_stack(struct replay *p, uint64_t clock)
{
	return __builtin_expect(p->stack != NULL, 1) ? 0 : replay_on_switch(p, clock, 0, 0);
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* called: what was called, and has jumped to this function; REPLAY_UNKNOWN: this one was. */
static inline int on_enter(struct replay *p, uint64_t clock, uint32_t function, bool interrupt, uint32_t called)
{
	struct rstack *s = p->stack;
	uint64_t now = replay_go_on(p, &p->cpus[p->cpu], clock);
	struct replay_frame *frame;

	if (__builtin_expect(s->over || (s->public.depth == s->cap && !replay_deepen(s)), 0)) {
		s->over++;
		return 0;
	}
	frame = &s->public.frames[s->public.depth++];
	*frame = (struct replay_frame){
		.function = function,
		.called = called,
		.interrupt = interrupt,
		.in_interrupt = interrupt || (s->public.depth > 1 && frame[-1].in_interrupt),
		.outside = p->where > 0,
		.entered = p->exact,
		.before = now + s->offset,
		.waited = s->task->waited,
	};
	if (__builtin_expect(p->gate && replay_has_lists(p), 0)) {
		int rc = replay_list_enter(p, s);

		if (rc <= 0)
			return rc;
	}
	return p->sink->enter ? p->sink->enter(p->sink->ctx, &s->public) : 0;
}

/* A tick within the time that is wanted. */
static inline uint64_t within(const struct replay *p, uint64_t tick)
{
	if (__builtin_expect(!p->bounded, 1))
		return tick;
	return tick < p->from ? p->from : tick < p->until ? tick : p->until;
}

/* The innermost call of a stack is over. `ran`: of the stack until now. */
static inline int leave(struct replay *p, struct rstack *s, uint64_t ran, struct replay_call *call)
{
	const struct replay_frame *frame = &s->public.frames[--s->public.depth];

	call->frame = frame;
	call->outside = frame->outside || p->where < 0;
	call->elapsed = call->left > frame->entered ? within(p, call->left) - within(p, frame->entered) : 0;
	call->total = ran > frame->before ? ran - frame->before : 0;
	call->self = call->total > frame->inner ? call->total - frame->inner : 0;
	call->waited = s->task->waited > frame->waited ? s->task->waited - frame->waited : 0;
	if (frame->interrupt)
		s->offset -= call->total; /* for those around it time stood still */
	else if (s->public.depth)
		s->public.frames[s->public.depth - 1].inner += call->total;
	if (__builtin_expect(frame->bare, 0))
		return replay_list_leave(p, s, call);
	return p->sink->leave ? p->sink->leave(p->sink->ctx, &s->public, call) : 0;
}

static inline int on_return(struct replay *p, uint64_t clock, bool seen)
{
	struct rstack *s = p->stack;
	uint64_t now = replay_go_on(p, &p->cpus[p->cpu], clock);
	struct replay_call call = {.left = p->exact, .ended = true, .seen = seen};

	if (__builtin_expect(s->over, 0))
		s->over--;
	else if (__builtin_expect(s->public.depth, 1))
		return leave(p, s, now + s->offset, &call);
	return 0;
}

/* A function takes the place of the one called last, also as the first one of an interrupt. */
static int on_tail(struct replay *p, uint64_t clock, uint32_t function)
{
	const struct replay_stack *s = &p->stack->public;
	const struct replay_frame *last = s->depth && !p->stack->over ? &s->frames[s->depth - 1] : NULL;
	bool interrupt = last && last->interrupt;
	uint32_t called = !last ? REPLAY_UNKNOWN : last->called != REPLAY_UNKNOWN ? last->called : last->function;
	int rc = on_return(p, clock, true);

	return rc ? rc : on_enter(p, clock, function, interrupt, called);
}

/* Of an interrupt; what it has called is over too. Without one nothing has happened. */
static int on_irq_exit(struct replay *p, uint64_t clock)
{
	struct rstack *s = p->stack;
	uint32_t depth = s->public.depth;
	int rc = 0;

	if (s->over || (depth && s->public.frames[depth - 1].interrupt))
		return on_return(p, clock, true);
	while (depth && !s->public.frames[depth - 1].interrupt)
		depth--;
	while (!rc && depth && s->public.depth > depth)
		rc = on_return(p, clock, false);
	return rc || !depth ? rc : on_return(p, clock, true);
}

/* --- Records ------------------------------------------------------------------------------------------------------ */

static int on_sync(struct replay *p, const struct data_event *event)
{
	struct rcpu *cpu = replay_cpu(p, event->sync.cpu);

	if (!cpu)
		return -ENOMEM;
	(void)replay_go_on(p, cpu, event->clock);
	return 0;
}

/* Whether the gate left it out. A file may have its number, too. */
static bool is_of_gate(const struct replay *p, const struct data_event *event)
{
	return p->gate && event->filtered.function == REPLAY_FILTERED;
}

/* Ticks that were left out as those of the replay, which those of the gate are already; at most `max`. */
static uint64_t as_ticks(const struct replay *p, const struct rcpu *cpu, const struct data_event *event, uint64_t max)
{
	double rate = p->gate ? cpu->gate.rate : cpu->here.rate;
	bool plain = p->clock.kind == p->source->public.guest_clock || is_of_gate(p, event);
	double n = (double)event->filtered.ticks * (plain ? 1 : rate);

	return n < (double)max ? (uint64_t)n : max;
}

/* What the innermost call has run by itself so far. */
static uint64_t own_until_now(const struct rstack *s, uint64_t now)
{
	const struct replay_frame *frame = &s->public.frames[s->public.depth - 1];
	uint64_t ran = now + s->offset;

	ran = ran > frame->before ? ran - frame->before : 0;
	return ran > frame->inner ? ran - frame->inner : 0;
}

/* Of the ticks before the record at hand: those that are in the time that is wanted. */
static uint64_t not_outside(const struct replay *p, const struct rcpu *cpu, uint64_t ticks)
{
	uint64_t behind = p->where > 0 ? p->exact - cpu->now : 0, there = cpu->now - cpu->start;

	ticks = ticks > behind && p->where >= 0 ? ticks - behind : 0;
	return ticks < there ? ticks : there;
}

/* What was left out in the innermost call counts as one that it made; in no call, as one that somebody made. */
static int on_filtered(struct replay *p, const struct data_event *event)
{
	struct rstack *s = p->stack;
	struct rcpu *cpu = &p->cpus[p->cpu];
	uint64_t ticks, now;
	int rc;

	if (!s || s->over || (!s->public.depth && (!p->sink->unattributed || !is_of_gate(p, event))))
		return 0;
	now = replay_go_on(p, cpu, event->clock);
	ticks = as_ticks(p, cpu, event, s->public.depth ? own_until_now(s, now) : UINT64_MAX);
	ticks = s->public.depth ? ticks : not_outside(p, cpu, ticks);
	rc = on_enter(p, event->clock, replay_number(p, event->filtered.function), false, REPLAY_UNKNOWN);
	if (rc || s->over)
		return rc;
	s->public.frames[s->public.depth - 1].before -= ticks;
	s->public.frames[s->public.depth - 1].outside &= !ticks;
	return on_return(p, event->clock, true);
}

static int on_note(struct replay *p, struct data_text note)
{
	return note.n && p->notes.n < REPLAY_NOTES ? strv_pushn(&p->notes, note.bytes, strnlen(note.bytes, note.n)) : 0;
}

static int on_rare(struct replay *p, const struct data_event *event)
{
	switch (event->type) {
	case DATA_SWITCH:
		return replay_on_switch(p, event->clock, event->on.stack, event->on.cpu);
	case DATA_TASK:
		return replay_on_task(p, event);
	case DATA_SYNC:
		return on_sync(p, event);
	case DATA_WAKE:
		return replay_on_wake(p, event);
	case DATA_HELD:
		return replay_on_held(p, event);
	case DATA_MESSAGE:
		return replay_on_message(p, event);
	case DATA_THREAD:
	case DATA_EXEC:
		return p->sink->process ? p->sink->process(p->sink->ctx, event) : 0;
	case DATA_FILTERED:
		return on_filtered(p, event);
	case DATA_NOTE:
		return on_note(p, event->note);
	case DATA_FILE:
	case DATA_FUNCTION:
		return replay_define(p, event);
	default:
		return replay_values_take(p, event);
	}
}

/* One of the many. */
static inline int on_small(struct replay *p, const struct data_small *record)
{
	switch (record->type) {
	case DATA_CALL:
		return on_enter(p, record->clock, replay_number(p, record->function), false, REPLAY_UNKNOWN);
	case DATA_RETURN:
		return on_return(p, record->clock, true);
	case DATA_TAIL:
		return on_tail(p, record->clock, replay_number(p, record->function));
	case DATA_IRQ_ENTER:
		return on_enter(p, record->clock, replay_number(p, record->function), true, REPLAY_UNKNOWN);
	case DATA_IRQ_EXIT:
		return on_irq_exit(p, record->clock);
	default:
		return on_return(p, record->clock, false);
	}
}

static bool is_small(uint8_t type)
{
	return (type >= DATA_CALL && type < DATA_SWITCH) || type == DATA_UNWIND;
}

int replay_apply(struct replay *p, const struct data_event *event)
{
	const struct data_small small = {event->clock, 0, event->type};
	uint32_t function = (uint32_t)event->call.function;
	int rc = 0;

	if (!is_small(event->type))
		return on_rare(p, event);
	rc = some_stack(p, event->clock);
	if (rc)
		return rc;
	switch (event->type) {
	case DATA_CALL:
	case DATA_IRQ_ENTER:
		return on_enter(p, event->clock, function, event->type == DATA_IRQ_ENTER, REPLAY_UNKNOWN);
	case DATA_TAIL:
		return on_tail(p, event->clock, function);
	default:
		return on_small(p, &small);
	}
}

static int on_record(struct replay *p, const struct data_event *event)
{
	const struct data_small small = {event->clock, event->call.function, event->type};
	int rc;

	if (p->gate && replay_gate_is_for(event->type))
		return replay_gate_take(p, event);
	if (!is_small(event->type))
		return on_rare(p, event);
	rc = some_stack(p, event->clock);
	rc = rc ? rc : on_small(p, &small);
	replay_values_forget(p);
	return rc;
}

/* The records up to the next one that is not small. */
static int on_many(struct replay *p)
{
	const struct data_small *many;
	size_t n;
	int rc = 0;

	while (!rc && p->stack && (n = data_reader_small(p->source->reader, &many)) != 0)
		for (size_t i = 0; i < n && !rc; i++) {
			rc = on_small(p, &many[i]);
			replay_values_forget(p);
		}
	return rc;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* What is still open at the end. */
static int close_stack(struct replay *p, struct rstack *s)
{
	const struct rcpu *cpu = &p->cpus[s->public.cpu];
	struct replay_call call = {.left = cpu->now};
	int rc = s->public.running ? replay_sched_out(p, s, cpu->now) : 0;

	replay_waits_end(s, cpu->now);
	while (!rc && s->public.depth) {
		const struct replay_frame *frame = &s->public.frames[s->public.depth - 1];
		bool interrupt = frame->interrupt;
		uint64_t before = frame->before;

		rc = leave(p, s, s->ran, &call);
		if (interrupt && before < s->ran)
			s->ran = before;
	}
	return rc;
}

void replay_rewind(struct replay *p)
{
	struct strv *notes = &p->recording->notes;

	while (notes->n > p->notes_before)
		free(notes->items[--notes->n]);
	if (notes->items)
		notes->items[notes->n] = NULL;
	p->source->lost = 0;
}

static int begin(struct replay *p)
{
	replay_rewind(p);
	replay_forget_stacks(p);
	replay_values_forget(p);
	replay_names_release(p);
	strv_release(&p->notes);
	if (p->n_listed)
		memset(p->listed, 0, p->n_listed);
	for (size_t i = 0; i < p->n_cpus; i++) {
		struct rcpu *cpu = &p->cpus[i];

		cpu->stack = NULL;
		cpu->task = NULL;
		cpu->any = false;
		cpu->start = cpu->last = cpu->now = 0;
		replay_clock_rewind(cpu);
	}
	/* There is always a first CPU. */
	if (!replay_cpu(p, 0) || replay_names_init(p))
		return -ENOMEM;
	return p->gate ? replay_gate_begin(p) : 0;
}

int replay_run(struct replay *p, const struct replay_sink *sink)
{
	struct source *s = p->source;
	int rc;

	p->sink = sink;
	rc = begin(p);
	if (!rc)
		rc = source_begin_alone(p->recording, s);
	while (rc == 1) {
		rc = on_record(p, &s->event);
		if (!rc && !p->gate)
			rc = on_many(p);
		if (!rc)
			rc = source_step(p->recording, s);
	}
	if (rc) {
		data_reader_close(s->reader);
		s->reader = NULL;
	}
	if (!rc && p->gate)
		rc = replay_gate_end(p);
	for (size_t i = 0; i < p->n_stacks && !rc; i++)
		rc = close_stack(p, p->stacks[i]);
	return rc;
}

void replay_free(struct replay *p)
{
	if (!p)
		return;
	replay_gate_free(p);
	replay_values_forget(p);
	replay_forget_stacks(p);
	free(p->stacks);
	replay_names_release(p);
	free(p->listed);
	for (size_t i = 0; i < p->n_cpus; i++)
		free(p->cpus[i].moments);
	free(p->cpus);
	strv_release(&p->notes);
	free(p);
}
