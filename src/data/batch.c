/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many small records of a guest at once: with what is in memory for one of them, in registers for all. */
#include "private.h"

#include <exectrace/data/format.h>

/* What of a writer changes with each. */
struct cursor {
	uint8_t *types, *clocks;
	uint64_t last;
	struct open_stack *stack; /* NULL: it is not followed */
};

static bool has_number(unsigned type)
{
	return type == DATA_CALL || type == DATA_TAIL || type == DATA_IRQ_ENTER;
}

static void follow(struct open_stack *stack, const struct data_small *item)
{
	const struct data_open_call call = {item->function, item->clock, item->type == DATA_IRQ_ENTER};

	if (!has_number(item->type) || item->type == DATA_TAIL)
		open_pop(stack);
	if (has_number(item->type))
		open_push(stack, &call);
}

static void add(struct data_writer *w, struct cursor *at, const struct data_small *item)
{
	struct column *column = &w->columns[DATA_STREAM(item->type, 0)];

	*at->types++ = (uint8_t)item->type;
	at->clocks = data_varint_put(at->clocks, data_zigzag(item->clock - at->last));
	at->last = item->clock;
	if (has_number(item->type))
		column->p = data_varint_put(column->p, item->function);
	if (at->stack)
		follow(at->stack, item);
}

/* Adds those that the block has room for. */
static void add_all(struct data_writer *w, const struct data_small *items, size_t n)
{
	struct column *types = &w->columns[DATA_STREAM_TYPES], *clocks = &w->columns[DATA_STREAM_CLOCK + 1];
	struct cursor at = {types->p, clocks->p, w->last[1], w->follow ? open_current(&w->open) : NULL};

	for (size_t i = 0; i < n; i++)
		add(w, &at, &items[i]);
	types->p = at.types;
	clocks->p = at.clocks;
	w->last[1] = at.last;
	w->records += (uint32_t)n;
}

/* Makes sure that there is memory for all of their types. As writer_prepare. */
static int prepare(struct data_writer *w)
{
	static const uint8_t types[] = {DATA_CALL, DATA_RETURN, DATA_TAIL, DATA_IRQ_ENTER, DATA_IRQ_EXIT, DATA_UNWIND};
	int rc = 0;

	for (unsigned i = 0; i < sizeof(types) && !rc; i++)
		rc = w->ready[types[i]] ? 0 : writer_prepare(w, types[i]);
	return rc;
}

int data_writer_smalls(struct data_writer *w, const struct data_small *items, size_t n)
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
			w->first[1] = w->last[1] = items->clock;
		}
		add_all(w, items, part);
		items += part;
		n -= part;
		if (w->records >= w->limit && (rc = writer_write_block(w, 0))) {
			w->dropped += n;
			return rc;
		}
	}
	return 0;
}
