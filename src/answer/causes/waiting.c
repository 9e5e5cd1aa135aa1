/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/causes/waiting.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

static int add(struct waiting *waiting, const struct story *s, const struct tree_node *node,
               const struct recorded_thread *thread)
{
	const struct thread_history *t = history_thread(&s->history, thread->number);
	const struct wait *wait = thread_last_wait(t, story_event(s, story_end(s, node)), true);

	if (grow_array((void **)&waiting->items, waiting->n, &waiting->cap, sizeof(*waiting->items)))
		return -ENOMEM;
	waiting->items[waiting->n++] = (struct waiting_thread){
		.node = node,
		.thread = thread,
		.wait = wait && wait->unfinished ? wait : NULL,
		.stack = t ? t->stack : NULL,
	};
	return 0;
}

int waiting_find(struct waiting *waiting, const struct story *s, const struct tree_node *top)
{
	int err = 0;

	for (size_t i = 0; !top->end.when && !err && i < recording_threads(s->recording); i++) {
		const struct recorded_thread *thread = recording_thread(s->recording, i);
		const struct tree_node *node = process_tree_node(s->tree, thread->process->number);

		if (!thread->ended && story_is_below(node, top) && !node->end.when && !node->guest)
			err = add(waiting, s, node, thread);
	}
	return err;
}

void waiting_release(struct waiting *waiting)
{
	free(waiting->items);
	*waiting = (struct waiting){0};
}
