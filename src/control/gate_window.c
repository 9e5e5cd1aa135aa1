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

		if (frame->state == GATE_KEPT && !turned)
			rc = gate_emit(g, &out);
		turned |= frame->state == GATE_KEPT;
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
	int rc = gate_end(g);

	for (uint32_t i = 0; i < g->cap_stacks && !rc; i++) {
		if (g->stacks[i] && g->stacks[i]->window == g->window)
			rc = end_stack(g, g->stacks[i], event);
	}
	g->open = false;
	g->opener = NULL;
	g->done = g->full || !g->rules.autorepeat;
	return rc ? rc : gate_emit(g, &out);
}
