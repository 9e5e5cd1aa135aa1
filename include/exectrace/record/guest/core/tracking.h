/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all that follows the guest on its stacks is made of: for stacks.c and interrupts.c only. */
#ifndef EXECTRACE_RECORD_GUEST_CORE_TRACKING_H
#define EXECTRACE_RECORD_GUEST_CORE_TRACKING_H

#include <exectrace/record/guest/core/stacks.h>

/* Makes a stack the one in use. NULL: there is no memory for it. */
struct stack *track_switch(struct track *t, uint64_t clock, uint64_t key);

/* Closes the innermost frame, not by its own return. */
void track_unwind(struct track *t, uint64_t clock, struct stack *stack);

/* Makes room for a frame. False: there is none. */
bool track_grow(struct stack *stack);

/* The address behind a kernel stack. */
static inline uint64_t top_of(uint64_t key)
{
	return (key + 1) << STACKS_SHIFT;
}

/*
 * Where a slot is when the stack by which the CPU enters the kernel from a program is taken for the top of the task's,
 * to which the kernel moves all of it (sync_regs, arch/x86/kernel/traps.c).
 */
static inline uint64_t place(const struct track *t, uint64_t slot)
{
	uint64_t below = t->entry - slot;
	return __builtin_expect(below - 1 < TRACK_ENTRY, 0) ? top_of(t->kernel_key) - below : slot;
}

/* The key of the stack on which a slot is. */
static inline uint64_t key_of(const struct track *t, uint64_t slot)
{
	return slot >> 63 ? slot >> STACKS_SHIFT : t->kernel_key | STACKS_USER;
}

/* The stack of a slot, which gets its place, in use from now on. */
static inline struct stack *use(struct track *t, uint64_t clock, uint64_t *slot)
{
	uint64_t key = key_of(t, *slot = place(t, *slot));

	if (*slot >> 63)
		t->kernel_key = key;
	if (__builtin_expect(t->stack && key == t->key &&
	                             atomic_load_explicit(&t->stack->cpu, memory_order_relaxed) == t->cpu + 1,
	                     1))
		return t->stack;
	return track_switch(t, clock, key);
}

/* Closes all frames further in than `slot`; that one too when `with` is set. */
static inline void unwind_to(struct track *t, uint64_t clock, struct stack *stack, uint64_t slot, bool with)
{
	while (stack->depth && stack->frames[stack->depth - 1].slot < slot + with)
		track_unwind(t, clock, stack);
}

/* Adds a frame. False: there is no room for it. */
static inline bool push(struct track *t, struct stack *stack, uint64_t slot, uint32_t function, bool interrupt)
{
	if (__builtin_expect(stack->depth == stack->cap, 0) && !track_grow(stack)) {
		t->counts.too_deep++;
		return false;
	}
	stack->frames[stack->depth++] = (struct frame){slot, function, interrupt};
	return true;
}

/* How many frames of a stack are further out than `slot`, or at it. */
static inline uint32_t depth_at(const struct stack *stack, uint64_t slot)
{
	uint32_t depth = stack->depth;

	while (depth && stack->frames[depth - 1].slot < slot)
		depth--;
	return depth;
}

/* The stack on which a slot, which gets its place, is, when there is one; it need not be in use. */
static inline struct stack *peek(const struct track *t, uint64_t *slot)
{
	uint64_t key = key_of(t, *slot = place(t, *slot));

	return t->stack && key == t->key ? t->stack : stacks_find(t->stacks, key);
}

#endif
