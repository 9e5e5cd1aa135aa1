/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks are followed always, in a window or not; what is told of them is another matter. */
#include "gate.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

void gate_rules_of(struct gate_rules *rules, const struct control_config *config, uint64_t hz)
{
	const uint64_t times[] = {config->start.time, config->stop.time, config->min_time, config->max_time};
	uint64_t ticks[4];

	for (int i = 0; i < 4; i++) {
		unsigned __int128 n = (unsigned __int128)times[i] * hz / 1000000000u;

		ticks[i] = n > UINT64_MAX ? UINT64_MAX : times[i] && !n ? 1 : (uint64_t)n;
	}
	*rules = (struct gate_rules){
		.start = config->start.when,
		.stop = config->stop.when,
		.start_time = ticks[0],
		.stop_time = ticks[1],
		.min = ticks[2],
		.max = ticks[3],
		.irq = config->irq,
		.entries = config->entries,
		.autorepeat = config->autorepeat,
		.start_compares = config->start.n_compares != 0,
		.stop_compares = config->stop.n_compares != 0,
	};
}

struct gate *gate_new(const struct gate_rules *rules, gate_put_fn *put, void *user)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->rules = *rules;
	g->put = put;
	g->user = user;
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	gate_stacks_release(g);
	gate_queue_release(g);
	free(g->functions);
	free(g);
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

int gate_function(struct gate *g, uint64_t function, unsigned what)
{
	if (function >= GATE_FUNCTIONS_MAX)
		return -EINVAL;
	if (widen_array((void **)&g->functions, &g->n_functions, function, sizeof(*g->functions)))
		return -ENOMEM;
	g->functions[function] = (uint8_t)(what + 1);
	return 0;
}

/* --- Events ---------------------------------------------------------------------------------------------------------
 */

/* The windows that this time begins and ends. */
static int at_time(struct gate *g, const struct gate_event *event)
{
	const struct gate_rules *r = &g->rules;
	int rc = 0;

	if (g->open && r->stop == CONTROL_TIME && gate_passed(g->since, event->time) >= r->stop_time)
		rc = gate_close(g, event);
	if (rc || g->open || g->done)
		return rc;
	if (r->start == CONTROL_NEVER ||
	    (r->start == CONTROL_TIME && gate_passed(g->base, event->time) >= r->start_time))
		rc = gate_open(g, event);
	return rc;
}

static void change_stack(struct gate *g, struct gate_cpu *cpu, struct gate_stack *s)
{
	if (s->running) /* elsewhere: it has moved */
		g->cpus[s->running - 1].stack = NULL;
	if (cpu->stack)
		cpu->stack->running = 0;
	cpu->before = cpu->stack;
	cpu->stack = s;
	s->running = (uint32_t)(cpu - g->cpus) + 1;
}

/* A CPU has come so far, and so has the stack that runs there. */
static void come_to(struct gate_cpu *cpu, const struct gate_event *event)
{
	if (cpu->stack && cpu->begun)
		cpu->stack->ran += gate_passed(cpu->last, event->clock);
	cpu->last = event->clock;
	cpu->time = event->time;
	cpu->begun = true;
}

static int on_switch(struct gate *g, const struct gate_event *event)
{
	struct gate_stack *s = gate_stack(g, event->number);
	struct gate_cpu *cpu = gate_cpu(g, event->cpu);

	if (!s || !cpu)
		return -ENOMEM;
	g->cpu = (uint32_t)(cpu - g->cpus);
	come_to(cpu, event);
	if (cpu->stack != s)
		change_stack(g, cpu, s);
	return g->open ? gate_emit(g, event) : 0;
}

/* The stack in use, which has run until now. NULL: no memory. */
static struct gate_stack *go_on(struct gate *g, const struct gate_event *event)
{
	struct gate_cpu *cpu = gate_cpu(g, g->cpu);
	struct gate_stack *s = cpu ? cpu->stack : NULL;

	if (cpu && !s && (s = gate_stack(g, 0)))
		change_stack(g, cpu, s);
	if (s)
		come_to(cpu, event);
	return s;
}

/* An event of no stack. */
static int on_other(struct gate *g, const struct gate_event *event)
{
	if (event->cpu < g->n_cpus)
		come_to(&g->cpus[event->cpu], event);
	return gate_emit(g, event);
}

static int take(struct gate *g, const struct gate_event *event)
{
	struct gate_stack *s;

	if (event->kind == GATE_OTHER)
		return on_other(g, event);
	if (event->kind == GATE_SWITCH)
		return on_switch(g, event);
	s = go_on(g, event);
	return s ? gate_on_call(g, s, event) : -ENOMEM;
}

int gate_take(struct gate *g, const struct gate_event *event)
{
	int rc;

	if (!g->begun) {
		g->begun = true;
		g->base = event->time;
	}
	if (event->time > g->now)
		g->now = event->time;
	rc = at_time(g, event);
	rc = rc ? rc : take(g, event);
	rc = rc ? rc : gate_flush(g);
	if (!rc && g->open && g->rules.entries && g->counts.entries >= g->rules.entries) {
		g->full = true;
		rc = gate_close(g, event);
	}
	return rc;
}

int gate_end(struct gate *g)
{
	int rc = gate_drain(g);

	return rc || !g->unattributed || !g->open ? rc : gate_tell_left(g);
}

void gate_tell_unattributed(struct gate *g)
{
	g->unattributed = true;
}

void gate_take_values(struct gate *g, void (*hold)(void *values), void (*drop)(void *values))
{
	g->hold = hold;
	g->drop = drop;
}

bool gate_is_open(const struct gate *g)
{
	return g->open;
}

bool gate_is_done(const struct gate *g)
{
	return g->done;
}

struct gate_counts gate_counts(const struct gate *g)
{
	return g->counts;
}
