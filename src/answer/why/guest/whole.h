/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack with those that it goes on from: of an interrupt, of the kernel that a program called. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_WHOLE_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_WHOLE_H

#include "watch.h"

/* The open calls of a stack with those of the ones below it, the outermost first. */
struct whole {
	const struct replay_frame **frames;
	uint32_t n;
	uint32_t below;                    /* frames of other stacks than the innermost */
	const struct replay_stack *bottom; /* the task's that was interrupted, or called */
};

/* Makes it of a stack; of all its functions it is known what they mean then. Released in any case. 0 or -ENOMEM. */
int whole_make(struct watch *w, struct whole *whole, const struct replay_stack *stack);
void whole_release(struct whole *whole);

/*
 * Copies of the first `led` frames, with what has jumped to each, and to the next one; and of those behind them. *n:
 * how many. NULL: no memory.
 */
struct guest_frame *whole_led(const struct watch *w, const struct whole *whole, uint32_t led, size_t *n);
struct guest_frame *whole_handling(const struct watch *w, const struct whole *whole, uint32_t led, size_t *n);

#endif
