/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree made of a guest's calls: the node of an open call is the mark of its frame. */
#include "calltree.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX /* mark of a frame that is not wanted */

enum flag {
	FRAME_INSIDE = 1 << 0, /* within the function that everything has to be under */
};

/* What is known of a function of the replay. */
struct known {
	uint32_t function; /* of the tree, plus 1; 0: not asked for yet */
	bool under;
};

struct adding {
	struct calltree *tree;
	struct replay *replay;
	struct known *known; /* by number */
	size_t n;
	struct task_match *matches; /* by number of the stack */
	size_t n_matches;
};

static int learn(struct adding *a, uint32_t number)
{
	const struct replay_function *f = replay_function(a->replay, number);
	uint32_t function;

	if (widen_array((void **)&a->known, &a->n, number, sizeof(*a->known)))
		return -ENOMEM;
	function = calltree_name(a->tree, f->name, f->module);
	if (function == UINT32_MAX)
		return -ENOMEM;
	a->known[number].function = function + 1;
	a->known[number].under = a->tree->which.under && fnmatch(a->tree->which.under, f->name, 0) == 0;
	return 0;
}

/* Whether a call that begins has a place in the tree, of which its task says nothing. */
static bool is_wanted(const struct adding *a, struct replay_frame *frame, bool below)
{
	const struct functions_options *which = &a->tree->which;

	if (which->under && !a->known[frame->function].under && !(below && frame[-1].flags & FRAME_INSIDE))
		return false;
	frame->flags = FRAME_INSIDE;
	return which->irq == FUNCTIONS_IRQ_TOO || frame->in_interrupt == (which->irq == FUNCTIONS_IRQ_ONLY);
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct adding *a = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	bool below = stack->depth > 1 && !frame->interrupt;
	uint32_t parent = CALLTREE_ROOT, node;

	if (__builtin_expect(frame->function >= a->n || !a->known[frame->function].function, 0) &&
	    learn(a, frame->function))
		return -ENOMEM;
	frame->mark = NOWHERE;
	if (!is_wanted(a, frame, below))
		return 0;
	if (below && frame[-1].mark != NOWHERE)
		parent = (uint32_t)frame[-1].mark;
	node = calltree_child(a->tree, parent, a->known[frame->function].function - 1);
	frame->mark = node;
	return node == NO_NODE ? -ENOMEM : 0;
}

static bool counts(void *ctx, struct replay_stack *stack)
{
	struct adding *a = ctx;
	struct task_match once = {0};

	return task_wanted(&a->tree->tasks_wanted, stack->number < a->n_matches ? &a->matches[stack->number] : &once,
	                   stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct adding *a = ctx;
	struct calltree_node *node;

	if (call->frame->mark == NOWHERE || call->outside)
		return 0;
	if (stack->number >= a->n_matches &&
	    widen_array((void **)&a->matches, &a->n_matches, stack->number, sizeof(*a->matches)))
		return -ENOMEM;
	if (!counts(a, stack))
		return 0;
	node = &a->tree->nodes[call->frame->mark];
	node->count++;
	node->total += call->total;
	node->self += call->self;
	return 0;
}

int calltree_replay(struct calltree *t, struct replay *p)
{
	struct adding a = {.tree = t, .replay = p};
	const struct replay_sink sink = {.ctx = &a, .enter = on_enter, .leave = on_leave, .counts = counts};
	int rc = replay_run(p, &sink);

	free(a.known);
	free(a.matches);
	return rc;
}
