/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree made of a guest's calls: the node of an open call is the mark of its frame. */
#include "calltree.h"
#include <exectrace/answer/replay/task.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT64_MAX          /* mark of a frame that is not wanted, */
#define NO_ROOM ((uint64_t)1 << 32) /* or of one whose own time is that of the caller's node */

enum flag {
	FRAME_INSIDE = 1 << 0, /* within the function that everything has to be under */
	FRAME_ASKED = 1 << 1,  /* the same in an interrupt, which is not within it */
};

/* What is known of a function of the replay. */
struct calltree_replay_known {
	uint32_t function;    /* of the tree; 0: not asked for yet */
	uint32_t interrupted; /* of the tree, where it stands above what has interrupted it; 0: it does not */
	bool under;
	bool program; /* it is a program's */
};

struct calltree_replay_adding {
	struct calltree *tree;
	struct replay *replay;
	const struct functions_options *which;
	struct task_select tasks_wanted;
	struct calltree_replay_known *known; /* by number */
	size_t n;
	struct task_match *matches; /* by number of the stack */
	size_t n_matches;
};

static int learn(struct calltree_replay_adding *a, uint32_t number)
{
	const struct replay_function *f = replay_function(a->replay, number);
	uint32_t function;

	if (widen_array((void **)&a->known, &a->n, number, sizeof(*a->known)))
		return -ENOMEM;
	function = calltree_function(a->tree, f->name, f->module, "");
	if (function == CALLTREE_NONE)
		return -ENOMEM;
	a->tree->functions[function].kernel = strcmp(f->module, "[kernel]") == 0;
	a->known[number].function = function;
	a->known[number].program = *f->module && *f->module != '[';
	a->known[number].under = a->which->under && fnmatch(a->which->under, f->name, 0) == 0;
	return 0;
}

/* Whether a call that begins has a place in the tree, of which its task says nothing. */
static bool is_wanted(const struct calltree_replay_adding *a, struct replay_frame *frame, bool below)
{
	const struct functions_options *which = a->which;

	if (which->under && !a->known[frame->function].under && !(below && frame[-1].flags & FRAME_INSIDE))
		return false;
	frame->flags = FRAME_INSIDE;
	if (functions_irq_ran(frame, below, FRAME_INSIDE, FRAME_ASKED))
		frame->flags |= FRAME_ASKED;
	return functions_irq_wants(which->irq, frame, frame->asked || frame->flags & FRAME_ASKED);
}

/* --- What was interrupted ----------------------------------------------------------------------------------------- */

/* Goes down from a node by open calls of a stack. CALLTREE_NONE: no memory. */
static uint32_t go_down(struct calltree_replay_adding *a, uint32_t node, const struct replay_stack *stack, uint32_t n)
{
	for (uint32_t i = 0; i < n && node != CALLTREE_NONE; i++) {
		uint32_t number = stack->frames[i].function;
		const struct replay_function *f = replay_function(a->replay, number);

		if ((number >= a->n || !a->known[number].function) && learn(a, number))
			return CALLTREE_NONE;
		if (!a->known[number].interrupted)
			a->known[number].interrupted =
				calltree_function(a->tree, f->name, f->module, CALLTREE_INTERRUPTED);
		node = a->known[number].interrupted == CALLTREE_NONE
		               ? CALLTREE_NONE
		               : child_of(a->tree, node, a->known[number].interrupted);
	}
	return node;
}

/*
 * The node below which the innermost call of a stack belongs, which is an interrupt or the first call of a stack. That
 * of what it interrupted has no weight, and is not that of its calls: an interrupt's time is not theirs. CALLTREE_NONE:
 * no memory.
 */
static uint32_t interrupted_by(struct calltree_replay_adding *a, const struct replay_stack *stack)
{
	const struct replay_stack *list[REPLAY_WHOLE];
	uint32_t node = CALLTREE_ROOT;
	size_t n;

	if (!a->which->interrupted || (stack->pid && !stack->frames[stack->depth - 1].interrupt))
		return CALLTREE_ROOT;
	n = replay_whole(stack, list);
	while (n-- > 1 && node != CALLTREE_NONE)
		node = go_down(a, node, list[n], list[n]->depth);
	return node == CALLTREE_NONE ? node : go_down(a, node, stack, stack->depth - 1);
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct calltree_replay_adding *a = ctx;
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
	else if (!below)
		parent = interrupted_by(a, stack);
	node = parent == CALLTREE_NONE ? parent : child_of(a->tree, parent, a->known[frame->function].function);
	frame->mark = node;
	if (__builtin_expect(node == parent, 0))
		frame->mark |= NO_ROOM;
	return node == CALLTREE_NONE ? -ENOMEM : 0;
}

static bool counts(void *ctx, struct replay_stack *stack)
{
	struct calltree_replay_adding *a = ctx;
	struct task_match once = {0};

	return task_wanted(&a->tasks_wanted, stack->number < a->n_matches ? &a->matches[stack->number] : &once, stack);
}

/* From its beginning to its end. What the kernel does for a program is on another stack. */
static uint64_t elapsed(const struct calltree_replay_adding *a, const struct replay_call *call)
{
	return a->known[call->frame->function].program ? call->elapsed : call->total + call->waited;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct calltree_replay_adding *a = ctx;
	struct calltree_weight *weight;

	if (call->frame->mark == NOWHERE || call->outside)
		return 0;
	if (stack->number >= a->n_matches &&
	    widen_array((void **)&a->matches, &a->n_matches, stack->number, sizeof(*a->matches)))
		return -ENOMEM;
	if (!counts(a, stack))
		return 0;
	weight = &a->tree->nodes[(uint32_t)call->frame->mark].sides[0];
	weight->self += call->self;
	if (__builtin_expect(!(call->frame->mark & NO_ROOM), 1)) {
		weight->count++;
		weight->total += a->which->elapsed ? elapsed(a, call) : call->total;
		weight->waited += a->which->elapsed ? call->waited : 0;
	}
	return 0;
}

int calltree_replay(struct calltree *t, struct replay *p, const struct functions_options *which)
{
	struct calltree_replay_adding a = {.tree = t, .replay = p, .which = which};
	const struct replay_sink sink = {.ctx = &a,
	                                 .enter = on_enter,
	                                 .leave = on_leave,
	                                 .counts = counts,
	                                 .asked_only = true};
	int rc;

	a.tasks_wanted = (struct task_select){which->task, which->pids, which->n_pids};
	rc = replay_run(p, &sink);
	free(a.known);
	free(a.matches);
	return rc;
}
