/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "left.h"

#include <errno.h>

#define INNERMOST 12u /* frames in which the scheduler is looked for */

/* A thread of the kernel waits in its own function, which kthread() has called. */
static bool waits_for_work(const struct replay_stack *stack, uint32_t i, const struct left *left, unsigned means)
{
	uint32_t inner = i + 1 < stack->depth ? stack->frames[i + 1].function : REPLAY_UNKNOWN;

	return left->function != REPLAY_UNKNOWN &&
	       (means & MEANS_WORK ? left->function == stack->frames[i].function
	                           : means & MEANS_KTHREAD &&
	                                     (left->function == inner || left->function == stack->frames[i].function));
}

int left_look(struct meanings *m, const struct replay_stack *stack, struct left *left)
{
	*left = (struct left){.function = REPLAY_UNKNOWN, .purpose = REPLAY_UNKNOWN, .caller = REPLAY_UNKNOWN};
	for (uint32_t i = stack->depth; i-- > 0;) {
		uint32_t number = stack->frames[i].function;
		unsigned means = meanings_of(m, number);
		bool counts;

		if (!means)
			return -ENOMEM;
		left->switched |= (means & MEANS_SWITCH) != 0;
		left->scheduled |= (means & MEANS_SCHEDULE) != 0;
		if (!left->switched && stack->depth - i > INNERMOST)
			return 0;
		left->preempted |= left->switched && left->function == REPLAY_UNKNOWN && (means & MEANS_PREEMPTED);
		left->ended |= left->switched && (means & MEANS_END);
		left->kernel |= (means & MEANS_KTHREAD) != 0;
		left->idle |= (means & MEANS_IDLE) != 0;
		counts = left->scheduled && !(means & (MEANS_SCHEDULE | MEANS_SCHEDULER));
		if (left->function == REPLAY_UNKNOWN && counts)
			left->function = number;
		if (left->purpose == REPLAY_UNKNOWN && counts && !(means & MEANS_MEANS))
			left->purpose = number;
		left->work |= waits_for_work(stack, i, left, means);
		if (left->caller == REPLAY_UNKNOWN && (means & MEANS_MODULE))
			left->caller = number;
		if (means & MEANS_CALL)
			left->call = number;
	}
	return 0;
}
