/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told where a window begins and ends, so that it is whole in itself. */
#include "gate.h"

static struct gate_event like(const struct gate_event *event, enum gate_kind kind, uint64_t number)
{
	return (struct gate_event){.kind = kind, .number = number, .clock = event->clock, .time = event->time};
}

int gate_open(struct gate *g, const struct gate_event *event)
{
	const struct gate_cpu *cpu = g->n_cpus ? &g->cpus[g->cpu] : NULL;
	struct gate_event out = like(event, GATE_OPENED, ++g->window);
	int rc;

	g->open = true;
	g->since = event->time;
	g->opener = NULL;
	rc = gate_emit(g, &out);
	if (rc || !cpu || !cpu->stack || event->kind == GATE_SWITCH)
		return rc;
	out = like(event, GATE_SWITCH, cpu->stack->id);
	out.cpu = g->cpu;
	return gate_emit(g, &out);
}

int gate_tell_open(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	int rc = 0;

	s->window = g->window;
	for (uint32_t i = 0; i < s->depth && !rc; i++) {
		struct gate_frame *frame = &s->frames[i];
		struct gate_event out = like(event, frame->interrupt ? GATE_IRQ_ENTER : GATE_CALL, frame->function);
		bool keep;

		frame->ran = s->ran;
		frame->covered = frame->left = frame->lefts = 0;
		frame->state = GATE_DROPPED;
		if (!frame->wanted)
			continue;
		/* Of those that are short until now the end would have to be waited for, at another place. */
		(void)gate_known(&g->rules, gate_passed(frame->time, event->time), true, &keep);
		if (keep)
			frame->state = GATE_KEPT;
		rc = keep ? gate_emit(g, &out) : 0;
	}
	return rc;
}

/* True when something is told of a stack whose calls, down to this depth, are over: there where it is not in use. */
static bool tells(const struct gate *g, const struct gate_frame *frame, uint32_t depth)
{
	return frame->state == GATE_KEPT || (g->unattributed && depth == 1);
}

/* All that is told of a stack is over. */
static int end_stack(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	struct gate_event out = like(event, GATE_SWITCH, s->id);
	bool turned = false;
	int rc = 0;

	out.cpu = g->cpu;
	for (uint32_t depth = s->depth; depth && !rc; depth--) {
		struct gate_frame *frame = &s->frames[depth - 1];
		const struct gate_event unwind = like(event, GATE_UNWIND, 0);

		if (tells(g, frame, depth) && !turned)
			rc = gate_emit(g, &out);
		turned |= tells(g, frame, depth);
		rc = rc ? rc : gate_settle(g, s, depth, event);
		if (!rc && frame->state == GATE_KEPT)
			rc = gate_emit(g, &unwind);
		frame->state = GATE_DROPPED;
	}
	return rc;
}

int gate_close(struct gate *g, const struct gate_event *event)
{
	struct gate_event out = like(event, GATE_CLOSED, g->window);
	int rc = gate_drain(g);

	for (uint32_t i = 0; i < g->cap_stacks && !rc; i++) {
		if (g->stacks[i] && g->stacks[i]->window == g->window)
			rc = end_stack(g, g->stacks[i], event);
	}
	g->open = false;
	g->opener = NULL;
	g->done = g->full || !g->rules.autorepeat;
	return rc ? rc : gate_emit(g, &out);
}

/* What is left out on a stack in the calls above the innermost one that is put out. */
static int tell_left(struct gate *g, struct gate_stack *s)
{
	const uint32_t number = s->running ? s->running - 1 : g->cpu;
	const struct gate_event now = {.clock = g->cpus[number].last, .time = g->cpus[number].time};
	struct gate_event out = like(&now, GATE_SWITCH, s->id);
	uint32_t depth = s->depth;
	int rc;

	out.cpu = number;
	rc = gate_emit(g, &out);
	for (; depth && !rc && s->frames[depth - 1].state != GATE_KEPT; depth--)
		rc = gate_settle(g, s, depth, &now);
	return rc || !depth ? rc : gate_settle(g, s, depth, &now);
}

int gate_tell_left(struct gate *g)
{
	int rc = 0;

	for (uint32_t i = 0; i < g->cap_stacks && !rc; i++) {
		struct gate_stack *s = g->stacks[i];

		if (s && s->window == g->window && s->depth)
			rc = tell_left(g, s);
	}
	return rc;
}
