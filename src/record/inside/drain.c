/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes calls out of the rings. A program can write to its rings: a record is copied before it is looked at, and its
 * lengths are checked.
 *
 * Calls of several threads come in the order of the time stamp counter. What is in the rings is noted for each before
 * anything is taken, and only what is older than that moment: so that of two calls of which one has caused the other,
 * the cause comes first, for an entry is in the ring before its call is made.
 */
#include "private.h"

#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define READS 3 /* of the clocks; between two reads the thread may lose its processor */

static uint64_t counter(void)
{
	return __builtin_ia32_rdtsc();
}

/* One moment by both clocks: that of some tries between whose beginning and end the least time is. */
static void read_both(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < READS; i++) {
		uint64_t begin = counter(), now = clock_now(), end = counter();

		if (end - begin >= best)
			continue;
		best = end - begin;
		*tsc = end;
		*ns = now;
	}
}

void drain_begin(struct inside *inside)
{
	read_both(&inside->first_tsc, &inside->first_ns);
}

/* CLOCK_MONOTONIC of a time stamp, not before what was given away last and not in the future. */
static uint64_t time_of(struct inside *inside, uint64_t tsc)
{
	uint64_t ns = inside->last_ns - (uint64_t)((double)(inside->last_tsc - tsc) * inside->ns_per_tick);

	if (tsc > inside->last_tsc || ns > inside->last_ns)
		ns = inside->last_ns;
	if (ns < inside->told)
		ns = inside->told;
	inside->told = ns;
	return ns;
}

static const struct record *peek(const struct inside_thread *thread)
{
	const struct area *area = data_area(thread->space->data, thread->area);

	return (const struct record *)((const unsigned char *)area + INSIDE_RING + thread->taken % INSIDE_RING_BYTES);
}

/* A ring that holds what the agent cannot have written is given up. */
static void give_up(struct inside_thread *thread)
{
	thread->taken = thread->upto;
	thread->ready = false;
}

/* Looks whether there is a record, and of what time. */
static void look(struct inside_thread *thread)
{
	thread->ready = false;
	while (thread->taken < thread->upto) {
		const struct record *record = peek(thread);
		uint64_t left = INSIDE_RING_BYTES - thread->taken % INSIDE_RING_BYTES;
		uint32_t size = __atomic_load_n(&record->size, __ATOMIC_RELAXED);

		if (size < 8 || size % 8 || size > left || size > thread->upto - thread->taken) {
			give_up(thread);
			return;
		}
		if (record->type != RECORD_FILL) {
			thread->time = record->time;
			thread->ready = true;
			return;
		}
		thread->taken += size;
	}
}

/* Where an entry was made. False: it makes no sense, or there is no memory. */
static bool take_stack(struct inside_thread *thread, const struct record *record, const void *bytes, size_t n)
{
	struct stack_chunk more;
	unsigned char *copy;

	if (record->type != RECORD_ENTER || n < sizeof(more) || n - sizeof(more) > INSIDE_STACK_COPY)
		return false;
	if (!thread->stack)
		thread->stack = malloc(sizeof(*thread->stack) + INSIDE_STACK_COPY);
	if (!thread->stack)
		return false;
	copy = (unsigned char *)(thread->stack + 1);
	memcpy(&more, bytes, sizeof(more));
	memcpy(copy, (const unsigned char *)bytes + sizeof(more), n - sizeof(more));
	registers_at_call(record, &more, &thread->stack->regs);
	thread->stack->bytes = copy;
	thread->stack->n = n - sizeof(more);
	return true;
}

/* What is behind the arguments, and on the stack. False: it makes no sense. */
static bool fill(struct inside_thread *thread, const struct record *record, size_t size)
{
	struct snapshot *memory = thread->inside->config->memory_of(thread->user);
	const unsigned char *begin = (const unsigned char *)record, *at = begin + record_head(record->type);
	const unsigned char *end = begin + size;

	snapshot_begin(memory);
	for (unsigned i = 0; i < record->chunks; i++) {
		struct chunk chunk;
		uint32_t entries;

		if ((size_t)(end - at) < sizeof(chunk))
			return false;
		memcpy(&chunk, at, sizeof(chunk));
		at += sizeof(chunk);
		if (chunk.n > (size_t)(end - at))
			return false;
		if (chunk.kind == CHUNK_STACK && !take_stack(thread, record, at, chunk.n))
			return false;
		if (chunk.kind == CHUNK_LINK)
			snapshot_link(memory, (int)chunk.addr, at, chunk.n);
		else if (chunk.kind == CHUNK_ENTRIES && chunk.n == sizeof(entries))
			snapshot_entries(memory, chunk.addr, *(uint32_t *)memcpy(&entries, at, sizeof(entries)));
		else if (chunk.kind != CHUNK_STACK)
			snapshot_add(memory, chunk.addr, at, chunk.n, chunk.kind == CHUNK_STRING);
		at += (chunk.n + 7u) & ~7u;
		if (at > end)
			return false;
	}
	return true;
}

static int give(struct inside_thread *thread, const struct record *record)
{
	struct inside *inside = thread->inside;
	struct inside_call call = {.end = record->type == RECORD_EXIT, .nr = record->nr};

	if (call.end != thread->entered || (call.end && record->nr != thread->entered_nr))
		return 0; /* of what was lost */
	if (!fill(thread, record, record->size))
		return 0;
	call.now = time_of(inside, record->time);
	call.result = (int64_t)record->args[0];
	call.sp = record->sp;
	call.stack = inside->config->stacks ? thread->stack : NULL;
	if (!call.end)
		memcpy(call.args, record->args, sizeof(call.args));
	thread->entered = !call.end;
	thread->entered_nr = record->nr;
	return inside->config->call(inside->config->user, thread->user, &call);
}

/* Takes the next record, which there is. */
static int take(struct inside_thread *thread)
{
	struct inside *inside = thread->inside;
	const struct record *there = peek(thread);
	struct record *record = (struct record *)(void *)inside->record;
	uint32_t size = there->size;

	if (size < record_head(RECORD_EXIT) || size > INSIDE_RECORD_MAX ||
	    size > INSIDE_RING_BYTES - thread->taken % INSIDE_RING_BYTES) {
		give_up(thread);
		return 0;
	}
	memcpy(record, there, size);
	record->size = size;
	thread->taken += size;
	if (size < record_head(record->type))
		return 0;
	return give(thread, record);
}

static void note(struct inside_thread *thread)
{
	const struct area *area = data_area(thread->space->data, thread->area);

	thread->upto = __atomic_load_n(&area->head, __ATOMIC_ACQUIRE);
	if (thread->upto - thread->taken > INSIDE_RING_BYTES)
		thread->upto = thread->taken;
	look(thread);
}

static void done(struct inside_thread *thread)
{
	struct area *area = data_area(thread->space->data, thread->area);

	area->limit = drain_limit(thread->inside);
	__atomic_store_n(&area->tail, thread->taken, __ATOMIC_RELEASE);
}

void drain_read_clocks(struct inside *inside)
{
	read_both(&inside->last_tsc, &inside->last_ns);
	inside->ns_per_tick =
		(double)(inside->last_ns - inside->first_ns) / (double)(inside->last_tsc - inside->first_tsc + 1);
}

/* A call that would have been counted at its end, but is not to get there in the agent: as if it was recorded. */
static int begin_counted(struct inside_thread *thread)
{
	struct area *area = data_area(thread->space->data, thread->area);
	const struct record record = {
		.size = sizeof(record),
		.type = RECORD_ENTER,
		.time = area->began,
		.nr = area->rax,
		.args = {area->rdi, area->rsi, area->rdx, area->r10, area->r8, area->r9},
		.sp = area->rsp,
	};

	if (!area->began)
		return 0;
	area->began = 0;
	return give(thread, &record);
}

long drain_thread(struct inside_thread *thread, bool keep)
{
	long n = 0;
	int err = 0;

	if (!thread->area)
		return 0;
	drain_read_clocks(thread->inside);
	note(thread);
	if (!keep)
		err = begin_counted(thread);
	while (thread->ready && !err) {
		const struct record *record = peek(thread);

		if (keep && record->type == RECORD_ENTER && thread->taken + record->size == thread->upto)
			break;
		err = take(thread);
		look(thread);
		n++;
	}
	done(thread);
	return err < 0 ? err : n;
}

int drain_end(struct inside_thread *thread, int64_t result)
{
	struct inside *inside = thread->inside;
	struct inside_call call = {.end = true, .live = true, .result = result, .nr = thread->entered_nr};

	if (!thread->entered)
		return 0;
	drain_read_clocks(inside);
	call.now = time_of(inside, inside->last_tsc);
	thread->entered = false;
	return inside->config->call(inside->config->user, thread->user, &call);
}

/* The thread whose next record is the oldest, and the time of the oldest of the others. NULL: none is before `last`. */
static struct inside_thread *oldest(struct inside_thread *threads, uint64_t last, uint64_t *others)
{
	struct inside_thread *first = NULL;

	*others = last;
	for (struct inside_thread *t = threads; t; t = t->next) {
		if (!t->area || !t->ready || t->time > last)
			continue;
		if (!first || t->time < first->time) {
			if (first)
				*others = first->time;
			first = t;
		} else if (t->time < *others) {
			*others = t->time;
		}
	}
	return first;
}

long inside_drain(struct inside *inside)
{
	struct inside_thread *thread;
	uint64_t others;
	long n = 0;
	int err = 0;

	if (!inside->on)
		return 0;
	drain_read_clocks(inside);
	for (thread = inside->threads; thread; thread = thread->next) {
		if (thread->area)
			note(thread);
	}
	while (!err && (thread = oldest(inside->threads, inside->last_tsc, &others))) {
		do {
			err = take(thread);
			look(thread);
			n++;
		} while (!err && thread->ready && thread->time <= others);
	}
	for (thread = inside->threads; thread; thread = thread->next) {
		if (thread->area)
			done(thread);
	}
	return err < 0 ? err : n;
}
