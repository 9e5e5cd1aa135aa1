/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/guest/core/stacks.h>

#include <exectrace/record/guest/core/tracking.h>
#include <stdlib.h>

#define FIRST_CAP 64
void track_init(struct track *t, struct stacks *stacks, struct ring *ring, uint32_t cpu)
{
	*t = (struct track){.ring = ring, .stacks = stacks, .cpu = cpu, .key = TRACK_NONE};
	if (cpu < sizeof(stacks->rings) / sizeof(stacks->rings[0]))
		stacks->rings[cpu] = ring;
}

void track_apart(struct track *t)
{
	t->first_key = t->kernel_key = t->cpu;
}

struct stack *track_first(struct track *t)
{
	return stacks_user(t->stacks, t->first_key << STACKS_SHIFT);
}

/* The stack was used by another vCPU before: what that one has told of it comes first. */
static void hand_over(struct track *t, uint64_t clock, struct stack *stack)
{
	uint32_t from = atomic_load_explicit(&stack->cpu, memory_order_relaxed) - 1;
	struct ring *ring = from < 256 ? t->stacks->rings[from] : NULL;

	if (ring) {
		uint64_t words[2] = {from, atomic_load_explicit(&ring->head, memory_order_acquire)};

		ring_put_more(t->ring, clock, RING_AFTER, words);
	}
}

/* Whose task a program's stack is of: that of the kernel stack it is known by. */
static void tell_owner(struct track *t, uint64_t clock, struct stack *stack)
{
	const struct stack *owner = stacks_find(t->stacks, stack->key & ~STACKS_USER);
	uint64_t words[2] = {stack->id, owner ? owner->id : 0};

	stack->told = owner != NULL;
	if (owner)
		ring_put_more(t->ring, clock, RING_OWNER, words);
}

struct stack *track_switch(struct track *t, uint64_t clock, uint64_t key)
{
	struct stack *stack = stacks_find(t->stacks, key);
	uint32_t cpu = 0;

	if (!stack)
		stack = stacks_add(t->stacks, key);
	if (!stack)
		return NULL;
	if (key & STACKS_USER && !stack->told)
		tell_owner(t, clock, stack);
	cpu = atomic_load_explicit(&stack->cpu, memory_order_relaxed);
	if (cpu && cpu != t->cpu + 1)
		hand_over(t, clock, stack);
	atomic_store_explicit(&stack->cpu, t->cpu + 1, memory_order_relaxed);
	t->before = t->stack;
	t->stack = stack;
	t->key = key;
	t->counts.switches++;
	ring_put(t->ring, clock, RING_SWITCH, stack->id);
	return stack;
}

void track_unwind(struct track *t, uint64_t clock, struct stack *stack)
{
	const struct frame *frame = &stack->frames[--stack->depth];

	ring_put(t->ring, clock, frame->interrupt ? RING_IRQ_EXIT : RING_RETURN, 0);
	t->counts.unwound++;
}

void track_end(struct track *t, uint64_t clock, struct stack *stack)
{
	if (stack->depth)
		(void)track_switch(t, clock, stack->key);
	while (stack->depth)
		track_unwind(t, clock, stack);
	stack->call.slot = 0;
	stack->pid = stack->tgid = 0;
	stack->descriptor = 0;
	stack->named = false;
	stack->task = 0;
}

void track_again(struct track *t)
{
	t->kernel_key = t->first_key;
	t->entry = 0;
	t->entered = NULL;
}

/* Closes what is open on a stack that is not in use. */
static void bury(struct track *t, uint64_t clock, struct stack *stack)
{
	struct stack *in_use = t->stack, *before = t->before;

	if (!stack || !stack->depth || stack == in_use)
		return;
	(void)track_switch(t, clock, stack->key);
	while (stack->depth)
		track_unwind(t, clock, stack);
	if (in_use)
		(void)track_switch(t, clock, in_use->key);
	t->before = before;
}

void track_bury(struct track *t, uint64_t clock, uint64_t address)
{
	uint64_t key = address >> STACKS_SHIFT;

	bury(t, clock, stacks_find(t->stacks, key));
	bury(t, clock, stacks_find(t->stacks, key | STACKS_USER));
}

void track_exec(struct track *t, uint64_t clock)
{
	if (t->stack)
		bury(t, clock, stacks_find(t->stacks, t->stack->key | STACKS_USER));
}

void track_fork(struct track *t, uint64_t clock, uint64_t address)
{
	struct stack *in_use = t->stack, *before = t->before, *to;
	const struct stack *from = in_use ? stacks_find(t->stacks, in_use->key | STACKS_USER) : NULL;
	const uint64_t key = address >> STACKS_SHIFT | STACKS_USER;

	if (!from || !from->depth || from->key == key || !(to = track_switch(t, clock, key)))
		return;
	for (uint32_t i = 0; i < from->depth; i++) {
		const struct frame *frame = &from->frames[i];

		if (!frame->interrupt && push(t, to, frame->slot, frame->function, false)) {
			t->counts.calls++;
			ring_put(t->ring, clock, RING_CALL, frame->function);
		}
	}
	(void)track_switch(t, clock, in_use->key);
	t->before = before;
}

bool track_grow(struct stack *stack)
{
	uint32_t cap = stack->cap ? stack->cap * 2 : FIRST_CAP;
	struct frame *more = cap <= STACKS_DEPTH_MAX ? realloc(stack->frames, cap * sizeof(*more)) : NULL;

	if (!more)
		return false;
	stack->frames = more;
	stack->cap = cap;
	return true;
}

void track_call(struct track *t, uint64_t clock, uint64_t slot, uint32_t function)
{
	struct stack *stack = use(t, clock, &slot);

	if (!stack)
		return;
	unwind_to(t, clock, stack, slot, true);
	if (!push(t, stack, slot, function, false))
		return;
	t->counts.calls++;
	ring_put(t->ring, clock, RING_CALL, function);
}

void track_touch(struct track *t, uint64_t clock, uint64_t slot)
{
	(void)use(t, clock, &slot);
}

void track_enter(struct track *t, uint64_t clock, uint64_t slot, uint32_t function)
{
	struct stack *stack = use(t, clock, &slot);
	struct frame *top = NULL;

	if (!stack)
		return;
	unwind_to(t, clock, stack, slot, false);
	top = stack->depth ? &stack->frames[stack->depth - 1] : NULL;
	if (top && top->slot == slot && !top->interrupt) {
		if (top->function != function) { /* else it jumps back to its own beginning */
			top->function = function;
			t->counts.tails++;
			ring_put(t->ring, clock, RING_TAIL, function);
		}
		return;
	}
	if (!push(t, stack, slot, function, false))
		return;
	t->counts.calls++;
	ring_put(t->ring, clock, RING_CALL, function);
}

/* The slot of the innermost call on a kernel stack; 0: that is an interrupt, or there is none. */
static uint64_t top_slot(const struct stack *stack)
{
	const struct frame *top = stack && stack->depth ? &stack->frames[stack->depth - 1] : NULL;

	return top && !top->interrupt && !(stack->key & STACKS_USER) ? top->slot : 0;
}

uint64_t track_slot(const struct track *t, uint64_t last)
{
	const struct stack *stack = t->stack;

	if (!stack || stack->key & STACKS_USER || stack->depth)
		return top_slot(stack);
	if (top_slot(t->before))
		return top_slot(t->before);
	return last >> STACKS_SHIFT == stack->key ? last : 0;
}

bool track_has_further(const struct track *t, uint64_t slot)
{
	const struct stack *stack = peek(t, &slot);

	return stack && stack_has(stack, slot);
}

bool track_is_open(const struct track *t, uint64_t slot)
{
	const struct stack *stack = peek(t, &slot);
	uint32_t depth = 0;

	depth = stack ? depth_at(stack, slot) : 0;
	return depth && stack->frames[depth - 1].slot == slot && !stack->frames[depth - 1].interrupt;
}

void track_leave(struct track *t, uint64_t clock, uint64_t slot, uint32_t function, uint32_t other)
{
	struct stack *stack = use(t, clock, &slot);
	struct frame *top = NULL;

	top = stack && stack->depth ? &stack->frames[stack->depth - 1] : NULL;
	if (!top || top->function != function || top->interrupt || top->slot < slot)
		return;
	top->function = other;
	t->counts.tails++;
	ring_put(t->ring, clock, RING_TAIL, other);
}

void track_resume(struct track *t, uint64_t clock)
{
	const struct stack *stack = t->stack, *program;

	if (!t->programs || !stack || stack->depth || stack->key & STACKS_USER)
		return;
	program = stacks_find(t->stacks, stack->key | STACKS_USER);
	if (program && program->depth)
		(void)track_switch(t, clock, program->key);
}

/* The innermost call ends. As track_return. */
static inline bool close_top(struct track *t, uint64_t clock, struct stack *stack, uint64_t slot)
{
	stack->depth--;
	t->counts.returns++;
	ring_put(t->ring, clock, RING_RETURN, 0);
	if (__builtin_expect(stack->call.slot == slot, 0))
		return true;
	if (__builtin_expect(!stack->depth, 0))
		track_resume(t, clock);
	return false;
}

/* A return that may be of another call than the innermost one of the stack in use. */
static __attribute__((noinline)) bool return_further(struct track *t, uint64_t clock, uint64_t slot)
{
	struct stack *stack = peek(t, &slot);
	uint32_t depth = 0;

	depth = stack ? depth_at(stack, slot) : 0;
	if (!depth || stack->frames[depth - 1].slot != slot || stack->frames[depth - 1].interrupt) {
		t->counts.strays++;
		/* With lists, a system call whose function is not told. */
		return __builtin_expect(stack && stack->call.slot == slot && slot && use(t, clock, &slot) == stack, 0);
	}
	use(t, clock, &slot);
	while (stack->depth > depth)
		track_unwind(t, clock, stack);
	return close_top(t, clock, stack, slot);
}

bool track_return(struct track *t, uint64_t clock, uint64_t slot)
{
	struct stack *stack = t->stack;

	if (__builtin_expect(track_on_top(t, slot) && !stack->frames[stack->depth - 1].interrupt &&
	                             key_of(t, slot) == t->key &&
	                             atomic_load_explicit(&stack->cpu, memory_order_relaxed) == t->cpu + 1,
	                     1))
		return close_top(t, clock, stack, slot);
	return return_further(t, clock, slot);
}
