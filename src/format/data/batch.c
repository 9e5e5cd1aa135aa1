/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many small records of a guest at once: with what is in memory for one of them, in registers for all. */
#include "private.h"

#include <exectrace/format/data/format.h>

#define BATCH 256 /* records that are added without a look at what they need */

static const uint8_t types[] = {
	[DATA_PACKED_CALL] = DATA_CALL,         [DATA_PACKED_RETURN] = DATA_RETURN,
	[DATA_PACKED_TAIL] = DATA_TAIL,         [DATA_PACKED_IRQ_ENTER] = DATA_IRQ_ENTER,
	[DATA_PACKED_IRQ_EXIT] = DATA_IRQ_EXIT,
};

/* What changes with each record. */
struct batch_cursor {
	uint8_t *types, *clocks, *calls;
	struct data_open_call *open; /* NULL: they are not followed here */
	uint32_t depth;
};

/* data_varint_put, made for numbers that are mostly less than 2^14. */
static inline uint8_t *put_short(uint8_t *p, uint64_t v)
{
	unsigned more = v > 0x7f;
	uint16_t word = htole16((uint16_t)((v << 1 | 1) << more));

	if (__builtin_expect(v > 0x3fff, 0))
		return data_varint_put(p, v);
	memcpy(p, &word, sizeof(word));
	return p + 1 + more;
}

/* One that is neither a call nor a return. */
static void add_other(struct data_writer *w, struct batch_cursor *at, uint64_t clock, uint64_t word)
{
	struct column *column = NULL;
	unsigned kind = data_packed_kind(word);

	*at->types++ = types[kind];
	if (kind != DATA_PACKED_IRQ_EXIT) {
		column = &w->columns[DATA_STREAM(types[kind], 0)];
		column->p = data_varint_put(column->p, data_packed_function(word));
	}
	if (!at->open)
		return;
	at->depth -= kind != DATA_PACKED_IRQ_ENTER && at->depth;
	at->open[at->depth] = (struct data_open_call){data_packed_function(word), clock, kind == DATA_PACKED_IRQ_ENTER};
	at->depth += kind != DATA_PACKED_IRQ_EXIT;
}

/*
 * Adds them to the columns, for which there is room, and to the calls that are open, if that has room too. `clock` is
 * of the one before. Who calls and who returns cannot be foretold, so nothing branches on it: both write what only a
 * call has, and a return does not keep it.
 */
static inline __attribute__((always_inline)) void add(struct data_writer *w, struct batch_cursor *cursor,
                                                      uint64_t clock, const uint64_t *words, size_t n, bool follows)
{
	struct batch_cursor at = *cursor;
	uint64_t before = clock - w->last[1]; /* another vCPU's may be written in between */

	for (size_t i = 0; i < n; i++) {
		uint64_t word = words[i], step = word >> DATA_PACKED_STEP;
		unsigned kind = data_packed_kind(word), calls = !kind;
		uint8_t *behind;

		clock += step;
		at.clocks = put_short(at.clocks, data_zigzag(before + step));
		before = 0;
		if (__builtin_expect(kind > DATA_PACKED_RETURN, 0)) {
			struct batch_cursor other =
				at; /* whose address is taken, so that the rest stays in registers */

			add_other(w, &other, clock, word);
			at = other;
			continue;
		}
		*at.types++ = (uint8_t)(DATA_CALL + kind);
		behind = put_short(at.calls, data_packed_function(word));
		at.calls += (behind - at.calls) & -(ptrdiff_t)calls;
		if (!follows)
			continue;
		at.open[at.depth] = (struct data_open_call){data_packed_function(word), clock, false};
		at.depth = calls ? at.depth + 1 : at.depth - (at.depth != 0);
	}
	w->last[1] = clock;
	*cursor = at;
}

/* Follows calls one by one, where some may have to be left out. */
static void follow(struct open_stack *stack, uint64_t clock, const uint64_t *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned kind = data_packed_kind(words[i]);
		struct data_open_call call = {data_packed_function(words[i]), clock += words[i] >> DATA_PACKED_STEP,
		                              kind == DATA_PACKED_IRQ_ENTER};

		if (kind != DATA_PACKED_CALL && kind != DATA_PACKED_IRQ_ENTER)
			open_pop(stack);
		if (kind != DATA_PACKED_RETURN && kind != DATA_PACKED_IRQ_EXIT)
			open_push(stack, &call);
	}
}

/* Adds those that the block has room for. */
static void add_all(struct data_writer *w, uint64_t clock, const uint64_t *words, size_t n)
{
	struct column *columns = w->columns;
	struct open_stack *stack = w->follow ? open_current(&w->open) : NULL;
	struct batch_cursor at = {columns[DATA_STREAM_TYPES].p, columns[DATA_STREAM_CLOCK + 1].p,
	                          columns[DATA_STREAM(DATA_CALL, 0)].p, NULL, 0};

	w->records += (uint32_t)n;
	while (n) {
		size_t part = n < BATCH ? n : BATCH;
		bool room = stack && open_room(stack, (uint32_t)part + 1);

		at.open = room ? stack->calls : NULL;
		at.depth = room ? stack->n : 0;
		if (stack && !room)
			follow(stack, clock, words, part);
		if (room)
			add(w, &at, clock, words, part, true);
		else
			add(w, &at, clock, words, part, false);
		if (room)
			stack->n = at.depth;
		clock = w->last[1];
		words += part;
		n -= part;
	}
	columns[DATA_STREAM_TYPES].p = at.types;
	columns[DATA_STREAM_CLOCK + 1].p = at.clocks;
	columns[DATA_STREAM(DATA_CALL, 0)].p = at.calls;
}

/* Makes sure that there is memory for all of their types. As writer_prepare. */
static int prepare(struct data_writer *w)
{
	int rc = 0;

	for (unsigned i = 0; i <= DATA_PACKED_IRQ_EXIT && !rc; i++)
		rc = w->ready[types[i]] ? 0 : writer_prepare(w, types[i]);
	return rc;
}

int data_writer_packed(struct data_writer *w, uint64_t *clock, const uint64_t *words, size_t n)
{
	while (n) {
		size_t part = w->limit - w->records < n ? w->limit - w->records : n;
		int rc = prepare(w);

		if (rc) { /* it has dropped the first one */
			w->dropped += rc > 0 ? n - 1 : 0;
			return rc > 0 ? 0 : rc;
		}
		if (!w->seen[1]) {
			w->seen[1] = true;
			w->first[1] = w->last[1] = *clock + (*words >> DATA_PACKED_STEP);
		}
		add_all(w, *clock, words, part);
		*clock = w->last[1];
		words += part;
		n -= part;
		if (w->records >= w->limit && (rc = writer_write_block(w, 0))) {
			w->dropped += n;
			return rc;
		}
	}
	return 0;
}
