/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who lets which task run again. */
#include "hooks.h"

void hook_wake(struct plugin *p, struct vcpu *v, uint64_t clock, uint64_t address, bool is_new)
{
	const struct stack *stack = stacks_at(&p->stacks, address);
	const uint64_t word = stack ? (uint64_t)stack->id << 1 | is_new : 0;

	if (stack)
		ring_put_more(&v->ring, clock, RING_WAKE, &word);
}

void on_wake(struct plugin *p, struct vcpu *v, uint64_t clock)
{
	uint64_t stack;

	if (p->types.tasks &&
	    hook_read_some(v, v->registers[RDI] + p->types.task_stack, (char *)&stack, sizeof(stack)) == sizeof(stack))
		hook_wake(p, v, clock, stack, false);
}
