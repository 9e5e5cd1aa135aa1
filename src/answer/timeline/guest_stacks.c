/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest.h"
#include <exectrace/base/grow.h>

#include <stdlib.h>
#include <string.h>

struct known *timeline_guest_learn(struct adding *a, uint32_t number)
{
	const struct replay_function *f = replay_function(a->replay, number);
	struct known *known;

	if (widen_array((void **)&a->known, &a->n, number, sizeof(*a->known)))
		return NULL;
	known = &a->known[number];
	known->learned = true;
	known->kernel = strcmp(f->module, "[kernel]") == 0;
	known->role = timeline_role(f->name);
	return known;
}

struct timeline_guest_gstack *timeline_guest_learn_stack(struct adding *a, struct replay_stack *stack)
{
	struct timeline_guest_gstack *gs;

	if (grow_array((void **)&a->stacks, a->n_stacks, &a->cap_stacks, sizeof(gs)))
		return NULL;
	gs = calloc(1, sizeof(*gs));
	if (gs)
		a->stacks[a->n_stacks++] = gs;
	stack->user = gs;
	return gs;
}

void timeline_guest_forget(struct adding *a)
{
	for (size_t i = 0; i < a->n_stacks; i++)
		free(a->stacks[i]);
	free(a->stacks);
	free(a->known);
	timeline_programs_release(&a->programs);
	a->stacks = NULL;
	a->known = NULL;
	a->n_stacks = a->cap_stacks = a->n = 0;
	a->programs = (struct timeline_programs){0};
}
