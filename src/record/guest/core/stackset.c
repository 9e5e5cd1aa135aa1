/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All stacks of the guest, by their keys. */
#include <exectrace/record/guest/core/stacks.h>

#include <stdlib.h>
#include <string.h>

int stacks_init(struct stacks *stacks)
{
	memset(stacks, 0, sizeof(*stacks));
	return -pthread_mutex_init(&stacks->lock, NULL);
}

void stacks_release(struct stacks *stacks)
{
	for (size_t i = 0; i < STACKS_TABLE; i++) {
		struct stack *stack = atomic_load_explicit(&stacks->table[i], memory_order_relaxed);

		if (stack)
			free(stack->frames);
		free(stack);
	}
	pthread_mutex_destroy(&stacks->lock);
}

/* The place of a key: its stack, or the first one that is free. */
static _Atomic(struct stack *) *place(struct stacks *stacks, uint64_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15ull >> 47;

	for (;; i = (i + 1) % STACKS_TABLE) {
		struct stack *stack = atomic_load_explicit(&stacks->table[i], memory_order_acquire);

		if (!stack || stack->key == key)
			return &stacks->table[i];
	}
}

struct stack *stacks_find(struct stacks *stacks, uint64_t key)
{
	return atomic_load_explicit(place(stacks, key), memory_order_acquire);
}

struct stack *stacks_add(struct stacks *stacks, uint64_t key)
{
	_Atomic(struct stack *) *at;
	struct stack *stack;

	pthread_mutex_lock(&stacks->lock);
	at = place(stacks, key);
	stack = atomic_load_explicit(at, memory_order_relaxed);
	if (!stack && stacks->n < STACKS_MAX && (stack = calloc(1, sizeof(*stack)))) {
		stack->key = key;
		stack->id = ++stacks->n;
		atomic_store_explicit(at, stack, memory_order_release);
	}
	pthread_mutex_unlock(&stacks->lock);
	return stack;
}

struct stack *stacks_at(struct stacks *stacks, uint64_t address)
{
	struct stack *stack = stacks_find(stacks, address >> STACKS_SHIFT);

	return stack ? stack : stacks_add(stacks, address >> STACKS_SHIFT);
}

struct stack *stacks_user(struct stacks *stacks, uint64_t address)
{
	uint64_t key = address >> STACKS_SHIFT | STACKS_USER;
	struct stack *stack = stacks_find(stacks, key);

	return stack ? stack : stacks_add(stacks, key);
}
