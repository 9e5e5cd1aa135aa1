/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "delays.h"
#include "place.h"
#include "watch.h"

#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/waits/wait_chain.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define DELAYS_MAX 4096u /* kinds of links; what is of more is left out */

struct delays {
	struct guest_story *story;
	struct replay *replay;
	struct wait_chain chain;
	uint64_t start;
	uint32_t *delay_of;     /* by link: number of its delay + 1; 0: it has none */
	struct idmap functions; /* by delay and function: number in `ran` + 1 */
	struct delay_ran *ran;
	size_t n_ran, cap_ran;
	struct own_time own_time;
	size_t link; /* of the last time */
};

/* What a function ran by itself in links of a delay. */
struct delay_ran {
	uint32_t delay, function;
	uint64_t time;
};

/* --- Links that are alike ----------------------------------------------------------------------------------------- */

/* Who ended a wait. */
static const char *end_of(const struct task_wait *wait)
{
	static const char *const ends[] = {
		[WAIT_NOT_ENDED] = "",
		[WAIT_BY_TASK] = "",
		[WAIT_BY_TIMER] = "a timer",
		[WAIT_BY_INTERRUPT] = "an interrupt",
	};

	return wait->end == WAIT_NOT_ENDED && wait->to == UINT64_MAX ? "nobody" : ends[wait->end];
}

static struct guest_delay delay_of(const struct delays *d, const struct chain_link *link)
{
	static const enum guest_delay_kind kinds[] =
		{[LINK_RAN] = GUEST_RAN, [LINK_WAITED] = GUEST_WAITED, [LINK_READY] = GUEST_READY};
	const struct waits_task *task = task_waits_at(d->chain.waits, link->task);
	struct guest_delay delay = {.kind = kinds[link->kind],
	                            .task = wait_chain_name(&d->chain, link),
	                            .pid = task->pid,
	                            .place = {"", "", "", ""},
	                            .end = "",
	                            .waiter = "",
	                            .waiter_in = "",
	                            .waiter_call = "",
	                            .at = link->from > d->start ? link->from - d->start : 0,
	                            .min = UINT64_MAX};

	if (delay.kind == GUEST_WAITED && link->wait) {
		delay.place = place_of(d->replay, link->wait);
		delay.end = end_of(link->wait);
	}
	if (delay.kind != GUEST_WAITED || !link->for_wait)
		return delay;
	delay.waiter = link->for_wait->task;
	delay.waiter_pid = task_waits_at(d->chain.waits, link->for_task)->pid;
	delay.waiter_in = place_name(d->replay, link->for_wait->function);
	delay.waiter_call = place_name(d->replay, link->for_wait->call);
	return delay;
}

/* Names are kept once: equal ones are the same. */
static bool is_alike(const struct guest_delay *a, const struct guest_delay *b)
{
	return a->kind == b->kind && a->pid == b->pid && strcmp(a->task, b->task) == 0 &&
	       a->place.function == b->place.function && a->place.caller == b->place.caller &&
	       a->place.call == b->place.call && strcmp(a->end, b->end) == 0;
}

/* The number of the delay of a link + 1, made when it is new; 0: there are too many, or (rc) no memory. */
static uint32_t find(struct delays *d, const struct chain_link *link, int *rc)
{
	struct guest_story *g = d->story;
	struct guest_delay delay = delay_of(d, link);

	for (size_t i = g->n_delays; i-- > 0;)
		if (is_alike(&g->delays[i], &delay))
			return (uint32_t)i + 1;
	if (g->n_delays == DELAYS_MAX)
		return 0;
	*rc = grow_array((void **)&g->delays, g->n_delays, &g->cap_delays, sizeof(delay));
	if (*rc)
		return 0;
	g->delays[g->n_delays++] = delay;
	return (uint32_t)g->n_delays;
}

static int fold(struct delays *d)
{
	struct guest_story *g = d->story;
	int rc = 0;

	d->delay_of = calloc(d->chain.n + 1, sizeof(*d->delay_of));
	if (!d->delay_of)
		return -ENOMEM;
	for (size_t i = 0; i < d->chain.n && !rc; i++) {
		const struct chain_link *link = &d->chain.links[i];
		const uint32_t number = find(d, link, &rc);
		struct guest_delay *delay = number ? &g->delays[number - 1] : NULL;
		const uint64_t time = link->to - link->from;

		g->chain += time;
		d->delay_of[i] = number;
		if (!delay)
			continue;
		delay->time += time;
		delay->count++;
		delay->min = time < delay->min ? time : delay->min;
		delay->max = time > delay->max ? time : delay->max;
	}
	return rc;
}

/* --- What ran ----------------------------------------------------------------------------------------------------- */

static int add_ran(struct delays *d, uint32_t delay, uint32_t function, uint64_t time)
{
	uintptr_t at = (uintptr_t)idmap_get(&d->functions, delay, function);

	if (!at) {
		if (grow_array((void **)&d->ran, d->n_ran, &d->cap_ran, sizeof(*d->ran)))
			return -ENOMEM;
		d->ran[d->n_ran] = (struct delay_ran){delay, function, 0};
		at = ++d->n_ran;
		if (idmap_put(&d->functions, delay, function, (char *)at))
			return -ENOMEM;
	}
	d->ran[at - 1].time += time;
	return 0;
}

/* A function ran by itself on a stack. */
static int on_own_time(void *ctx, const struct replay_stack *stack, uint32_t function, uint64_t from, uint64_t to)
{
	struct delays *d = ctx;
	const struct wait_chain *chain = &d->chain;
	int rc = 0;

	while (d->link && from < chain->links[d->link].from)
		d->link--;
	while (d->link + 1 < chain->n && from >= chain->links[d->link].to)
		d->link++;
	for (size_t i = d->link; i < chain->n && chain->links[i].from < to && !rc; i++) {
		const struct chain_link *link = &chain->links[i];
		const struct waits_task *task = task_waits_at(chain->waits, link->task);
		const uint64_t begin = from > link->from ? from : link->from, end = to < link->to ? to : link->to;

		if (link->kind == LINK_RAN && d->delay_of[i] && begin < end && task->pid == stack->pid &&
		    (task->pid || task->stack == stack->number))
			rc = add_ran(d, d->delay_of[i] - 1, function, end - begin);
	}
	return rc;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	return own_time_enter(&((struct delays *)ctx)->own_time, stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return own_time_leave(&((struct delays *)ctx)->own_time, stack, call);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	(void)cpu;
	return own_time_ran(&((struct delays *)ctx)->own_time, stack, ticks);
}

static void give_function(struct delays *d, const struct delay_ran *ran)
{
	struct guest_delay *delay = &d->story->delays[ran->delay];
	const struct replay_function *f = replay_function(d->replay, ran->function);

	tally_top(delay->functions, &delay->n_functions, &(struct guest_function){f->name, f->module, ran->time});
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct guest_delay *one = a, *two = b;

	if (one->time != two->time)
		return one->time > two->time ? -1 : 1;
	return (one->at > two->at) - (one->at < two->at);
}

int delays_find(struct guest_story *story, struct task_waits *waits)
{
	struct delays d = {.story = story, .replay = story->replay, .start = replay_start(story->replay)};
	const struct replay_sink sink = {.ctx = &d, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	int rc = wait_chain_make(&d.chain, waits);

	d.own_time = (struct own_time){.fn = on_own_time, .ctx = &d};
	if (!rc)
		rc = fold(&d);
	if (!rc && d.chain.n)
		rc = replay_run(d.replay, &sink);
	for (size_t i = 0; i < d.n_ran && !rc; i++)
		give_function(&d, &d.ran[i]);
	if (story->n_delays)
		qsort(story->delays, story->n_delays, sizeof(*story->delays), by_time);
	wait_chain_release(&d.chain);
	free(d.delay_of);
	idmap_release(&d.functions);
	free(d.ran);
	own_time_release(&d.own_time);
	return rc;
}
