/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's stacks as a writer follows them, so that each block can begin with the calls that are open. Bounded: what
 * is deeper, or on more stacks, than the limits is counted or left out; nothing here fails.
 */
#ifndef EXECTRACE_SRC_FORMAT_DATA_OPEN_FRAMES_H
#define EXECTRACE_SRC_FORMAT_DATA_OPEN_FRAMES_H

#include <exectrace/base/buf.h>
#include <exectrace/format/data/intern.h>
#include <exectrace/format/data/record.h>

#define OPEN_STACKS_MAX 16384
#define OPEN_DEPTH_MAX 1024

struct open_stack {
	uint64_t id;
	uint32_t n, cap;
	uint32_t over; /* calls that are open above the n that are kept */
	struct data_open_call *calls;
};

struct open_calls {
	struct intern numbers; /* of stacks: index + 1 */
	struct open_stack *stacks;
	size_t n, cap;
	size_t current; /* index; n or above: on none that is followed */
	uint32_t cpu;
};

/* A record of the guest: a call, return, tail call, interrupt, return from one. Others are not looked at. */
void open_note(struct open_calls *open, unsigned type, uint64_t clock, uint64_t function);

/* The stack that records are of; NULL: none that is followed. Until the next call of another function. */
struct open_stack *open_current(struct open_calls *open);

/* Makes room for one more. False: it is not kept. */
bool open_grow(struct open_stack *stack);

/* Makes room for n more, where none is left out. False: one is, or they would not all be kept. */
bool open_room(struct open_stack *stack, uint32_t n);

static inline void open_push(struct open_stack *stack, const struct data_open_call *call)
{
	/* Once one is left out, so are those above it. */
	if (__builtin_expect(stack->over || (stack->n == stack->cap && !open_grow(stack)), 0))
		stack->over++;
	else
		stack->calls[stack->n++] = *call;
}

static inline void open_pop(struct open_stack *stack)
{
	if (__builtin_expect(stack->over, 0))
		stack->over--;
	else if (stack->n)
		stack->n--;
}

/* What follows happens on this stack. */
void open_switch(struct open_calls *open, uint64_t stack, uint32_t cpu);

/* Adds the stream of open calls as it is now, at most about `max` bytes of it; nothing when there are none. 0, -ENOMEM.
 */
int open_encode(const struct open_calls *open, struct buf *out, size_t max);

/* Frees all. */
void open_release(struct open_calls *open);

#endif
