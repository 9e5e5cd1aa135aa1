/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/guest/delays/delays.h>

#include "code_owners.h"
#include "delay_shares.h"
#include <errno.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/replay/own_time.h>
#include <exectrace/answer/waits/wait_chain.h>
#include <exectrace/answer/why/guest/delays/rivals.h>
#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/story/top.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define DELAYS_MAX 4096u /* kinds of links; what is of more is left out */

/* What delays have in common, as bytes of a key; behind it what the task ran, or its name. */
struct delay_key {
	uint32_t kind, end;
	uint32_t of_parent, task; /* siblings that ran one command are alike: then `task` is their parent */
	uint32_t function, purpose, caller, call;
};

struct delays {
	struct guest_story *story;
	struct replay *replay;
	const struct lineages *lineages;
	struct wait_chain chain;
	uint64_t start;
	struct byte_map known;         /* by struct delay_key: number + 1 */
	uint32_t *delay_of;            /* by link: number of its delay + 1; 0: it has none */
	struct idmap tasks;            /* by delay and process id: 1 */
	struct delay_shares functions; /* by delay and function */
	struct delay_shares around;    /* by delay << 32 | function, and function of another module */
	struct delay_shares programs;  /* by delay and function of a program, with what it had the kernel do */
	struct delay_shares waiters;   /* by delay and number of a task: who waited */
	struct delay_shares rivals;    /* by delay and process id: who had the processor */
	struct own_time own_time;
	size_t link; /* of the last time */
	struct code_owners owners;
};

/* --- Links that are alike ----------------------------------------------------------------------------------------- */

/* Who ended a wait. */
static const char *end_of(const struct task_wait *wait)
{
	if (wait->end == WAIT_NOT_ENDED && wait->to == UINT64_MAX)
		return "nobody";
	return wait->end == WAIT_BY_TIMER ? "a timer" : wait->end == WAIT_BY_INTERRUPT ? "an interrupt" : "";
}

/* What a task ran when it had this name; NULL: unknown. */
static const char *command_of(const struct delays *d, const struct waits_task *task, const char *name)
{
	return task->kernel ? NULL : lineage_command_named(d->lineages, task->tgid ? task->tgid : task->pid, name);
}

static struct guest_delay delay_of(const struct delays *d, const struct chain_link *link)
{
	static const enum guest_delay_kind kinds[] =
		{[LINK_RAN] = GUEST_RAN, [LINK_WAITED] = GUEST_WAITED, [LINK_READY] = GUEST_READY};
	const struct waits_task *task = task_waits_at(d->chain.waits, link->task);
	const char *name = wait_chain_name(&d->chain, link);
	struct guest_delay delay = {.kind = kinds[link->kind],
	                            .task = name,
	                            .pid = task->pid,
	                            .command = command_of(d, task, name),
	                            .place = {"", "", "", "", ""},
	                            .end = "",
	                            .waiter = "",
	                            .waiter_in = "",
	                            .waiter_call = "",
	                            .rival = "",
	                            .rival_policy = "",
	                            .at = link->from > d->start ? link->from - d->start : 0,
	                            .min = UINT64_MAX};

	if (delay.kind == GUEST_WAITED && link->wait) {
		delay.place = place_of(d->replay, link->wait);
		delay.end = end_of(link->wait);
	}
	return delay;
}

static int make_key(const struct delays *d, const struct chain_link *link, const struct guest_delay *delay,
                    struct buf *bytes)
{
	const struct waits_task *task = task_waits_at(d->chain.waits, link->task);
	const struct task_wait *wait = delay->kind == GUEST_WAITED ? link->wait : NULL;
	const bool of_parent = delay->command && task->parent != WAITS_NOBODY;
	const struct delay_key key = {.kind = (uint32_t)delay->kind,
	                              .end = wait ? (uint32_t)wait->end : 0,
	                              .of_parent = of_parent,
	                              .task = of_parent ? task->parent : link->task,
	                              .function = wait ? wait->function : 0,
	                              .purpose = wait ? wait->purpose : 0,
	                              .caller = wait ? wait->caller : 0,
	                              .call = wait ? wait->call : 0};

	bytes->len = 0;
	buf_append(bytes, &key, sizeof(key));
	buf_puts(bytes, delay->command ? delay->command : delay->task);
	return bytes->err;
}

/* The number of the delay of a link + 1, made when it is new; 0: there are too many, or (rc) no memory. */
static uint32_t find(struct delays *d, const struct chain_link *link, struct buf *bytes, int *rc)
{
	struct guest_story *g = d->story;
	struct guest_delay delay = delay_of(d, link);
	uint64_t *number = NULL;

	*rc = make_key(d, link, &delay, bytes);
	if (!*rc)
		*rc = byte_map_find(&d->known, bytes->data, bytes->len, &number);
	if (*rc || *number || g->n_delays == DELAYS_MAX)
		return *rc ? 0 : (uint32_t)*number;
	*rc = grow_array((void **)&g->delays, g->n_delays, &g->cap_delays, sizeof(delay));
	if (*rc)
		return 0;
	g->delays[g->n_delays++] = delay;
	*number = g->n_delays;
	return (uint32_t)*number;
}

static int add_link(struct delays *d, size_t i, uint32_t number)
{
	const struct chain_link *link = &d->chain.links[i];
	struct guest_delay *delay = &d->story->delays[number - 1];
	const uint32_t pid = task_waits_at(d->chain.waits, link->task)->pid;
	const uint64_t time = link->to - link->from;

	delay->time += time;
	delay->count++;
	delay->min = time < delay->min ? time : delay->min;
	delay->max = time > delay->max ? time : delay->max;
	if (link->for_wait && !delay_shares_add(&d->waiters, number - 1, link->for_task, time))
		return -ENOMEM;
	if (idmap_get(&d->tasks, number, pid))
		return 0;
	delay->tasks++;
	return idmap_put(&d->tasks, number, pid, d);
}

static int fold(struct delays *d)
{
	struct buf bytes = BUF_INIT;
	int rc;

	d->delay_of = calloc(d->chain.n + 1, sizeof(*d->delay_of));
	rc = d->delay_of ? 0 : -ENOMEM;
	for (size_t i = 0; i < d->chain.n && !rc; i++) {
		const struct chain_link *link = &d->chain.links[i];

		d->story->chain += link->to - link->from;
		d->delay_of[i] = find(d, link, &bytes, &rc);
		if (d->delay_of[i])
			rc = add_link(d, i, d->delay_of[i]);
	}
	buf_release(&bytes);
	return rc;
}

/* --- What ran ----------------------------------------------------------------------------------------------------- */

static int add_function(struct delays *d, uint32_t delay, const struct replay_stack *stack, uint32_t function,
                        uint64_t time)
{
	const uint32_t caller = code_owners_around(&d->owners, stack, d->own_time.around, function);
	const uint32_t program = code_owners_of(&d->owners, function) == OF_PROGRAM ? function : caller;

	if (!delay_shares_add(&d->functions, delay, function, time))
		return -ENOMEM;
	if (program != REPLAY_UNKNOWN && code_owners_of(&d->owners, program) == OF_PROGRAM &&
	    !delay_shares_add(&d->programs, delay, program, time))
		return -ENOMEM;
	if (caller != REPLAY_UNKNOWN && !delay_shares_add(&d->around, (uint64_t)delay << 32 | function, caller, time))
		return -ENOMEM;
	return 0;
}

/* Another task had the processor. */
static int add_rival(struct delays *d, uint32_t number, const struct replay_stack *stack, uint32_t function,
                     uint64_t time)
{
	struct guest_delay *delay = &d->story->delays[number];
	const uint64_t all = delay_shares_add(&d->rivals, number, stack->pid, time);

	if (!all)
		return -ENOMEM;
	if (all > delay->rival_time) {
		delay->rival_time = all;
		delay->rival_pid = stack->pid;
		delay->rival = stack->task;
	}
	return add_function(d, number, stack, function, time);
}

static int add_time(struct delays *d, const struct chain_link *link, uint32_t delay, const struct replay_stack *stack,
                    uint32_t function, uint64_t time)
{
	const struct waits_task *task = task_waits_at(d->chain.waits, link->task);
	const bool its = task->pid == stack->pid && (task->pid || task->stack == stack->number);

	if (link->kind == LINK_RAN && its)
		return add_function(d, delay, stack, function, time);
	if (link->kind == LINK_READY && !its && stack->pid && link->wait && link->wait->cpu == (uint16_t)stack->cpu)
		return add_rival(d, delay, stack, function, time);
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
		const uint64_t begin = from > link->from ? from : link->from, end = to < link->to ? to : link->to;

		if (link->kind != LINK_WAITED && d->delay_of[i] && begin < end)
			rc = add_time(d, link, d->delay_of[i] - 1, stack, function, end - begin);
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

/* --- What took most ----------------------------------------------------------------------------------------------- */

static void give_functions(struct delays *d)
{
	for (size_t i = 0; i < d->functions.n; i++) {
		const struct delay_share *share = &d->functions.list[i];
		struct guest_delay *delay = &d->story->delays[share->id];
		const struct replay_function *f = replay_function(d->replay, (uint32_t)share->sub);

		top_put(delay->functions, &delay->n_functions,
		        &(struct guest_function){.name = f->name, .module = f->module, .time = share->time});
	}
}

/* The function of a program in which, with what that had the kernel do, most of the time went. */
static void give_programs(struct delays *d)
{
	for (size_t i = 0; i < d->programs.n; i++) {
		const struct delay_share *share = &d->programs.list[i];
		struct guest_delay *delay = &d->story->delays[share->id];
		const struct replay_function *f = replay_function(d->replay, (uint32_t)share->sub);

		if (share->time > delay->inside.time)
			delay->inside =
				(struct guest_function){.name = f->name, .module = f->module, .time = share->time};
	}
}

/* Where a function ran for one of another module most of the time. */
static void give_callers(struct delays *d)
{
	for (size_t i = 0; i < d->around.n; i++) {
		const struct delay_share *share = &d->around.list[i];
		struct guest_delay *delay = &d->story->delays[share->id >> 32];
		const struct replay_function *f = replay_function(d->replay, (uint32_t)share->id);
		const struct replay_function *caller = replay_function(d->replay, (uint32_t)share->sub);

		for (size_t k = 0; k < delay->n_functions; k++) {
			struct guest_function *top = &delay->functions[k];

			if (top->name == f->name && top->module == f->module && share->time > top->time / 2) {
				top->caller = caller->name;
				top->caller_module = caller->module;
			}
		}
	}
}

/* Who waited longest for it. */
static void give_waiters(struct delays *d)
{
	for (size_t i = 0; i < d->chain.n; i++) {
		const struct chain_link *link = &d->chain.links[i];
		struct guest_delay *delay = d->delay_of[i] ? &d->story->delays[d->delay_of[i] - 1] : NULL;
		const struct waits_task *waiter;
		uint64_t time;

		if (!delay || delay->kind != GUEST_WAITED || !link->for_wait)
			continue;
		time = delay_shares_of(&d->waiters, d->delay_of[i] - 1, link->for_task);
		if (time <= delay->waiter_time)
			continue;
		waiter = task_waits_at(d->chain.waits, link->for_task);
		delay->waiter_time = time;
		delay->waiter = link->for_wait->task;
		delay->waiter_pid = waiter->pid;
		delay->waiter_command = command_of(d, waiter, delay->waiter);
		delay->waiter_in = place_name(d->replay, link->for_wait->function);
		delay->waiter_call = place_name(d->replay, link->for_wait->call);
	}
}

static void give_command(const struct delays *d, struct guest_delay *delay)
{
	if (*delay->rival)
		delay->rival_command = lineage_command_named(d->lineages, delay->rival_pid, delay->rival);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct guest_delay *one = a, *two = b;

	if (one->time != two->time)
		return one->time > two->time ? -1 : 1;
	return (one->at > two->at) - (one->at < two->at);
}

static void release(struct delays *d)
{
	wait_chain_release(&d->chain);
	byte_map_release(&d->known);
	free(d->delay_of);
	idmap_release(&d->tasks);
	delay_shares_release(&d->functions);
	delay_shares_release(&d->around);
	delay_shares_release(&d->programs);
	code_owners_release(&d->owners);
	delay_shares_release(&d->rivals);
	delay_shares_release(&d->waiters);
	own_time_release(&d->own_time);
}

int delays_find(struct guest_story *story, struct task_waits *waits, const struct lineages *lineages)
{
	struct delays d = {.story = story,
	                   .replay = story->replay,
	                   .lineages = lineages,
	                   .start = replay_start(story->replay),
	                   .owners = {.replay = story->replay}};
	const struct replay_sink sink = {.ctx = &d, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	int rc = wait_chain_make(&d.chain, waits);

	d.own_time = (struct own_time){.fn = on_own_time, .ctx = &d};
	if (!rc)
		rc = fold(&d);
	if (!rc && d.chain.n)
		rc = replay_run(d.replay, &sink);
	rc = rc ? rc : d.owners.err;
	if (!rc) {
		give_functions(&d);
		give_callers(&d);
		give_programs(&d);
		give_waiters(&d);
	}
	for (size_t i = 0; i < story->n_delays && !rc; i++)
		give_command(&d, &story->delays[i]);
	if (story->n_delays) {
		qsort(story->delays, story->n_delays, sizeof(*story->delays), by_time);
		rivals_merge(story);
		qsort(story->delays, story->n_delays, sizeof(*story->delays), by_time);
	}
	release(&d);
	return rc;
}
