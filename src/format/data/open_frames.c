/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "open_frames.h"

#include <exectrace/base/grow.h>
#include <exectrace/format/data/varint.h>
#include <stdlib.h>

/* The next index; SIZE_MAX when there is no room. */
static size_t new_stack(struct open_calls *open, uint64_t id)
{
	if (grow_array((void **)&open->stacks, open->n, &open->cap, sizeof(*open->stacks)))
		return SIZE_MAX;
	open->stacks[open->n] = (struct open_stack){.id = id};
	return open->n++;
}

void open_switch(struct open_calls *open, uint64_t stack, uint32_t cpu)
{
	uint64_t number;
	bool fresh;

	open->cpu = cpu;
	open->current = SIZE_MAX;
	/* Numbers are given to stacks that are left out too, so there has to be an end to that as well. */
	if (open->numbers.n > OPEN_STACKS_MAX || intern(&open->numbers, &stack, sizeof(stack), &number, &fresh))
		return;
	if (!fresh)
		open->current = number - 1 < open->n ? number - 1 : SIZE_MAX;
	else if (number - 1 == open->n)
		open->current = new_stack(open, stack);
}

bool open_grow(struct open_stack *stack)
{
	uint32_t cap = stack->cap ? stack->cap * 2 : 16;
	struct data_open_call *calls;

	if (stack->n >= OPEN_DEPTH_MAX)
		return false;
	calls = realloc(stack->calls, cap * sizeof(*calls));
	if (!calls)
		return false;
	stack->calls = calls;
	stack->cap = cap;
	return true;
}

bool open_room(struct open_stack *stack, uint32_t n)
{
	if (stack->over || stack->n + n > OPEN_DEPTH_MAX)
		return false;
	while (stack->cap - stack->n < n) {
		if (!open_grow(stack))
			return false;
	}
	return true;
}

struct open_stack *open_current(struct open_calls *open)
{
	if (!open->n)
		open_switch(open, 0, 0);
	return open->current < open->n ? &open->stacks[open->current] : NULL;
}

void open_note(struct open_calls *open, unsigned type, uint64_t clock, uint64_t function)
{
	struct data_open_call call = {function, clock, type == DATA_IRQ_ENTER};
	struct open_stack *stack = open_current(open);

	if (!stack)
		return;
	switch (type) {
	case DATA_TAIL:
		open_pop(stack);
		open_push(stack, &call);
		break;
	case DATA_CALL:
	case DATA_IRQ_ENTER:
		open_push(stack, &call);
		break;
	case DATA_RETURN:
	case DATA_IRQ_EXIT:
	case DATA_UNWIND:
		open_pop(stack);
		break;
	}
}

static uint8_t *encode_stack(const struct open_calls *open, size_t index, uint8_t *p)
{
	const struct open_stack *stack = &open->stacks[index];
	uint64_t last = 0;

	p = data_varint_put(p, stack->id);
	p = data_varint_put(p, index == open->current ? open->cpu + 1ull : 0);
	p = data_varint_put(p, stack->n);
	for (uint32_t i = 0; i < stack->n; i++) {
		p = data_varint_put(p, stack->calls[i].function);
		p = data_varint_put(p, stack->calls[i].interrupt);
		p = data_varint_put(p, data_zigzag(stack->calls[i].clock - last));
		last = stack->calls[i].clock;
	}
	return p;
}

int open_encode(const struct open_calls *open, struct buf *out, size_t max)
{
	for (size_t i = 0; i < open->n && out->len < max; i++) {
		const struct open_stack *stack = &open->stacks[i];
		int rc;

		if (!stack->n && i != open->current)
			continue;
		rc = buf_reserve(out, (3 + 3 * (size_t)stack->n) * DATA_VARINT_MAX + DATA_VARINT_SLACK);
		if (rc)
			return rc;
		out->len = (size_t)(encode_stack(open, i, (uint8_t *)out->data + out->len) - (uint8_t *)out->data);
	}
	return 0;
}

void open_release(struct open_calls *open)
{
	for (size_t i = 0; i < open->n; i++)
		free(open->stacks[i].calls);
	free(open->stacks);
	intern_release(&open->numbers);
	*open = (struct open_calls){0};
}
