/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records out of columns. */
#include "read.h"

#include <errno.h>

const char read_cut[] = "a stream is too short for its records";
const char read_damaged[] = "a record is damaged";

/* A stream that a later version of the format may have added: 0 when the block has none. */
static inline uint64_t take_optional(struct data_reader *r, unsigned stream)
{
	return r->now.streams[stream].start ? take(r, stream) : 0;
}

/* --- Rare records --------------------------------------------------------------------------------------------------
 */

static int get_shaped(struct data_reader *r, struct data_event *event)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (!read_entry(&r->now.streams[DATA_STREAM(event->type, 0)], &p, &n)) {
		r->what = read_cut;
		return 0;
	}
	rc = record_schema_decode(&r->scratch, p, n, event);
	if (rc == -EBADMSG)
		r->what = read_damaged;
	if (event->type == DATA_UNFINISHED) {
		event->syscall.enter = event->clock - event->syscall.duration;
		event->syscall.error = false;
		event->syscall.result = 0;
	}
	return rc == -EBADMSG ? 0 : rc;
}

/* --- Any -----------------------------------------------------------------------------------------------------------
 */

static void get_switch(struct data_reader *r, struct data_event *event)
{
	uint64_t cpu = take_optional(r, DATA_STREAM(DATA_SWITCH, 1));

	event->on.stack = take(r, DATA_STREAM(DATA_SWITCH, 0));
	event->on.cpu = (uint32_t)cpu;
	if (cpu > UINT32_MAX)
		r->what = read_damaged;
}

/* Reads the rest of one record. 1; 0 when the type is not known; -ENOMEM. */
static inline int get_record(struct data_reader *r, struct data_event *event)
{
	int rc = 0;

	switch (event->type) {
	case DATA_SYSCALL:
		rc = read_call(r, event);
		break;
	case DATA_CALL:
	case DATA_TAIL:
	case DATA_IRQ_ENTER:
		event->call.function = take(r, DATA_STREAM(event->type, 0));
		break;
	case DATA_RETURN:
	case DATA_IRQ_EXIT:
	case DATA_UNWIND:
		break;
	case DATA_SWITCH:
		get_switch(r, event);
		break;
	default:
		if (!record_schema_known(event->type))
			return 0;
		rc = get_shaped(r, event);
		break;
	}
	return rc ? rc : 1;
}

int read_failed(struct data_reader *r, int rc, struct buf *why)
{
	if (rc < 0) {
		read_drop(r);
		return r->error = rc;
	}
	r->number--;
	rc = read_bad(r, r->what, why);
	r->number++;
	return rc;
}

/* The type and the clock of the next record. */
static inline void get_clock(struct data_reader *r, struct data_event *event)
{
	unsigned type = *r->now.streams[DATA_STREAM_TYPES].p++, k = type & DATA_SECOND_CLOCK ? 1 : 0;

	r->now.left--;
	event->type = (uint8_t)type;
	event->clock = r->now.clock[k] += data_unzigzag(take(r, DATA_STREAM_CLOCK + k));
}

/* The next record, of those whose clock and perhaps function were read before. As get_record. */
static int get_item(struct data_reader *r, struct data_event *event)
{
	const struct data_small *item = (const struct data_small *)(const void *)r->now.items.data + r->item++;

	event->type = item->type;
	event->clock = item->clock;
	event->call.function = item->function;
	return read_is_small(item->type) ? 1 : get_record(r, event);
}

static inline bool next_is_call(const struct data_reader *r)
{
	return r->now.left && *r->now.streams[DATA_STREAM_TYPES].p == DATA_SYSCALL;
}

int data_reader_in_block(struct data_reader *r, struct data_event *event, struct buf *why)
{
	int rc;

	for (;;) {
		if (r->calls.at < r->calls.n || (next_is_call(r) && calls_prepare(r))) {
			rc = r->what ? 1 : calls_next(r, event, why);
		} else if (r->item < r->now.n_items) {
			rc = get_item(r, event);
		} else if (r->now.left) {
			get_clock(r, event);
			rc = get_record(r, event);
		} else {
			return r->error;
		}
		if (__builtin_expect(rc < 0 || r->what, 0))
			return read_failed(r, rc, why);
		if (rc)
			return 1;
	}
}

/* The next record, of whatever type. */
static __attribute__((noinline)) int next_of_any(struct data_reader *r, struct data_event *event, struct buf *why)
{
	for (;;) {
		int rc = data_reader_in_block(r, event, why);

		if (__builtin_expect(rc, 1))
			return rc;
		rc = read_block(r, why);
		if (rc != 1)
			return rc;
	}
}

int data_reader_next(struct data_reader *r, struct data_event *event, struct buf *why)
{
	return r->calls.at < r->calls.n ? calls_next(r, event, why) : next_of_any(r, event, why);
}

int data_reader_block(struct data_reader *r, struct data_block *block, struct buf *why)
{
	int rc = read_block(r, why);

	if (rc == 1)
		*block = r->now.facts;
	return rc;
}

/* --- Open calls ----------------------------------------------------------------------------------------------------
 */

/* 0 or -ENOMEM; r->what when they are damaged. */
static int get_open(struct data_reader *r, struct data_open *open)
{
	struct buf *list = &r->scratch.list;
	struct data_open_call *calls;
	uint64_t cpu, n, last = 0;

	open->stack = take(r, DATA_STREAM_OPEN);
	cpu = take(r, DATA_STREAM_OPEN);
	n = take(r, DATA_STREAM_OPEN);
	if (cpu > UINT32_MAX + 1ull || n > DATA_LIST_MAX)
		r->what = read_damaged;
	if (r->what)
		return 0;
	list->len = 0;
	if (buf_reserve(list, n * sizeof(*calls)))
		return -ENOMEM;
	calls = (struct data_open_call *)(void *)list->data;
	for (uint64_t i = 0; i < n && !r->what; i++) {
		calls[i].function = take(r, DATA_STREAM_OPEN);
		calls[i].interrupt = take(r, DATA_STREAM_OPEN) & 1;
		calls[i].clock = last += data_unzigzag(take(r, DATA_STREAM_OPEN));
	}
	open->current = cpu != 0;
	open->cpu = cpu ? (uint32_t)(cpu - 1) : 0;
	open->n = (uint32_t)n;
	open->calls = calls;
	return 0;
}

int data_reader_open_calls(struct data_reader *r, struct data_open *open, struct buf *why)
{
	const struct cursor *c = &r->now.streams[DATA_STREAM_OPEN];
	int rc;

	if (r->error || c->p >= c->end)
		return r->error;
	rc = get_open(r, open);
	return rc || r->what ? read_failed(r, rc, why) : 1;
}

struct data_text data_reader_stream(const struct data_reader *r, unsigned stream)
{
	const struct cursor *c = stream < DATA_STREAMS ? &r->now.streams[stream] : NULL;

	if (!c || !c->start)
		return (struct data_text){NULL, 0};
	return (struct data_text){(const char *)c->start, (size_t)(c->end - c->start)};
}
