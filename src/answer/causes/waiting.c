/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/waiting.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define LET_GO_NS (100 * NS_PER_MS) /* until all threads are */

/* It goes on, or was interrupted when it was let go of. */
static bool lasts(const struct wait *wait, uint64_t end)
{
	return wait && (wait->unfinished || (wait->interrupted && wait->to + LET_GO_NS >= end));
}

/* Where it was attached to, if it waits for the same there. */
static const char *stack_of(const struct history *h, const struct thread_history *t, const struct wait *wait)
{
	const struct wait *first = t && t->stack_wait < t->n ? &t->waits[t->stack_wait] : NULL;

	if (!t || !wait || !first || first == wait)
		return t ? t->stack : NULL;
	return strcmp(first->call, wait->call) == 0 && first->n == wait->n &&
	                       (!wait->n || h->waited[first->first] == h->waited[wait->first])
	               ? t->stack
	               : NULL;
}

static int add(struct waiting *waiting, const struct story *s, const struct tree_node *node,
               const struct recorded_thread *thread)
{
	const struct thread_history *t = history_thread(&s->history, thread->number);
	uint64_t end = story_event(s, story_end(s, node));
	const struct wait *wait = t && t->n ? &t->waits[t->n - 1] : NULL;

	if (grow_array((void **)&waiting->items, waiting->n, &waiting->cap, sizeof(*waiting->items)))
		return -ENOMEM;
	waiting->items[waiting->n++] = (struct waiting_thread){
		.node = node,
		.thread = thread,
		.wait = lasts(wait, end) ? wait : NULL,
		.called = t && t->n,
		.stack = stack_of(&s->history, t, wait),
	};
	return 0;
}

int waiting_find(struct waiting *waiting, const struct story *s, const struct tree_node *top)
{
	const struct recorded_run *run = recording_run(s->recording);
	bool all = top == s->root && run && !run->command.n; /* several that ran already */
	int err = 0;

	for (size_t i = 0; (all || !top->end.when) && !err && i < recording_threads(s->recording); i++) {
		const struct recorded_thread *thread = recording_thread(s->recording, i);
		const struct tree_node *node = process_tree_node(s->tree, thread->process->number);

		if (!thread->ended && node && (all || story_is_below(node, top)) && !node->end.when && !node->guest)
			err = add(waiting, s, node, thread);
	}
	return err;
}

void waiting_release(struct waiting *waiting)
{
	free(waiting->items);
	*waiting = (struct waiting){0};
}
