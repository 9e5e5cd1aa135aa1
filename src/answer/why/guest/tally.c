/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of a guest went, phase by phase. */
#include "watch.h"

#include <errno.h>
#include <exectrace/answer/why/guest/story/top.h>
#include <exectrace/base/grow.h>
#include <string.h>

/* The phase that a time since the start is in. */
static size_t phase_at(struct watch *w, uint64_t time)
{
	const struct guest_story *g = w->story;

	while (w->phase + 1 < g->n_phases && time >= g->phases[w->phase + 1].from)
		w->phase++;
	while (w->phase && time < g->phases[w->phase].from)
		w->phase--;
	return w->phase;
}

/* How much of a stretch is in the phase that it begins in; its number in *phase. */
static uint64_t first_part(struct watch *w, uint64_t from, uint64_t to, size_t *phase)
{
	const struct guest_story *g = w->story;

	*phase = phase_at(w, from);
	if (*phase + 1 < g->n_phases && to > g->phases[*phase + 1].from)
		to = g->phases[*phase + 1].from;
	return to - from;
}

void tally_ran(struct watch *w, struct watched_function *f, uint64_t from, uint64_t to)
{
	size_t phase;

	from = from > w->start ? from - w->start : 0;
	to = to > w->start ? to - w->start : 0;
	for (uint64_t part; from < to; from += part) {
		part = first_part(w, from, to, &phase);
		if (f->means & MEANS_IDLE) {
			w->story->phases[phase].idle += part;
		} else {
			w->story->phases[phase].busy += part;
			f->own[phase] += part;
		}
	}
}

/* --- Waits ------------------------------------------------------------------------------------------------------- */

static int add_wait(struct watch *w, const struct waits_task *task, const struct task_wait *wait, size_t phase,
                    uint64_t time)
{
	const struct replay_function *in = replay_function(w->replay, wait->function);
	const struct replay_function *call = replay_function(w->replay, wait->call);
	uint64_t id = (uint64_t)task->pid << 32 | wait->function;
	uintptr_t at = (uintptr_t)idmap_get(&w->waits_by_id, id, phase);

	if (!at) {
		if (grow_array((void **)&w->waits, w->n_waits, &w->cap_waits, sizeof(*w->waits)))
			return -ENOMEM;
		w->waits[w->n_waits] = (struct waited){.wait = {.pid = task->pid,
		                                                .function = in->name,
		                                                .call = wait->call == REPLAY_UNKNOWN ? "" : call->name},
		                                       .phase = phase};
		at = ++w->n_waits;
		if (idmap_put(&w->waits_by_id, id, phase, (char *)at))
			return -ENOMEM;
	}
	w->waits[at - 1].wait.time += time;
	w->waits[at - 1].wait.task = wait->task;
	return 0;
}

/* Adds the phases' parts of a wait. */
static int add_parts(struct watch *w, const struct waits_task *task, const struct task_wait *wait)
{
	const uint64_t end = w->story->length;
	uint64_t from = wait->from > w->start ? wait->from - w->start : 0;
	uint64_t to = wait->to > w->start ? wait->to - w->start : 0;
	size_t phase;
	int rc = 0;

	to = to < end ? to : end;
	for (uint64_t part; from < to && !rc; from += part) {
		part = first_part(w, from, to, &phase);
		rc = add_wait(w, task, wait, phase, part);
	}
	return rc;
}

/* Those of programs. */
int tally_waits(struct watch *w)
{
	int rc = 0;

	for (uint32_t i = 0; i < task_waits_count(w->waiting) && !rc; i++) {
		const struct waits_task *task = task_waits_at(w->waiting, i);

		for (size_t k = 0; k < task->n && !task->kernel && task->pid && !rc; k++)
			if (!task->waits[k].preempted)
				rc = add_parts(w, task, &task->waits[k]);
	}
	return rc;
}

/* --- What took most ----------------------------------------------------------------------------------------------- */

static void top_functions(struct watch *w, size_t phase)
{
	struct guest_phase *p = &w->story->phases[phase];

	for (uint32_t number = 0; number < w->n_functions; number++) {
		const struct replay_function *f = replay_function(w->replay, number);
		const struct guest_function one = {.name = f->name,
		                                   .module = f->module,
		                                   .time = w->functions[number].own[phase]};

		if (one.time)
			top_put(p->functions, &p->n_functions, &one);
	}
}

static void top_wait(struct guest_phase *p, const struct guest_wait *wait)
{
	size_t at = p->n_waits;

	while (at && p->waits[at - 1].time < wait->time)
		at--;
	if (at == GUEST_TOP)
		return;
	p->n_waits += p->n_waits < GUEST_TOP;
	memmove(&p->waits[at + 1], &p->waits[at], (p->n_waits - at - 1) * sizeof(*p->waits));
	p->waits[at] = *wait;
}

void tally_finish(struct watch *w)
{
	for (size_t i = 0; i < w->story->n_phases; i++)
		top_functions(w, i);
	for (size_t i = 0; i < w->n_waits; i++)
		top_wait(&w->story->phases[w->waits[i].phase], &w->waits[i].wait);
}
