/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/replay/own_time.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

/* What was innermost ran until then. The stack runs since `since`. */
static int until(struct own_time *o, const struct replay_stack *stack, uint32_t function, uint64_t since, uint64_t now)
{
	uint64_t from;

	if (__builtin_expect(stack->number >= o->n, 0) &&
	    widen_array((void **)&o->told, &o->n, stack->number, sizeof(*o->told)))
		return -ENOMEM;
	from = o->told[stack->number] > since ? o->told[stack->number] : since;
	if (now <= from)
		return 0;
	o->told[stack->number] = now;
	return o->fn(o->ctx, stack, function, from, now);
}

static uint32_t innermost(const struct replay_stack *stack, uint32_t depth)
{
	return depth ? stack->frames[depth - 1].function : REPLAY_UNKNOWN;
}

int own_time_enter(struct own_time *o, const struct replay_stack *stack)
{
	o->around = stack->depth - 1;
	return until(o, stack, innermost(stack, o->around), stack->since, stack->frames[stack->depth - 1].entered);
}

/* What was open at the end was told of when its stack ran last. */
int own_time_leave(struct own_time *o, const struct replay_stack *stack, const struct replay_call *call)
{
	o->around = stack->depth;
	return call->ended ? until(o, stack, call->frame->function, stack->since, call->left) : 0;
}

int own_time_ran(struct own_time *o, const struct replay_stack *stack, uint64_t ticks)
{
	int rc;

	o->around = stack->depth;
	rc = until(o, stack, innermost(stack, o->around), stack->since - ticks, stack->since);
	/* The clock of the CPU that it runs on next may be behind. */
	if (!rc)
		o->told[stack->number] = 0;
	return rc;
}

void own_time_release(struct own_time *o)
{
	free(o->told);
	o->told = NULL;
	o->n = 0;
}
