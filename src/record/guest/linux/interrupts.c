/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/linux/interrupts.h>

#include <exectrace/record/guest/core/tracking.h>

#define WORD 8
#define GAP (6 * WORD)     /* by so much Linux moves what an int3 in the kernel has saved (entry_64.S) */
#define SAVED (5 * WORD)   /* what the processor saves of a program; an error code may lie below */
#define PADDING (2 * WORD) /* what Linux may leave above that (TOP_OF_KERNEL_STACK_PADDING) */
#define STACK_ALIGN 16     /* of the stacks that the processor changes to */

/* What an interrupt of a program saves is at the end of the stack; which stack that is. */
static bool from_program(struct track *t, uint64_t slot)
{
	uint64_t end = (slot + SAVED + WORD) & ~(uint64_t)(STACK_ALIGN - 1);

	if (slot >> TRACK_AREA_SHIFT != TRACK_AREA >> TRACK_AREA_SHIFT || !(top_of(t->kernel_key) >> 63))
		return false; /* or no stack of the kernel has been used yet */
	/* Else there was an exception of the kernel itself, on that stack. */
	if (t->entry - slot - 1 >= TRACK_ENTRY)
		t->entry = end;
	return t->entry == end;
}

void track_interrupt(struct track *t, uint64_t clock, uint64_t slot, uint32_t function, bool apart)
{
	uint64_t task = t->kernel_key;
	bool program = !apart && from_program(t, slot);
	struct stack *stack = use(t, clock, &slot);

	if (!stack)
		return;
	unwind_to(t, clock, stack, slot, true);
	if (!push(t, stack, slot, function, true))
		return;
	if (program)
		t->entered = stack;
	if (apart && task != stack->key)
		stack->task = task;
	t->counts.interrupts++;
	ring_put(t->ring, clock, RING_IRQ_ENTER, function);
}

/* True when what is furthest out on a kernel stack is the interrupt of a program. */
static bool has_interrupted(const struct stack *stack)
{
	return stack && stack->depth && stack->frames[0].interrupt &&
	       stack->frames[0].slot >= top_of(stack->key) - SAVED - WORD;
}

/*
 * The stack of the task whose program an iret, which reads from `slot`, goes back to after an interrupt; NULL: none.
 * From the stack by which the CPU enters, the task is that of the kernel stack used last; with lists that may be one
 * of interrupts, which is no task's.
 */
static struct stack *back_to_program(const struct track *t, uint64_t slot)
{
	uint64_t at = place(t, slot);
	struct stack *stack = NULL;

	if (top_of(at >> STACKS_SHIFT) - at > SAVED + PADDING)
		return NULL;
	stack = stacks_find(t->stacks, at >> STACKS_SHIFT);
	if (has_interrupted(stack))
		return stack;
	return at != slot && !(stack && stack->named) && has_interrupted(t->entered) ? t->entered : NULL;
}

/* The interrupt that an iret ends, as the number of frames with it, and its stack. 0: none. */
static uint32_t interrupt_at(const struct track *t, uint64_t slot, struct stack **stack)
{
	const struct frame *frame = NULL;
	uint32_t depth = 0;

	*stack = back_to_program(t, slot);
	if (*stack)
		return 1;
	*stack = peek(t, &slot);
	/* An error code, or the number of a vector, may lie below what the processor has saved. */
	depth = *stack ? depth_at(*stack, slot - WORD) : 0;
	frame = depth ? &(*stack)->frames[depth - 1] : NULL;
	return frame && (frame->slot <= slot || frame->slot == slot + GAP) && frame->interrupt ? depth : 0;
}

void track_iret(struct track *t, uint64_t clock, uint64_t slot)
{
	struct stack *stack = NULL;
	uint32_t depth = interrupt_at(t, slot, &stack);

	if (!depth)
		return;
	slot = stack->frames[depth - 1].slot;
	use(t, clock, &slot);
	while (stack->depth > depth)
		track_unwind(t, clock, stack);
	stack->depth--;
	t->counts.irets++;
	ring_put(t->ring, clock, RING_IRQ_EXIT, 0);
	/* A stack that is only for such interrupts is left. */
	if (stack->task && !stack->depth)
		t->kernel_key = stack->task;
	else
		track_resume(t, clock);
}
