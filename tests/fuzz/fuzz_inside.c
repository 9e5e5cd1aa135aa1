/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings that the traced program has written to: two of them, with the input where the agent's records would be. What
 * must hold: all that is given away lies in memory of the tracer's, and each drain comes to an end.
 */
#include "../../src/record/inside/private.h"

#include "bytes.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AREAS 3u /* with that of no thread */

static volatile unsigned sink;
static struct snapshot memory;

static struct snapshot *memory_of(void *thread)
{
	(void)thread;
	return &memory;
}

static int take_call(void *user, void *thread, const struct inside_call *call)
{
	char to[64];

	(void)user;
	(void)thread;
	for (unsigned i = 0; i < memory.n; i++) {
		for (size_t k = 0; k < memory.ranges[i].n; k++)
			sink += (unsigned char)memory.bytes.data[memory.ranges[i].at + k];
		sink += (unsigned)snapshot_read(&memory, memory.ranges[i].addr, to, sizeof(to));
	}
	for (size_t k = 0; k < memory.link_n; k++)
		sink += (unsigned char)memory.bytes.data[memory.link_at + k];
	for (size_t k = 0; call->stack && k < call->stack->n; k++)
		sink += ((const unsigned char *)call->stack->bytes)[k];
	sink += (unsigned)call->nr;
	return 0;
}

/* A ring that has been gone through some times, with the input as what is in it now. */
static void lay_out(struct inside_thread *thread, struct area *area, struct bytes *in, size_t n)
{
	unsigned char *ring = (unsigned char *)area + INSIDE_RING;
	uint64_t begin = take(in) * 0x400 + (take(in) & 1 ? INSIDE_RING_BYTES - 0x200 : 0);

	n = n < in->n ? n : in->n;
	for (size_t i = 0; i < n; i++)
		ring[(begin + i) % INSIDE_RING_BYTES] = in->p[i];
	in->p += n;
	in->n -= n;
	thread->taken = begin & ~(uint64_t)7;
	area->head = thread->taken + n + (take(in) & 7 ? 0 : take(in) << 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct inside_config config = {.stacks = true, .call = take_call, .memory_of = memory_of};
	static struct inside inside = {.config = &config};
	struct data shared = {.refs = 1};
	struct space space = {.refs = 1, .data = &shared};
	struct inside_thread threads[2] = {{.inside = &inside, .space = &space, .area = 1},
	                                   {.inside = &inside, .space = &space, .area = 2}};
	struct bytes in = {data, size};

	shared.map = calloc(1, 2 * INSIDE_PAGE + AREAS * INSIDE_AREA_BYTES);
	if (!shared.map)
		return 0;
	inside.told = 0;
	drain_begin(&inside);
	inside.on = 2;
	inside.threads = &threads[0];
	threads[0].next = &threads[1];
	for (unsigned i = 0; i < 2; i++)
		lay_out(&threads[i], data_area(&shared, i + 1), &in, size / 2);
	(void)inside_drain(&inside);
	for (unsigned i = 0; i < 2; i++)
		(void)drain_thread(&threads[i], i);
	for (unsigned i = 0; i < 2; i++)
		free(threads[i].stack);
	free(shared.map);
	return 0;
}
