/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that wait: behind a call that may still be too short nothing can be put out, or the order would be lost. A
 * call that was left out takes with it what is at the end of the queue and left out too, so that little waits.
 */
#include "gate.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_CAP 256u

static struct gate_item *item_at(const struct gate *g, uint64_t position)
{
	return &g->items[position & (g->cap - 1)];
}

bool gate_known(const struct gate_rules *rules, uint64_t taken, bool ended, bool *keep)
{
	bool too_long = rules->max && taken > rules->max;

	*keep = taken >= rules->min && !too_long;
	return ended || too_long || (!rules->max && taken >= rules->min);
}

static int put(struct gate *g, const struct gate_event *event)
{
	if (event->kind == GATE_CALL || event->kind == GATE_TAIL || event->kind == GATE_IRQ_ENTER)
		g->counts.entries++;
	return g->put(g->user, event);
}

static bool grow(struct gate *g)
{
	uint64_t cap = g->cap ? g->cap * 2 : FIRST_CAP;
	struct gate_item *more = calloc(cap, sizeof(*more));

	if (!more)
		return false;
	for (uint64_t i = g->head; i < g->tail; i++)
		more[i & (cap - 1)] = *item_at(g, i);
	free(g->items);
	g->items = more;
	g->cap = cap;
	return true;
}

static struct gate_frame *frame_of(const struct gate_item *item)
{
	return &item->stack->frames[item->depth - 1];
}

/* Makes room: what has waited longest is taken. */
static int make_room(struct gate *g)
{
	int rc;

	if (g->tail - g->head < g->cap)
		return 0;
	if (g->cap < GATE_QUEUE_MAX)
		return grow(g) ? 0 : -ENOMEM;
	rc = gate_flush(g);
	if (rc || g->tail - g->head < g->cap)
		return rc;
	g->counts.forced++;
	gate_decide(g, frame_of(item_at(g, g->head)), true);
	return gate_flush(g);
}

static int add(struct gate *g, const struct gate_item *item)
{
	int rc = g->cap ? make_room(g) : grow(g) ? 0 : -ENOMEM;

	if (rc)
		return rc;
	*item_at(g, g->tail++) = *item;
	if (g->hold)
		g->hold(item->event.values);
	return 0;
}

/* An item has come out, or never will. */
static void forget(const struct gate *g, struct gate_item *item)
{
	if (g->drop)
		g->drop(item->event.values);
	item->event.values = NULL;
}

void gate_queue_release(struct gate *g)
{
	while (g->head < g->tail)
		forget(g, item_at(g, g->head++));
	free(g->items);
	g->items = NULL;
}

int gate_emit(struct gate *g, const struct gate_event *event)
{
	const struct gate_item item = {.event = *event, .state = GATE_KEPT};

	if (g->head == g->tail)
		return put(g, event);
	return add(g, &item);
}

int gate_emit_unattributed(struct gate *g, struct gate_stack *s, const struct gate_event *event)
{
	const struct gate_item item = {.event = *event, .stack = s, .state = GATE_KEPT};
	struct gate_item *last = g->head == g->tail ? NULL : item_at(g, g->tail - 1);

	if (!last)
		return put(g, event);
	if (last->event.kind != GATE_FILTERED || last->stack != s)
		return add(g, &item);
	last->event.number += event->number;
	last->event.ticks += event->ticks;
	last->event.clock = event->clock;
	last->event.time = event->time;
	return 0;
}

int gate_wait(struct gate *g, const struct gate_event *event, struct gate_stack *s, bool instead)
{
	const struct gate_item item = {.event = *event,
	                               .stack = s,
	                               .depth = s->depth,
	                               .state = GATE_PENDING,
	                               .instead = instead};
	int rc = add(g, &item);

	s->frames[s->depth - 1].item = g->tail - 1;
	return rc;
}

void gate_decide(struct gate *g, struct gate_frame *frame, bool keep)
{
	struct gate_item *item = item_at(g, frame->item);

	frame->state = item->state = keep ? GATE_KEPT : GATE_DROPPED;
	if (keep)
		return;
	g->counts.times++;
	if (item->instead) {
		forget(g, item);
		item->event.kind = GATE_RETURN;
		item->state = GATE_KEPT;
	}
	while (g->tail > g->head && item_at(g, g->tail - 1)->state == GATE_DROPPED)
		forget(g, item_at(g, --g->tail));
}

int gate_flush(struct gate *g)
{
	int rc = 0;

	while (!rc && g->head < g->tail) {
		struct gate_item *item = item_at(g, g->head);
		bool keep;

		if (item->state == GATE_PENDING) {
			uint64_t taken = gate_passed(frame_of(item)->time, gate_now(g, item->stack));

			if (!gate_known(&g->rules, taken, false, &keep))
				return 0;
			gate_decide(g, frame_of(item), keep);
			continue;
		}
		g->head++;
		if (item->state == GATE_KEPT)
			rc = put(g, &item->event);
		forget(g, item);
	}
	return rc;
}

int gate_drain(struct gate *g)
{
	int rc = 0;

	while (!rc && g->head < g->tail) {
		struct gate_item *item = item_at(g, g->head);

		if (item->state == GATE_PENDING)
			gate_end_wait(g, frame_of(item), gate_now(g, item->stack));
		rc = gate_flush(g);
	}
	return rc;
}
