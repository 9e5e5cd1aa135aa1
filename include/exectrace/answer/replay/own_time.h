/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What functions ran by themselves: each stretch of time of a stack with the function that was its innermost one then.
 * Of a sink, whose calls are passed on.
 */
#ifndef EXECTRACE_ANSWER_REPLAY_OWN_TIME_H
#define EXECTRACE_ANSWER_REPLAY_OWN_TIME_H

#include <exectrace/answer/replay/replay.h>

/* A function ran in [from, to), in ticks. 0, or -errno to end the replay. */
typedef int own_time_fn(void *ctx, const struct replay_stack *stack, uint32_t function, uint64_t from, uint64_t to);

struct own_time {
	own_time_fn *fn;
	void *ctx;
	uint32_t around; /* while fn runs: how many frames of the stack are the function's, and of calls around it */
	/* private */
	uint64_t *told; /* by number of a stack: until when */
	size_t n;
};

/* For `enter`, `leave` and `ran` of a sink. 0; -ENOMEM; what fn returned. */
int own_time_enter(struct own_time *o, const struct replay_stack *stack);
int own_time_leave(struct own_time *o, const struct replay_stack *stack, const struct replay_call *call);
int own_time_ran(struct own_time *o, const struct replay_stack *stack, uint64_t ticks);

void own_time_release(struct own_time *o);

#endif
