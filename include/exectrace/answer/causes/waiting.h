/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that had not ended when the recording did, and what they waited for then. */
#ifndef EXECTRACE_ANSWER_CAUSES_WAITING_H
#define EXECTRACE_ANSWER_CAUSES_WAITING_H

#include <exectrace/answer/story/story.h>

struct waiting_thread {
	const struct tree_node *node;
	const struct recorded_thread *thread;
	const struct wait *wait; /* NULL: it ran, or nothing is known of it */
	bool called;             /* it has made calls that were recorded */
	const char *stack;       /* of the call that it was in, as failure.stack; NULL: unknown */
};

struct waiting {
	struct waiting_thread *items; /* in the order in which they began */
	size_t n, cap;
};

/* Those of `top` and all below it, none when `top` had ended; of processes that ran already, and several of which may
 * have been asked for, all with the first one. 0 or -ENOMEM. */
int waiting_find(struct waiting *waiting, const struct story *s, const struct tree_node *top);

void waiting_release(struct waiting *waiting);

#endif
