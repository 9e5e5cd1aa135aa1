/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole.h"

#include <errno.h>
#include <stdlib.h>

void whole_release(struct whole *whole)
{
	free(whole->frames);
}

int whole_make(struct watch *w, struct whole *whole, const struct replay_stack *stack)
{
	const struct replay_stack *list[REPLAY_WHOLE];
	size_t n = replay_whole(stack, list), depth = 0;

	*whole = (struct whole){.bottom = list[n - 1]};
	for (size_t i = 0; i < n; i++)
		depth += list[i]->depth;
	whole->frames = calloc(depth, sizeof(*whole->frames));
	if (!whole->frames)
		return -ENOMEM;
	while (n-- > 0)
		for (uint32_t i = 0; i < list[n]->depth; i++)
			whole->frames[whole->n++] = &list[n]->frames[i];
	whole->below = whole->n - stack->depth;
	for (uint32_t i = 0; i < whole->n; i++)
		if (!watch_function(w, whole->frames[i]->function) || !watch_function(w, whole->frames[i]->called))
			return -ENOMEM;
	return 0;
}

/* The function that was called where a frame is, when it is no longer there. */
static void copy_jumped(const struct watch *w, const struct replay_frame *frame, struct guest_frame *to, size_t *n)
{
	const struct replay_function *f = replay_function(w->replay, frame->called);

	if (frame->called == REPLAY_UNKNOWN || frame->called == frame->function)
		return;
	to[*n] = (struct guest_frame){f->name, f->module, frame->interrupt, true};
	*n += 1;
}

/* What has jumped to a frame does itself what is done about it, as emergency_restart() does. */
static bool is_handled(const struct watch *w, const struct replay_frame *frame)
{
	return w->functions[frame->called].means & (MEANS_ENDING | MEANS_TROUBLE);
}

static void copy_frame(const struct watch *w, const struct replay_frame *frame, struct guest_frame *to, size_t *n)
{
	const struct replay_function *f = replay_function(w->replay, frame->function);
	const bool jumped = *n && to[*n - 1].jumped;

	to[*n] = (struct guest_frame){f->name, f->module, frame->interrupt && !jumped, false};
	*n += 1;
}

struct guest_frame *whole_led(const struct watch *w, const struct whole *whole, uint32_t led, size_t *n)
{
	struct guest_frame *frames = calloc(2 * (size_t)led + 1, sizeof(*frames));

	*n = 0;
	for (uint32_t i = 0; frames && i < led; i++) {
		copy_jumped(w, whole->frames[i], frames, n);
		copy_frame(w, whole->frames[i], frames, n);
	}
	if (frames && led < whole->n && !is_handled(w, whole->frames[led]))
		copy_jumped(w, whole->frames[led], frames, n);
	return frames;
}

struct guest_frame *whole_handling(const struct watch *w, const struct whole *whole, uint32_t led, size_t *n)
{
	struct guest_frame *frames = calloc(2 * (size_t)(whole->n - led) + 1, sizeof(*frames));

	*n = 0;
	for (uint32_t i = led; frames && i < whole->n; i++) {
		if (i > led || is_handled(w, whole->frames[i]))
			copy_jumped(w, whole->frames[i], frames, n);
		copy_frame(w, whole->frames[i], frames, n);
	}
	return frames;
}
