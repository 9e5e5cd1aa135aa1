/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls out of columns: one, or many at once. */
#include "read.h"

#include <errno.h>

#define FEW 4u /* fewer are read one by one */

/* Reads the next definition of a head. 0 or -ENOMEM. */
static int define_head(struct data_reader *r)
{
	struct data_syscall call;
	struct read_head head = {.flags = 0};
	uint64_t flags = take(r, DATA_STREAM_CALL_HEADS), tid = take(r, DATA_STREAM_CALL_HEADS);
	uint64_t arch = take(r, DATA_STREAM_CALL_HEADS), nr = take(r, DATA_STREAM_CALL_HEADS);

	if ((flags & DATA_HEAD_ARGS) > DATA_ARGS || flags > UINT32_MAX || tid > UINT32_MAX || arch > UINT32_MAX ||
	    nr > UINT32_MAX)
		r->what = read_damaged;
	if (r->what)
		return 0;
	call = (struct data_syscall){.tid = (uint32_t)tid, .arch = (uint32_t)arch, .nr = (uint32_t)nr};
	call.nargs = flags & DATA_HEAD_ARGS;
	call.error = flags & DATA_HEAD_ERROR;
	memcpy(head.common, &call, sizeof(head.common));
	head.flags = (uint32_t)flags;
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
		r->what = read_damaged;
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

	if (!read_entry(&r->now.streams[DATA_STREAM_CALL_EXTRAS], &p, &n)) {
		r->what = read_cut;
		return 0;
	}
	rc = record_schema_decode_extras(&r->scratch, p, n, call);
	if (rc == -EBADMSG)
		r->what = read_damaged;
	return rc == -EBADMSG ? 0 : rc;
}

/* What else a call may have. As read_call. */
static int get_rest(struct data_reader *r, struct read_head *head, struct data_syscall *call)
{
	if (head->flags & DATA_HEAD_STACK)
		call->stack = take_change(r, DATA_STREAM_CALL_STACK, &head->stack);
	return head->flags & DATA_HEAD_EXTRAS ? get_extras(r, call) : 0;
}

static inline void fill(struct data_syscall *call, const struct read_head *head)
{
	memcpy(call, head->common, sizeof(head->common));
	call->stack = 0;
	call->extras = NULL;
}

int read_call(struct data_reader *r, struct data_event *event)
{
	struct data_syscall *call = &event->syscall;
	int rc = 0;
	struct read_head *head = get_head(r, &rc);

	if (__builtin_expect(!head, 0))
		return rc;
	fill(call, head);
	call->duration = take(r, DATA_STREAM_CALL_DURATION);
	call->result = (int64_t)data_unzigzag(take(r, DATA_STREAM_CALL_RESULT));
	call->enter = event->clock - call->duration;
	memset(call->args, 0, sizeof(call->args));
	for (unsigned i = 0; i < (head->flags & DATA_HEAD_ARGS); i++)
		call->args[i] = take_change(r, DATA_STREAM_CALL_ARGS + i, &head->args[i]);
	return get_rest(r, head, call);
}

/* --- Many ----------------------------------------------------------------------------------------------------------
 */

/* How many calls come next, up to CALLS. */
static uint32_t count_calls(const struct data_reader *r)
{
	const uint8_t *type = r->now.streams[DATA_STREAM_TYPES].p;
	uint32_t max = r->now.left < CALLS ? r->now.left : CALLS, n = 0;

	for (uint64_t eight; n + 8 <= max; n += 8) {
		memcpy(&eight, type + n, sizeof(eight));
		if (eight != DATA_SYSCALL * UINT64_C(0x0101010101010101))
			break;
	}
	while (n < max && type[n] == DATA_SYSCALL)
		n++;
	return n;
}

static inline struct read_head *head_at(const struct data_reader *r, uint32_t index)
{
	return (struct read_head *)(void *)r->heads.data + index;
}

/* Up to n of them, up to one whose head is not known yet. How many. The four columns do not wait for each other. */
static uint32_t read_numbers(struct data_reader *r, uint32_t n)
{
	struct cursor *columns = r->now.streams;
	const uint8_t *time = columns[DATA_STREAM_CLOCK].p, *head = columns[DATA_STREAM_CALL_HEAD].p, *next;
	const uint8_t *duration = columns[DATA_STREAM_CALL_DURATION].p, *result = columns[DATA_STREAM_CALL_RESULT].p;
	uint64_t clock = r->now.clock[0], v;
	uint32_t i;

	for (i = 0; i < n; i++) {
		next = data_varint_get(head, &v);
		if (__builtin_expect(v - 1 >= r->n_heads, 0))
			break;
		head = next;
		r->calls.head[i] = (uint32_t)v - 1;
		time = data_varint_get(time, &v);
		r->calls.clock[i] = clock += data_unzigzag(v);
		duration = data_varint_get(duration, &r->calls.duration[i]);
		result = data_varint_get(result, &v);
		r->calls.result[i] = data_unzigzag(v);
	}
	columns[DATA_STREAM_CLOCK].p = time;
	columns[DATA_STREAM_CALL_HEAD].p = head;
	columns[DATA_STREAM_CALL_DURATION].p = duration;
	columns[DATA_STREAM_CALL_RESULT].p = result;
	r->now.clock[0] = clock;
	return i;
}

/* The next number of a column, as a difference. */
static inline uint64_t step(const uint8_t **p, uint64_t *last)
{
	uint64_t v;

	*p = data_varint_get(*p, &v);
	return *last += data_unzigzag(v);
}

/* The arguments of the first n. Few calls have more than three. */
static void read_args(struct data_reader *r, uint32_t n)
{
	struct cursor *columns = r->now.streams + DATA_STREAM_CALL_ARGS;
	const uint8_t *first = columns[0].p, *second = columns[1].p, *third = columns[2].p;

	for (uint32_t i = 0; i < n; i++) {
		struct read_head *head = head_at(r, r->calls.head[i]);
		unsigned nargs = head->flags & DATA_HEAD_ARGS;
		uint64_t *args = r->calls.args[i];

		memset(args, 0, sizeof(r->calls.args[i]));
		if (nargs > 0)
			args[0] = step(&first, &head->args[0]);
		if (nargs > 1)
			args[1] = step(&second, &head->args[1]);
		if (nargs > 2)
			args[2] = step(&third, &head->args[2]);
		for (unsigned k = 3; k < nargs; k++)
			args[k] = step(&columns[k].p, &head->args[k]);
	}
	columns[0].p = first;
	columns[1].p = second;
	columns[2].p = third;
}

/* Whether the end of a stream was passed; its slack is so long. */
static bool passed(const struct data_reader *r, unsigned stream)
{
	return r->now.streams[stream].p > r->now.streams[stream].end;
}

static bool passed_any(const struct data_reader *r)
{
	bool any = passed(r, DATA_STREAM_CLOCK) || passed(r, DATA_STREAM_CALL_HEAD) ||
	           passed(r, DATA_STREAM_CALL_DURATION) || passed(r, DATA_STREAM_CALL_RESULT);

	for (unsigned i = 0; i < DATA_ARGS; i++)
		any |= passed(r, DATA_STREAM_CALL_ARGS + i);
	return any;
}

bool calls_prepare(struct data_reader *r)
{
	uint32_t n = count_calls(r);

	r->calls.at = r->calls.n = 0;
	if (n < FEW || r->item < r->now.n_items)
		return false;
	n = read_numbers(r, n);
	read_args(r, n);
	if (passed_any(r))
		r->what = read_cut;
	r->calls.n = n;
	r->now.streams[DATA_STREAM_TYPES].p += n;
	r->now.left -= n;
	return n != 0;
}

/* The rest of a call that has more than numbers. */
static int with_rest(struct data_reader *r, struct read_head *head, struct data_event *event, struct buf *why)
{
	int rc = get_rest(r, head, &event->syscall);

	return rc || r->what ? read_failed(r, rc, why) : 1;
}

int calls_next(struct data_reader *r, struct data_event *event, struct buf *why)
{
	struct data_syscall *call = &event->syscall;
	uint32_t i = r->calls.at++;
	struct read_head *head = head_at(r, r->calls.head[i]);

	event->type = DATA_SYSCALL;
	event->clock = r->calls.clock[i];
	fill(call, head);
	call->duration = r->calls.duration[i];
	call->result = (int64_t)r->calls.result[i];
	call->enter = event->clock - call->duration;
	memcpy(call->args, r->calls.args[i], sizeof(call->args));
	if (__builtin_expect(head->flags & (DATA_HEAD_STACK | DATA_HEAD_EXTRAS), 0))
		return with_rest(r, head, event, why);
	return 1;
}
