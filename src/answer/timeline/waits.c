/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the items of a guest's timeline waited, and delayed. */
#include "timeline.h"

#include <exectrace/answer/waits/wait_chain.h>

static void add(struct timeline_item *item, const struct task_waits *waits, const struct wait_chain *chain)
{
	const uint64_t from = item->start, to = item->start + item->elapsed;
	struct chain_window window = {0};

	item->waited = task_waits_until(waits, item->pid, item->stack, to) -
	               task_waits_until(waits, item->pid, item->stack, from);
	item->delay = chain_window_at(chain, &window, item->pid, item->stack, to) -
	              chain_window_at(chain, &window, item->pid, item->stack, from);
}

int timeline_guest_waits(struct timeline *t, struct replay *p, bool *known)
{
	struct wait_chain chain = {0};
	struct task_waits *waits = NULL;
	int rc = wait_chain_read(&chain, &waits, p);

	*known = !rc && chain.n;
	for (size_t i = 1; i < t->n && *known; i++)
		if (t->items[i].kind != TIMELINE_PHASE)
			add(&t->items[i], waits, &chain);
	wait_chain_release(&chain);
	task_waits_free(waits);
	return rc;
}
