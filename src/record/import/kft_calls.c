/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a row belongs is decided by time: the calls of a process that have not ended by then are around it. The caller
 * only settles what time leaves open: calls that end in the very microsecond, calls whose end nobody saw, and whether
 * the calls around it made it or were interrupted by it.
 */
#include "kft.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

/* --- Ends in order of their time -----------------------------------------------------------------------------------
 */

/* Of calls that end together the inner one was made last. */
static bool earlier(const struct kft_end *a, const struct kft_end *b)
{
	return a->time != b->time ? a->time < b->time : a->order > b->order;
}

static int push_end(struct kft *k, uint64_t time, size_t stack)
{
	const struct kft_end end = {time, k->orders++, stack};
	size_t at = k->n_ends;

	if (grow_array((void **)&k->ends, k->n_ends, &k->cap_ends, sizeof(*k->ends)))
		return -ENOMEM;
	for (k->n_ends++; at && earlier(&end, &k->ends[(at - 1) / 2]); at = (at - 1) / 2)
		k->ends[at] = k->ends[(at - 1) / 2];
	k->ends[at] = end;
	return 0;
}

static void pop_end(struct kft *k)
{
	const struct kft_end last = k->ends[--k->n_ends];
	size_t at = 0, child;

	for (; (child = 2 * at + 1) < k->n_ends; at = child) {
		if (child + 1 < k->n_ends && earlier(&k->ends[child + 1], &k->ends[child]))
			child++;
		if (!earlier(&k->ends[child], &last))
			break;
		k->ends[at] = k->ends[child];
	}
	if (k->n_ends)
		k->ends[at] = last;
}

/* --- Stacks --------------------------------------------------------------------------------------------------------
 */

/* The stack with this id. 0 or -ENOMEM. */
static int find_stack(struct kft *k, uint64_t id, size_t *stack, bool *fresh)
{
	uint64_t number;
	int rc = intern(&k->ids, &id, sizeof(id), &number, fresh);

	if (rc)
		return rc;
	*stack = (size_t)number - 1;
	if (*stack < k->n)
		return 0;
	if (grow_array((void **)&k->stacks, k->n, &k->cap, sizeof(*k->stacks)))
		return -ENOMEM;
	k->stacks[k->n++] = (struct kft_stack){.id = id};
	return 0;
}

/* The stack of a row; an interrupt is on the stack that it interrupts. Each CPU has an idle process of its own. */
static int stack_of(struct kft *k, const struct kft_row *row, size_t *stack)
{
	uint64_t id = (uint64_t)(row->pid + 2);
	bool fresh = false;
	int rc;

	if (row->pid == KFT_INTERRUPT && k->running[row->cpu]) {
		*stack = k->running[row->cpu] - 1;
		return 0;
	}
	if (row->pid <= 0)
		id |= (uint64_t)row->cpu << 40;
	rc = find_stack(k, id, stack, &fresh);
	if (!rc && fresh && row->pid >= 0)
		rc = product_task(k->out, id, (uint32_t)row->pid);
	return rc;
}

static int go_to(struct kft *k, uint64_t time, size_t stack)
{
	return product_on(k->out, time, k->stacks[stack].id, k->stacks[stack].cpu);
}

/* Ends the innermost call of a stack; its end was `seen` or not. */
static int leave(struct kft *k, uint64_t time, size_t stack, bool seen)
{
	struct kft_stack *s = &k->stacks[stack];
	const struct kft_call *call = &s->calls[--s->n];
	int rc = go_to(k, time, stack);

	if (rc)
		return rc;
	if (!seen)
		return data_writer_unwind(k->out->writer, time);
	return call->interrupt ? data_writer_irq_exit(k->out->writer, time) : data_writer_return(k->out->writer, time);
}

/* Ends a call whose time has come, and those within it whose end nobody saw. */
static int end_call(struct kft *k, const struct kft_end *end)
{
	struct kft_stack *s = &k->stacks[end->stack];
	int rc = 0;

	while (!rc && s->n && s->calls[s->n - 1].end == KFT_UNKNOWN)
		rc = leave(k, end->time, end->stack, false);
	return rc || !s->n ? rc : leave(k, end->time, end->stack, true);
}

/* --- A row ---------------------------------------------------------------------------------------------------------
 */

/* The place of the innermost call of a function, plus 1; 0: none. */
static size_t place_of(const struct kft_stack *s, uint64_t function, uint64_t from)
{
	size_t at = function ? s->n : 0;

	while (at && (s->calls[at - 1].function != function || s->calls[at - 1].end < from))
		at--;
	return at;
}

/* Whether the call that ends there and then still has to make the call of the row. */
static bool still_calls(const struct kft *k, const struct kft_end *end, size_t stack, size_t caller)
{
	const struct kft_stack *s = &k->stacks[stack];
	size_t at = s->n;

	while (at && s->calls[at - 1].end == KFT_UNKNOWN)
		at--;
	return end->stack == stack && at <= caller;
}

/* Ends all that is over when the row begins. */
static int end_before(struct kft *k, const struct kft_row *row, size_t stack)
{
	int rc = 0;

	while (!rc && k->n_ends && k->ends[0].time <= row->entry) {
		struct kft_end end = k->ends[0];

		if (end.time == row->entry &&
		    still_calls(k, &end, stack, place_of(&k->stacks[stack], row->caller, row->entry)))
			break;
		pop_end(k);
		rc = end_call(k, &end);
	}
	return rc;
}

static int push_call(struct kft_stack *s, const struct kft_call *call)
{
	if (grow_array((void **)&s->calls, s->n, &s->cap, sizeof(*s->calls)))
		return -ENOMEM;
	s->calls[s->n++] = *call;
	return 0;
}

/* A call ends before the one that it is in does. */
static uint64_t end_within(const struct kft_stack *s, uint64_t end)
{
	size_t at = s->n;

	while (at && s->calls[at - 1].end == KFT_UNKNOWN)
		at--;
	return at && end != KFT_UNKNOWN && end > s->calls[at - 1].end ? s->calls[at - 1].end : end;
}

static int enter(struct kft *k, const struct kft_row *row, size_t stack, bool interrupt)
{
	struct kft_stack *s = &k->stacks[stack];
	const struct kft_call call = {end_within(s, row->end), row->function, interrupt};
	int rc = go_to(k, row->entry, stack);

	if (!rc)
		rc = push_call(s, &call);
	if (!rc && call.end != KFT_UNKNOWN)
		rc = push_end(k, call.end, stack);
	if (rc)
		return rc;
	return interrupt ? data_writer_irq_enter(k->out->writer, row->entry, row->function)
	                 : data_writer_call(k->out->writer, row->entry, row->function);
}

int kft_add(struct kft *k, const struct kft_row *given)
{
	struct kft_row row = *given;
	struct kft_stack *s;
	size_t stack, caller;
	bool interrupt;
	int rc;

	/* The log of several CPUs need not be in order. */
	if (row.entry < k->now)
		row.entry = k->now;
	if (row.end < row.entry)
		row.end = row.entry;
	k->now = row.entry;
	rc = stack_of(k, &row, &stack);
	if (!rc)
		rc = end_before(k, &row, stack);
	if (rc)
		return rc;
	s = &k->stacks[stack];
	caller = place_of(s, row.caller, row.entry);
	while (!rc && caller && s->n > caller && s->calls[s->n - 1].end == KFT_UNKNOWN)
		rc = leave(k, row.entry, stack, false);
	/* Who was never seen to be called is not compiled C code: the entry of an interrupt or exception. */
	interrupt = !caller && s->n && (row.pid == KFT_INTERRUPT || !product_defined(k->out, row.caller));
	interrupt |= row.pid == KFT_INTERRUPT && !s->n;
	s->cpu = row.cpu;
	k->running[row.cpu] = stack + 1;
	return rc ? rc : enter(k, &row, stack, interrupt);
}

int kft_finish(struct kft *k)
{
	int rc = 0;

	while (!rc && k->n_ends) {
		struct kft_end end = k->ends[0];

		pop_end(k);
		k->now = end.time > k->now ? end.time : k->now;
		rc = end_call(k, &end);
	}
	return rc;
}

void kft_release(struct kft *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->stacks[i].calls);
	free(k->stacks);
	free(k->ends);
	intern_release(&k->ids);
}
