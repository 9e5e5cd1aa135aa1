/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records out of columns. */
#include "read.h"

#include <errno.h>

/* What take() says in r->what. */
static const char cut_stream[] = "a stream is too short for its records";
static const char bad_record[] = "a record is damaged";

/* The next number of a stream; at its end 0, and r->what is set. */
static inline uint64_t take(struct data_reader *r, unsigned stream)
{
	struct cursor *c = &r->streams[stream];
	const uint8_t *next;
	uint64_t v;

	/* At the end this is what the slack says: nine bytes, which are behind it. */
	next = data_varint_get(c->p, &v);
	if (__builtin_expect(next > c->end, 0)) {
		r->what = cut_stream;
		return 0;
	}
	c->p = next;
	return v;
}

/* The same for a stream that a later version of the format may have added: 0 when the block has none. */
static inline uint64_t take_optional(struct data_reader *r, unsigned stream)
{
	return r->streams[stream].start ? take(r, stream) : 0;
}

/* --- System calls --------------------------------------------------------------------------------------------------
 */

/* Reads the next definition of a head. 0 or -ENOMEM. */
static int define_head(struct data_reader *r)
{
	struct read_head head;
	uint64_t flags = take(r, DATA_STREAM_CALL_HEADS), tid = take(r, DATA_STREAM_CALL_HEADS);
	uint64_t arch = take(r, DATA_STREAM_CALL_HEADS), nr = take(r, DATA_STREAM_CALL_HEADS);

	if ((flags & DATA_HEAD_ARGS) > DATA_ARGS || flags > UINT32_MAX || tid > UINT32_MAX || arch > UINT32_MAX ||
	    nr > UINT32_MAX)
		r->what = bad_record;
	head = (struct read_head){(uint32_t)tid, (uint32_t)arch, (uint32_t)nr, (uint32_t)flags, 0, {0}};
	if (r->what)
		return 0;
	r->heads.len = r->n_heads * sizeof(head);
	r->n_heads++;
	return buf_append(&r->heads, &head, sizeof(head));
}

/* The head of the next call. NULL with r->what, or with *rc (-ENOMEM). */
static inline struct read_head *get_head(struct data_reader *r, int *rc)
{
	uint64_t index = take(r, DATA_STREAM_CALL_HEAD);

	if (__builtin_expect(!index, 0)) {
		*rc = r->what ? 0 : define_head(r);
		if (*rc || r->what)
			return NULL;
		index = r->n_heads;
	}
	if (__builtin_expect(index > r->n_heads, 0)) {
		r->what = bad_record;
		return NULL;
	}
	return (struct read_head *)(void *)r->heads.data + (index - 1);
}

/* The next number of a stream that has differences to the call before. */
static inline uint64_t take_change(struct data_reader *r, unsigned stream, uint64_t *last)
{
	return *last += data_unzigzag(take(r, stream));
}

/* 0, -ENOMEM; r->what when the entry is damaged. */
static int get_extras(struct data_reader *r, struct data_syscall *call)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (!read_entry(&r->streams[DATA_STREAM_CALL_EXTRAS], &p, &n)) {
		r->what = cut_stream;
		return 0;
	}
	rc = shape_decode_extras(&r->scratch, p, n, call);
	if (rc == -EBADMSG)
		r->what = bad_record;
	return rc == -EBADMSG ? 0 : rc;
}

static inline int get_call(struct data_reader *r, struct data_event *event)
{
	struct data_syscall *call = &event->syscall;
	int rc = 0;
	struct read_head *head = get_head(r, &rc);

	if (__builtin_expect(!head, 0))
		return rc;
	call->tid = head->tid;
	call->arch = head->arch;
	call->nr = head->nr;
	call->nargs = head->flags & DATA_HEAD_ARGS;
	call->error = head->flags & DATA_HEAD_ERROR;
	call->duration = take(r, DATA_STREAM_CALL_DURATION);
	call->result = (int64_t)data_unzigzag(take(r, DATA_STREAM_CALL_RESULT));
	call->enter = event->clock - call->duration;
	call->stack = head->flags & DATA_HEAD_STACK ? take_change(r, DATA_STREAM_CALL_STACK, &head->stack) : 0;
	memset(call->args, 0, sizeof(call->args));
	for (unsigned i = 0; i < call->nargs; i++)
		call->args[i] = take_change(r, DATA_STREAM_CALL_ARGS + i, &head->args[i]);
	call->nextras = 0;
	call->extras = NULL;
	return head->flags & DATA_HEAD_EXTRAS ? get_extras(r, call) : 0;
}

/* --- Rare records --------------------------------------------------------------------------------------------------
 */

static int get_shaped(struct data_reader *r, struct data_event *event)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (!read_entry(&r->streams[DATA_STREAM(event->type, 0)], &p, &n)) {
		r->what = cut_stream;
		return 0;
	}
	rc = shape_decode(&r->scratch, p, n, event);
	if (rc == -EBADMSG)
		r->what = bad_record;
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
		r->what = bad_record;
}

/* Reads the rest of one record. 1; 0 when the type is not known; -ENOMEM. */
static inline int get_record(struct data_reader *r, struct data_event *event)
{
	int rc = 0;

	switch (event->type) {
	case DATA_SYSCALL:
		rc = get_call(r, event);
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
		if (!shape_known(event->type))
			return 0;
		rc = get_shaped(r, event);
		break;
	}
	return rc ? rc : 1;
}

/* After an error in the middle of a block, which has been counted already. */
static int record_failed(struct data_reader *r, int rc, struct buf *why)
{
	if (rc < 0) {
		r->left = 0;
		return r->error = rc;
	}
	r->number--;
	rc = read_bad(r, r->what, why);
	r->number++;
	return rc;
}

int data_reader_in_block(struct data_reader *r, struct data_event *event, struct buf *why)
{
	while (r->left) {
		unsigned type = *r->streams[DATA_STREAM_TYPES].p++, k = type & DATA_SECOND_CLOCK ? 1 : 0;
		int rc;

		r->left--;
		r->clock[k] += data_unzigzag(take(r, DATA_STREAM_CLOCK + k));
		event->type = (uint8_t)type;
		event->clock = r->clock[k];
		rc = get_record(r, event);
		if (__builtin_expect(rc < 0 || r->what, 0))
			return record_failed(r, rc, why);
		if (rc)
			return 1;
	}
	return r->error;
}

/* How small records are read: 1 to 3 have a column of numbers, 4 has none, 0 is not small. */
static const uint8_t small_kinds[256] = {
	[DATA_CALL] = 1,   [DATA_TAIL] = 2,     [DATA_IRQ_ENTER] = 3,
	[DATA_RETURN] = 4, [DATA_IRQ_EXIT] = 4, [DATA_UNWIND] = 4,
};

/* Who calls and who returns cannot be foretold, so nothing here branches on it. */
size_t data_reader_small(struct data_reader *r, struct data_small *items, size_t max)
{
	static const uint8_t none[DATA_VARINT_SLACK] = {1};
	struct cursor *const columns[] = {NULL, &r->streams[DATA_STREAM(DATA_CALL, 0)],
	                                  &r->streams[DATA_STREAM(DATA_TAIL, 0)],
	                                  &r->streams[DATA_STREAM(DATA_IRQ_ENTER, 0)]};
	const uint8_t *at[5] = {NULL, columns[1]->p, columns[2]->p, columns[3]->p, none};
	const uint8_t *const end[5] = {NULL, columns[1]->end, columns[2]->end, columns[3]->end, none + sizeof(none)};
	struct cursor *times = &r->streams[DATA_STREAM_CLOCK + 1], *types = &r->streams[DATA_STREAM_TYPES];
	const uint8_t *type = types->p, *time = times->p, *next, *behind;
	uint64_t clock = r->clock[1], step, kind;
	size_t n = 0;

	max = max < r->left ? max : r->left;
	for (; n < max && (kind = small_kinds[*type]) != 0; n++) {
		next = data_varint_get(time, &step);
		behind = data_varint_get(at[kind], &items[n].function);
		/* What is wrong is found again, and told, by who reads the record alone. */
		if (__builtin_expect(next > times->end || behind > end[kind], 0))
			break;
		time = next;
		at[kind] = kind == 4 ? none : behind;
		items[n].clock = clock += data_unzigzag(step);
		items[n].type = *type++;
	}
	types->p = type;
	times->p = time;
	for (unsigned i = 1; i < 4; i++)
		columns[i]->p = at[i];
	r->clock[1] = clock;
	r->left -= (uint32_t)n;
	return n;
}

int data_reader_next(struct data_reader *r, struct data_event *event, struct buf *why)
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

int data_reader_block(struct data_reader *r, struct data_block *block, struct buf *why)
{
	int rc = read_block(r, why);

	if (rc == 1)
		*block = r->block;
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
		r->what = bad_record;
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
	const struct cursor *c = &r->streams[DATA_STREAM_OPEN];
	int rc;

	if (r->error || c->p >= c->end)
		return r->error;
	rc = get_open(r, open);
	return rc || r->what ? record_failed(r, rc, why) : 1;
}

struct data_text data_reader_stream(const struct data_reader *r, unsigned stream)
{
	const struct cursor *c = stream < DATA_STREAMS ? &r->streams[stream] : NULL;

	if (!c || !c->start)
		return (struct data_text){NULL, 0};
	return (struct data_text){(const char *)c->start, (size_t)(c->end - c->start)};
}
