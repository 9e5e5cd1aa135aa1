/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has a lock of the kernel that a task is about to wait for (Linux: include/linux/mutex_types.h, rwsem.h). Looked
 * at where that begins, and again each time when it goes to sleep for it, for others may have had it meanwhile.
 */
#include "hooks.h"

#define TASK_MASK (~(uint64_t)7) /* of an owner; the low bits are flags, ... */
#define BY_READERS 1u            /* ... of a rw_semaphore this one: it was some reader */

static void tell_owner(struct plugin *p, struct vcpu *v, uint64_t clock, const struct stack *stack)
{
	const bool semaphore = stack->owner - stack->lock == p->types.semaphore_owner &&
	                       p->types.semaphore_owner != p->types.mutex_owner;
	const struct stack *holder = NULL;
	uint64_t owner = 0, address = 0, words[2];

	if (!hook_read(v, stack->owner, &owner, sizeof(owner)) || !(owner & TASK_MASK) ||
	    (semaphore && owner & BY_READERS))
		return;
	if (hook_read(v, (owner & TASK_MASK) + p->types.task_stack, &address, sizeof(address)))
		holder = stacks_at(&p->stacks, address);
	if (!holder)
		return;
	words[0] = stack->lock;
	words[1] = holder->id;
	ring_put_more(&v->ring, clock, RING_HELD, words);
}

static void begin(struct plugin *p, struct vcpu *v, uint64_t clock, uint32_t owner)
{
	struct stack *stack = v->track.stack;

	if (!p->types.locks || !stack)
		return;
	stack->lock = v->registers[RDI];
	stack->owner = stack->lock + owner;
	tell_owner(p, v, clock, stack);
}

void on_mutex(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	begin(p, v, clock, p->types.mutex_owner);
}

void on_semaphore(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	begin(p, v, clock, p->types.semaphore_owner);
}

void on_lock_sleep(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	const struct stack *stack = v->track.stack;

	if (stack && stack->lock)
		tell_owner(p, v, clock, stack);
}
