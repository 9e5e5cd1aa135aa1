/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STACKS 256u

/* The place of a stack in a table: where it is, or the first free one. */
static struct gate_stack **place(struct gate_stack **table, uint32_t cap, uint64_t id)
{
	uint32_t i = (uint32_t)(id * 0x9e3779b97f4a7c15ull >> 32) & (cap - 1);

	while (table[i] && table[i]->id != id)
		i = (i + 1) & (cap - 1);
	return &table[i];
}

static bool grow(struct gate *g)
{
	uint32_t cap = g->cap_stacks ? g->cap_stacks * 2 : FIRST_STACKS;
	struct gate_stack **more;

	if (g->n_stacks < g->cap_stacks / 2)
		return true;
	more = calloc(cap, sizeof(struct gate_stack *));
	if (!more)
		return false;
	for (uint32_t i = 0; i < g->cap_stacks; i++) {
		if (g->stacks[i])
			*place(more, cap, g->stacks[i]->id) = g->stacks[i];
	}
	free(g->stacks);
	g->stacks = more;
	g->cap_stacks = cap;
	return true;
}

struct gate_stack *gate_stack(struct gate *g, uint64_t id)
{
	struct gate_stack **at;

	if (!grow(g))
		return NULL;
	at = place(g->stacks, g->cap_stacks, id);
	if (!*at && g->n_stacks >= GATE_STACKS_MAX && id)
		return gate_stack(g, 0);
	if (*at || !(*at = calloc(1, sizeof(**at))))
		return *at;
	(*at)->id = id;
	g->n_stacks++;
	return *at;
}

struct gate_cpu *gate_cpu(struct gate *g, uint32_t number)
{
	struct gate_cpu *more;

	if (number >= GATE_CPUS_MAX)
		number = GATE_CPUS_MAX - 1;
	if (number < g->n_cpus)
		return &g->cpus[number];
	more = realloc(g->cpus, (number + 1) * sizeof(*more));
	if (!more)
		return NULL;
	memset(more + g->n_cpus, 0, (number + 1 - g->n_cpus) * sizeof(*more));
	g->cpus = more;
	g->n_cpus = number + 1;
	return &g->cpus[number];
}

bool gate_stack_wanted(struct gate *g, const struct gate_stack *s)
{
	const struct gate_stack *owner = s;

	if (!s->named && s->owner)
		owner = *place(g->stacks, g->cap_stacks, s->owner);
	return owner && owner->named ? owner->wanted : !g->tasks_only;
}

bool gate_wants(struct gate *g, uint64_t stack)
{
	const struct gate_stack *s = gate_stack(g, stack);

	return !s || gate_stack_wanted(g, s);
}

int gate_task(struct gate *g, uint64_t stack, bool wanted)
{
	struct gate_stack *s = gate_stack(g, stack);

	if (!s)
		return -ENOMEM;
	s->named = true;
	s->wanted = wanted;
	return 0;
}

int gate_owner(struct gate *g, uint64_t stack, uint64_t owner)
{
	struct gate_stack *s = gate_stack(g, stack);

	if (!s)
		return -ENOMEM;
	s->owner = owner;
	return 0;
}

void gate_tasks_only(struct gate *g)
{
	g->tasks_only = true;
}

uint64_t gate_innermost(const struct gate *g)
{
	const struct gate_stack *s = g->cpu < g->n_cpus ? g->cpus[g->cpu].stack : NULL;

	return s && s->depth && !s->over ? s->frames[s->depth - 1].function : 0;
}

void gate_stacks_release(struct gate *g)
{
	for (uint32_t i = 0; i < g->cap_stacks; i++) {
		if (g->stacks[i])
			free(g->stacks[i]->frames);
		free(g->stacks[i]);
	}
	free(g->stacks);
	free(g->cpus);
}
