/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

#include <exectrace/base/grow.h>
#include <stdlib.h>

#define NO_TASK 1u /* ids are numbers of stacks, not of processes */

struct timeline_process *timeline_process(struct timeline_programs *programs, const struct replay_stack *stack)
{
	uint64_t id = stack->tasks ? stack->tgid : stack->number, sub = stack->tasks ? 0 : NO_TASK;
	struct timeline_process *process = idmap_get(&programs->by_id, id, sub);

	if (process || grow_array((void **)&programs->all, programs->n, &programs->cap, sizeof(process)))
		return process;
	process = calloc(1, sizeof(*process));
	if (!process || idmap_put(&programs->by_id, id, sub, process)) {
		free(process);
		return NULL;
	}
	return programs->all[programs->n++] = process;
}

uint64_t timeline_process_ran(const struct timeline_process *process, const struct replay *replay,
                              const struct replay_stack *stack)
{
	return process->ran + (replay_now(replay, stack->cpu) - stack->since);
}

void timeline_program_end(struct timeline *t, const struct timeline_process *process, uint64_t tick, uint64_t ran)
{
	struct timeline_item *item = &t->items[process->item];

	if (!process->item)
		return;
	item->elapsed = tick > item->start ? tick - item->start : 0;
	/* On another processor an interrupt may still be counted, until it is over. */
	item->ran = (int64_t)(ran - process->before) > 0 ? ran - process->before : 0;
	item->ended = true;
}

void timeline_programs_end(struct timeline_programs *programs, struct timeline *t)
{
	for (size_t i = 0; i < programs->n; i++) {
		const struct timeline_process *process = programs->all[i];

		if (!process->item || t->items[process->item].ended)
			continue;
		timeline_program_end(t, process, t->end, process->ran);
		t->items[process->item].ended = false;
	}
	for (size_t i = 1; i < t->n; i++)
		if (t->items[i].kind == TIMELINE_PROGRAM && t->items[i].start + t->items[i].elapsed < t->from)
			t->items[i].dropped = true;
}

void timeline_programs_release(struct timeline_programs *programs)
{
	for (size_t i = 0; i < programs->n; i++)
		free(programs->all[i]);
	free(programs->all);
	idmap_release(&programs->by_id);
}
