/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a failure began: from a process that failed down to the one that is the reason. */
#ifndef EXECTRACE_ANSWER_CAUSES_FAILURE_CHAIN_H
#define EXECTRACE_ANSWER_CAUSES_FAILURE_CHAIN_H

#include <exectrace/answer/story/story.h>

struct failure_chain {
	const struct tree_node **nodes; /* from the top down; the last one is where it began */
	size_t n, cap;
	size_t others; /* processes below the top that failed, too, and are not in the chain */
};

/*
 * The chain from a process that failed. Among the children that failed the reason is the first one after which the
 * parent began nothing more, or one that a signal ended, that complained, itself or one below it, that the parent named
 * in a line about a failure, as a test runner does, or that is the only one and has the parent's status. None is:
 * - what fails as an answer (test, grep, ...) and has not ended the parent;
 * - what the parent killed, unless it had waited in vain;
 * - any when the parent wrote, after the child's end, of a failure of its own, or has ended by a fault of its own.
 * Of what a shell did because something had failed (a message, a look at a log, cleaning up) that is the reason; of
 * ./configure, which tries much in vain, what failed last. 0 or -ENOMEM.
 */
int failure_chain_find(struct failure_chain *chain, const struct story *s, const struct tree_node *top);

/* True of programs whose status answers a question (test(1), grep(1), diff(1), ...). */
bool failure_chain_answers(const struct tree_node *node);

void failure_chain_release(struct failure_chain *chain);

#endif
