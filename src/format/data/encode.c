/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records into columns. */
#include "private.h"
#include "record_schema.h"

#include <errno.h>
#include <stdlib.h>

#define HEAD_SIZE 20 /* bytes of a head's four numbers at most: 2 + 5 + 5 + 5 */

/* --- Columns -------------------------------------------------------------------------------------------------------
 */

int writer_room(struct column *column, size_t n)
{
	size_t used = (size_t)(column->p - column->data), cap = column->cap ? column->cap : 4096;
	uint8_t *data;

	n += DATA_VARINT_SLACK;
	if (n <= column->cap)
		return 0;
	while (cap < n)
		cap *= 2;
	data = malloc(cap);
	if (!data)
		return -ENOMEM;
	if (used)
		memcpy(data, column->data, used);
	free(column->data);
	column->data = data;
	column->p = data + used;
	column->cap = cap;
	return 0;
}

/* The columns of numbers that a type has, as bits. */
static unsigned number_columns(unsigned type)
{
	switch (type) {
	case DATA_SYSCALL:
		return 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4 | 0x3fu << 8;
	case DATA_CALL:
	case DATA_TAIL:
	case DATA_IRQ_ENTER:
		return 1;
	case DATA_SWITCH:
		return 3;
	default:
		return 0;
	}
}

int writer_prepare(struct data_writer *w, unsigned type)
{
	unsigned columns = number_columns(type);
	unsigned clock = DATA_STREAM_CLOCK + (type & DATA_SECOND_CLOCK ? 1 : 0);
	int rc;

	if (w->failed) {
		w->dropped++;
		return 1;
	}
	rc = writer_room(&w->columns[DATA_STREAM_TYPES], w->limit);
	if (!rc)
		rc = writer_room(&w->columns[clock], (size_t)w->limit * DATA_VARINT_MAX);
	for (unsigned i = 0; i < 16 && !rc; i++)
		if (columns >> i & 1)
			rc = writer_room(&w->columns[DATA_STREAM(type, i)], (size_t)w->limit * DATA_VARINT_MAX);
	if (!rc && type == DATA_SYSCALL)
		rc = writer_room(&w->columns[DATA_STREAM_CALL_HEADS], (size_t)w->limit * HEAD_SIZE);
	w->ready[type] = !rc;
	return rc;
}

/* Adds a number to a column that has room for all of a block. */
static inline void put(struct data_writer *w, unsigned stream, uint64_t v)
{
	w->columns[stream].p = data_varint_put(w->columns[stream].p, v);
}

/* Adds what all records have. What is left to do at the end of adding a record: 0, or what a write failed with. */
static inline int finish(struct data_writer *w, unsigned type, uint64_t clock)
{
	unsigned k = type & DATA_SECOND_CLOCK ? 1 : 0;

	if (!w->seen[k]) {
		w->seen[k] = true;
		w->first[k] = w->last[k] = clock;
	}
	*w->columns[DATA_STREAM_TYPES].p++ = (uint8_t)type;
	put(w, DATA_STREAM_CLOCK + k, data_zigzag(clock - w->last[k]));
	w->last[k] = clock;
	if (++w->records < w->limit && w->payloads < w->bytes && (int64_t)(w->last[0] - w->first[0]) < w->interval)
		return 0;
	return writer_write_block(w, 0);
}

/* --- Rare records --------------------------------------------------------------------------------------------------
 */

/* Adds what is in scratch as one entry of a column: its length first. 0 or -ENOMEM. */
static int put_entry(struct data_writer *w, unsigned stream)
{
	struct column *column = &w->columns[stream];
	size_t used = (size_t)(column->p - column->data);
	int rc = writer_room(column, used + DATA_VARINT_MAX + w->scratch.len);

	if (rc)
		return rc;
	put(w, stream, w->scratch.len);
	if (w->scratch.len)
		memcpy(column->p, w->scratch.data, w->scratch.len);
	column->p += w->scratch.len;
	w->payloads += w->scratch.len;
	return 0;
}

static int add_shaped(struct data_writer *w, const struct data_event *event)
{
	int rc = w->ready[event->type] ? 0 : writer_prepare(w, event->type);

	if (rc)
		return rc > 0 ? 0 : rc;
	w->scratch.len = 0;
	rc = record_schema_encode(&w->scratch, event);
	if (!rc)
		rc = put_entry(w, DATA_STREAM(event->type, 0));
	return rc ? rc : finish(w, event->type, event->clock);
}

int data_writer_unfinished(struct data_writer *w, const struct data_syscall *call)
{
	struct data_event event = {.type = DATA_UNFINISHED, .clock = call->enter + call->duration, .syscall = *call};

	return add_shaped(w, &event);
}

/* --- System calls --------------------------------------------------------------------------------------------------
 */

static uint32_t head_hash(const struct head *head)
{
	uint64_t mix = ((uint64_t)head->tid << 32 | head->nr) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)((mix ^ (head->flags + head->arch) * 0xc2b2ae3d27d4eb4full) >> 40) % HEADS;
}

/* Adds the number of the head in this block, and its definition when it is new. What is remembered of it. */
static struct head *put_head(struct data_writer *w, const struct head *want)
{
	struct head *head = &w->known[head_hash(want)];

	if (head->block == w->number + 1 && head->tid == want->tid && head->nr == want->nr &&
	    head->flags == want->flags && head->arch == want->arch) {
		put(w, DATA_STREAM_CALL_HEAD, head->index);
		return head;
	}
	*head = *want;
	head->block = w->number + 1;
	head->index = ++w->heads;
	put(w, DATA_STREAM_CALL_HEADS, want->flags);
	put(w, DATA_STREAM_CALL_HEADS, want->tid);
	put(w, DATA_STREAM_CALL_HEADS, want->arch);
	put(w, DATA_STREAM_CALL_HEADS, want->nr);
	put(w, DATA_STREAM_CALL_HEAD, 0);
	return head;
}

/* Adds the difference to what the call before had in this place. */
static inline void put_change(struct data_writer *w, unsigned stream, uint64_t *last, uint64_t v)
{
	put(w, stream, data_zigzag(v - *last));
	*last = v;
}

static int put_extras(struct data_writer *w, const struct data_syscall *call)
{
	int rc;

	w->scratch.len = 0;
	rc = record_schema_encode_extras(&w->scratch, call->extras, call->nextras);
	if (!rc && w->scratch.len > DATA_PAYLOAD_MAX)
		rc = -EINVAL;
	return rc ? rc : put_entry(w, DATA_STREAM_CALL_EXTRAS);
}

int data_writer_syscall(struct data_writer *w, const struct data_syscall *call)
{
	struct head want = {.tid = call->tid, .arch = call->arch, .nr = call->nr, .flags = call->nargs}, *head;
	int rc = w->ready[DATA_SYSCALL] ? 0 : writer_prepare(w, DATA_SYSCALL);

	if (rc)
		return rc > 0 ? 0 : rc;
	if (call->nargs > DATA_ARGS)
		return -EINVAL;
	if (call->nextras) {
		rc = put_extras(w, call);
		if (rc)
			return rc;
		want.flags |= DATA_HEAD_EXTRAS;
	}
	if (call->error)
		want.flags |= DATA_HEAD_ERROR;
	if (call->stack)
		want.flags |= DATA_HEAD_STACK;
	head = put_head(w, &want);
	if (call->stack)
		put_change(w, DATA_STREAM_CALL_STACK, &head->stack, call->stack);
	put(w, DATA_STREAM_CALL_DURATION, call->duration);
	put(w, DATA_STREAM_CALL_RESULT, data_zigzag((uint64_t)call->result));
	for (unsigned i = 0; i < call->nargs; i++)
		put_change(w, DATA_STREAM_CALL_ARGS + i, &head->args[i], call->args[i]);
	return finish(w, DATA_SYSCALL, call->enter + call->duration);
}

/* --- The guest -----------------------------------------------------------------------------------------------------
 */

static inline int add_small(struct data_writer *w, unsigned type, uint64_t clock, uint64_t number)
{
	int rc = __builtin_expect(w->ready[type], 1) ? 0 : writer_prepare(w, type);

	if (__builtin_expect(rc, 0))
		return rc > 0 ? 0 : rc;
	if (type != DATA_RETURN && type != DATA_IRQ_EXIT && type != DATA_UNWIND)
		put(w, DATA_STREAM(type, 0), number);
	if (w->follow && type != DATA_SWITCH)
		open_note(&w->open, type, clock, number);
	return finish(w, type, clock);
}

int data_writer_call(struct data_writer *w, uint64_t clock, uint64_t function)
{
	return add_small(w, DATA_CALL, clock, function);
}

int data_writer_return(struct data_writer *w, uint64_t clock)
{
	return add_small(w, DATA_RETURN, clock, 0);
}

int data_writer_tail(struct data_writer *w, uint64_t clock, uint64_t function)
{
	return add_small(w, DATA_TAIL, clock, function);
}

int data_writer_irq_enter(struct data_writer *w, uint64_t clock, uint64_t function)
{
	return add_small(w, DATA_IRQ_ENTER, clock, function);
}

int data_writer_irq_exit(struct data_writer *w, uint64_t clock)
{
	return add_small(w, DATA_IRQ_EXIT, clock, 0);
}

int data_writer_unwind(struct data_writer *w, uint64_t clock)
{
	return add_small(w, DATA_UNWIND, clock, 0);
}

int data_writer_switch(struct data_writer *w, uint64_t clock, uint64_t stack, uint32_t cpu)
{
	int rc = w->ready[DATA_SWITCH] ? 0 : writer_prepare(w, DATA_SWITCH);

	if (rc)
		return rc > 0 ? 0 : rc;
	put(w, DATA_STREAM(DATA_SWITCH, 1), cpu);
	if (w->follow)
		open_switch(&w->open, stack, cpu);
	return add_small(w, DATA_SWITCH, clock, stack);
}

/* --- Any -----------------------------------------------------------------------------------------------------------
 */

int data_writer_event(struct data_writer *w, const struct data_event *event)
{
	switch (event->type) {
	case DATA_SYSCALL:
		return data_writer_syscall(w, &event->syscall);
	case DATA_UNFINISHED:
		return data_writer_unfinished(w, &event->syscall);
	case DATA_CALL:
	case DATA_RETURN:
	case DATA_TAIL:
	case DATA_IRQ_ENTER:
	case DATA_IRQ_EXIT:
	case DATA_UNWIND:
		return add_small(w, event->type, event->clock, event->call.function);
	case DATA_SWITCH:
		return data_writer_switch(w, event->clock, event->on.stack, event->on.cpu);
	default:
		return record_schema_known(event->type) ? add_shaped(w, event) : -EINVAL;
	}
}

int data_words(struct buf *out, const struct strv *words)
{
	int rc = 0;

	for (size_t i = 0; i < words->n && !rc; i++)
		rc = buf_append(out, words->items[i], strlen(words->items[i]) + 1);
	return rc;
}
