/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls as they begin and end, and the windows that this begins and ends. */
#include "gate.h"

#include <stdlib.h>

static inline unsigned flags_of(const struct gate *g, uint64_t function)
{
	return function < g->n_functions && g->functions[function] ? g->functions[function] - 1u
	                                                           : (unsigned)CONTROL_WANTED;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

int gate_settle(struct gate *g, struct gate_stack *s, uint32_t depth, const struct gate_event *event)
{
	struct gate_frame *frame = &s->frames[depth - 1], *around = depth > 1 ? frame - 1 : NULL;
	uint64_t ran = s->ran - frame->ran;
	struct gate_event left = {.kind = GATE_FILTERED, .clock = event->clock, .time = event->time};

	if (frame->state != GATE_KEPT) {
		left.number = frame->lefts + 1;
		left.ticks = ran > frame->covered ? ran - frame->covered : 0;
		if (around && g->open) {
			around->covered += frame->covered;
			around->left += left.ticks;
			around->lefts += frame->lefts + 1;
		}
		return !around && g->open && g->unattributed ? gate_emit_unattributed(g, s, &left) : 0;
	}
	if (around)
		around->covered += ran;
	left.number = frame->lefts;
	left.ticks = frame->left;
	return frame->lefts ? gate_emit(g, &left) : 0;
}

static bool deepen(struct gate_stack *s)
{
	uint32_t cap = s->cap ? s->cap * 2 : 32;
	struct gate_frame *more = cap <= GATE_DEPTH_MAX ? realloc(s->frames, cap * sizeof(*more)) : NULL;

	if (!more)
		return false;
	s->frames = more;
	s->cap = cap;
	return true;
}

/* Whether the first call of a stack is one of an interrupt that has a stack of its own. */
static bool began_in_interrupt(const struct gate *g, const struct gate_stack *s)
{
	const struct gate_stack *before = g->cpus[g->cpu].before;

	return !s->named && !s->owner && before && before->depth && before->frames[before->depth - 1].in_interrupt;
}

static bool is_wanted(struct gate *g, const struct gate_stack *s, const struct gate_frame *frame)
{
	/* No list is about interrupts themselves. */
	if ((!frame->interrupt && !(flags_of(g, frame->function) & CONTROL_WANTED)) || !gate_stack_wanted(g, s)) {
		g->counts.functions += g->open;
		return false;
	}
	if (g->rules.irq == CONTROL_IRQ_ANY || frame->in_interrupt == (g->rules.irq == CONTROL_IRQ_ONLY))
		return true;
	g->counts.irq += g->open;
	return false;
}

/* Adds a frame. NULL: too deep. */
static struct gate_frame *push(struct gate *g, struct gate_stack *s, const struct gate_event *event, bool interrupt)
{
	struct gate_frame *frame;

	if (s->over || (s->depth == s->cap && !deepen(s))) {
		s->over++;
		return NULL;
	}
	frame = &s->frames[s->depth++];
	*frame = (struct gate_frame){.function = event->number,
	                             .time = event->time,
	                             .ran = s->ran,
	                             .interrupt = interrupt,
	                             .in_interrupt = interrupt};
	if (!interrupt)
		frame->in_interrupt = s->depth > 1 ? frame[-1].in_interrupt : began_in_interrupt(g, s);
	frame->wanted = is_wanted(g, s, frame);
	frame->state = g->open ? gate_first_state(g, frame->wanted) : GATE_DROPPED;
	return frame;
}

static int on_enter(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	const struct gate_frame *frame = push(g, s, event, event->kind == GATE_IRQ_ENTER);

	if (!frame || frame->state == GATE_DROPPED)
		return 0;
	return frame->state == GATE_KEPT ? gate_emit(g, event) : gate_wait(g, event, s, false);
}

/* Decides a call that is over by now. */
void gate_end_wait(struct gate *g, struct gate_frame *frame, uint64_t time)
{
	bool keep;

	if (frame->state != GATE_PENDING)
		return;
	(void)gate_known(&g->rules, gate_passed(frame->time, time), true, &keep);
	gate_decide(g, frame, keep);
}

/* The call entered last is over. */
static int pop(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	struct gate_frame *frame = &s->frames[s->depth - 1];
	bool kept;
	int rc;

	gate_end_wait(g, frame, event->time);
	kept = frame->state == GATE_KEPT;
	rc = gate_settle(g, s, s->depth, event);
	s->depth--;
	return rc || !kept ? rc : gate_emit(g, event);
}

/* --- Triggers ----------------------------------------------------------------------------------------------------- */

/* Whether an event of a function with these flags fires the trigger. */
static bool starts(const struct gate *g, unsigned flags, const struct gate_event *event)
{
	return flags & CONTROL_START && (!g->rules.start_compares || event->fires & CONTROL_START);
}

static bool stops(const struct gate *g, unsigned flags, const struct gate_event *event)
{
	return flags & CONTROL_STOP && (!g->rules.stop_compares || event->fires & CONTROL_STOP);
}

/* Those that this time fires, or the entry of this function; before the event is looked at. */
static int before_entry(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	unsigned flags = flags_of(g, event->number);
	int rc = 0;

	if (g->open && g->rules.stop == CONTROL_ENTRY && stops(g, flags, event))
		rc = gate_close(g, event);
	if (rc || g->open || g->done || g->rules.start != CONTROL_ENTRY || !starts(g, flags, event))
		return rc;
	rc = gate_open(g, event);
	if (g->rules.stop == CONTROL_EXIT && flags & CONTROL_STOP) {
		g->opener = s;
		g->opener_depth = s->depth + 1 - (event->kind == GATE_TAIL);
	}
	return rc;
}

/* Those that the end of a call fires, which was at this depth. */
static int after_exit(struct gate *g, struct gate_stack *s, uint64_t function, const struct gate_event *event)
{
	unsigned flags = flags_of(g, function);
	bool same = !g->opener || (g->opener == s && g->opener_depth == s->depth + 1);
	int rc = 0;

	if (g->open && g->rules.stop == CONTROL_EXIT && same && stops(g, flags, event))
		rc = gate_close(g, event);
	else if (!g->open && !g->done && g->rules.start == CONTROL_EXIT && starts(g, flags, event))
		rc = gate_open(g, event);
	return rc;
}

/* --- Ends and tail calls --------------------------------------------------------------------------------------------
 */

/* One end of a call. */
static int on_leave(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	uint64_t function;
	int rc;

	if (s->over || !s->depth) {
		g->counts.strays += !s->over;
		s->over -= s->over != 0;
		return 0;
	}
	function = s->frames[s->depth - 1].function;
	rc = pop(g, s, event);
	return rc ? rc : after_exit(g, s, function, event);
}

/* The end of an interrupt, and of what it has called; without one nothing has happened. */
static int on_irq_exit(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	struct gate_event unwind = *event;
	uint32_t depth = s->depth;
	int rc = 0;

	unwind.kind = GATE_UNWIND;
	while (depth && !s->frames[depth - 1].interrupt)
		depth--;
	if (!depth) {
		g->counts.strays++;
		return 0;
	}
	s->over = 0;
	while (!rc && s->depth > depth)
		rc = on_leave(g, s, &unwind);
	return rc ? rc : on_leave(g, s, event);
}

/* True when the end of a function may be that of a window, or its beginning. */
static bool ends_matter(const struct gate *g, uint64_t function)
{
	unsigned flags = flags_of(g, function);

	return (g->rules.stop == CONTROL_EXIT && flags & CONTROL_STOP) ||
	       (g->rules.start == CONTROL_EXIT && flags & CONTROL_START);
}

/* A tail call as the two records that it stands for. */
static int on_tail_apart(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	bool interrupt = s->frames[s->depth - 1].interrupt;
	struct gate_event part = *event;
	int rc;

	part.kind = interrupt ? GATE_IRQ_EXIT : GATE_RETURN;
	part.fires = 0;
	part.values = NULL;
	rc = on_leave(g, s, &part);
	if (!rc && g->open && s->window != g->window)
		rc = gate_tell_open(g, s, event);
	part.kind = interrupt ? GATE_IRQ_ENTER : GATE_CALL;
	part.values = event->values;
	return rc ? rc : on_enter(g, s, &part);
}

/* A tail call is the end of one call and the beginning of another, which have one record where both are put out. */
static int on_tail_together(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	struct gate_frame *frame = &s->frames[s->depth - 1];
	struct gate_event other = *event;
	bool interrupt = frame->interrupt, kept;
	int rc;

	gate_end_wait(g, frame, event->time);
	kept = frame->state == GATE_KEPT;
	rc = gate_settle(g, s, s->depth, event);
	s->depth--;
	frame = rc ? NULL : push(g, s, event, interrupt);
	if (!frame)
		return rc;
	if (kept && frame->state == GATE_DROPPED)
		other = (struct gate_event){.kind = interrupt ? GATE_IRQ_EXIT : GATE_RETURN,
		                            .clock = event->clock,
		                            .time = event->time};
	else if (!kept)
		other.kind = interrupt ? GATE_IRQ_ENTER : GATE_CALL;
	if (!kept && frame->state == GATE_DROPPED)
		return 0;
	return frame->state == GATE_PENDING ? gate_wait(g, &other, s, kept) : gate_emit(g, &other);
}

static int on_tail(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	struct gate_event call = *event;

	call.kind = GATE_CALL;
	if (s->over || !s->depth)
		return s->over ? 0 : on_enter(g, s, &call);
	return ends_matter(g, s->frames[s->depth - 1].function) ? on_tail_apart(g, s, event)
	                                                        : on_tail_together(g, s, event);
}

int gate_on_call(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	int rc = before_entry(g, s, event);

	if (!rc && g->open && s->window != g->window)
		rc = gate_tell_open(g, s, event);
	if (rc)
		return rc;
	switch (event->kind) {
	case GATE_CALL:
	case GATE_IRQ_ENTER:
		return on_enter(g, s, event);
	case GATE_TAIL:
		return on_tail(g, s, event);
	case GATE_IRQ_EXIT:
		return on_irq_exit(g, s, event);
	default:
		return on_leave(g, s, event);
	}
}
