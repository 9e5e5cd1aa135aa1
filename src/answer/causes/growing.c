/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/growing.h>

#include "alike.h"
#include <exectrace/base/clock.h>
#include <string.h>

#define SHARE_MIN 50              /* of the whole: time that grows is told when it is not less than such a part, ... */
#define TIME_MIN (10 * NS_PER_MS) /* ... nor than this */
#define IN_TURN 0.9               /* so many of processes begin behind the end of the one before */

static void keep(struct growing *all, const struct growing_item *item)
{
	size_t at = all->n;

	while (at && all->items[at - 1].time < item->time)
		at--;
	if (at == GROWING_MAX)
		return;
	all->n += all->n < GROWING_MAX;
	memmove(&all->items[at + 1], &all->items[at], (all->n - at - 1) * sizeof(*item));
	all->items[at] = *item;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static void add_stream(struct growing *all, const struct story *s, const struct tree_node *top,
                       const struct stream_grown *grown, uint64_t least)
{
	struct growing_item item = {
		.node = grown->process ? process_tree_node(s->tree, grown->process - 1) : NULL,
		.command = grown->command,
		.call = grown->key.call,
		.file = grown->key.file,
		.by = !grown->process     ? GROWING_PROCESS
	              : grown->fit.passes ? GROWING_PASS
	                                  : GROWING_CALL,
		.cost = grown->fit.bytes ? GROWING_BYTES : GROWING_TIME,
		.fit = grown->fit.fit,
		.bytes = grown->fit.all_bytes,
		.time = grown->fit.all_time,
	};

	/* Which processes those of a program were is not kept. */
	if (grown->process ? !story_is_below(item.node, top) : top != s->root)
		return;
	if (item.cost == GROWING_BYTES || item.fit.total >= least)
		keep(all, &item);
}

/* --- Processes ---------------------------------------------------------------------------------------------------- */

/* What each waits for others in is not its own, where several run at once. */
static bool are_in_turn(const struct story *s, const struct alike_member *members, size_t n)
{
	size_t behind = 0;

	for (size_t i = 1; i < n; i++)
		behind += story_start(s, members[i].node) >= story_end(s, members[i - 1].node);
	return (double)behind >= IN_TURN * (double)(n - 1);
}

/* 0; -ENOMEM. A trend of GROWTH_NONE: it does not grow. */
static int fit_processes(const struct story *s, const struct alike_member *members, size_t n, enum growing_cost cost,
                         struct growth_fit *fit)
{
	struct growth g = {0};
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tree_node *node = members[i].node;
		const struct exec_usage *usage = &node->end.usage;

		if (cost == GROWING_TIME)
			rc = growth_add(&g, story_end(s, node) - story_start(s, node));
		else if (usage->cpu)
			rc = growth_add(&g, usage->user + usage->system);
	}
	growth_fit(&g, fit);
	growth_release(&g);
	return rc;
}

static int add_processes(struct growing *all, const struct story *s, const struct alike_member *members, size_t n,
                         uint64_t least)
{
	struct growing_item item = {
		.node = members[n - 1].node,
		.command = program_command(members[n - 1].node),
		.file = "",
		.by = GROWING_PROCESS,
	};
	int rc = 0;

	for (item.cost = GROWING_TIME; item.cost <= GROWING_CPU && !rc; item.cost++) {
		if (item.cost == GROWING_TIME && !are_in_turn(s, members, n))
			continue;
		rc = fit_processes(s, members, n, item.cost, &item.fit);
		if (rc || item.fit.trend < GROWTH_LINEAR || item.fit.total < least)
			continue;
		item.time = item.fit.total;
		keep(all, &item);
		break;
	}
	return rc;
}

int growing_find(struct growing *growing, struct story *s, const struct tree_node *top)
{
	uint64_t least = (story_end(s, top) - story_start(s, top)) / SHARE_MIN;
	struct alike alike;
	int rc = alike_read(&alike, s, top);

	*growing = (struct growing){.n = 0};
	least = least > TIME_MIN ? least : TIME_MIN;
	for (size_t i = 0; i < s->history.n_grown; i++)
		add_stream(growing, s, top, &s->history.grown[i], least);
	for (size_t at = 0, end; at < alike.n && !rc; at = end) {
		end = alike_end(&alike, at);
		if (end - at >= GROWTH_CALLS)
			rc = add_processes(growing, s, &alike.members[at], end - at, least);
	}
	alike_release(&alike);
	return rc;
}
