/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "queue.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES (16u << 20) /* memory that is used again */

int queue_add(struct queue *q, uint64_t time, const void *bytes, size_t n)
{
	if (grow_array((void **)&q->entries, q->n, &q->cap, sizeof(*q->entries)))
		return -ENOMEM;
	q->entries[q->n] = (struct queue_entry){time, q->bytes.len, (uint32_t)n};
	if (buf_append(&q->bytes, bytes, n))
		return -ENOMEM;
	q->n++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct queue_entry *one = a, *two = b;

	if (one->time != two->time)
		return one->time < two->time ? -1 : 1;
	return one->place < two->place ? -1 : 1;
}

/* Keeps the entries from the given one on. 0 or -ENOMEM. */
static int keep(struct queue *q, size_t from)
{
	struct buf rest = BUF_INIT;
	size_t n = 0;
	int err = 0;

	if (from == q->n) {
		q->n = 0;
		buf_reset(&q->bytes, KEPT_BYTES);
		return 0;
	}
	for (size_t i = from; i < q->n && !err; i++) {
		struct queue_entry entry = q->entries[i];

		err = buf_append(&rest, q->bytes.data + entry.place, entry.size);
		entry.place = rest.len - entry.size;
		q->entries[n++] = entry;
	}
	buf_release(&q->bytes);
	q->bytes = rest;
	q->n = err ? 0 : n;
	return err;
}

int queue_flush(struct queue *q, uint64_t until, queue_fn *take, void *user)
{
	size_t i = 0;
	int rc = 0;

	if (q->n)
		qsort(q->entries, q->n, sizeof(*q->entries), by_time);
	for (; i < q->n && q->entries[i].time < until && !rc; i++)
		rc = take(user, q->bytes.data + q->entries[i].place, q->entries[i].size);
	if (!rc && i)
		rc = keep(q, i);
	return rc;
}

void queue_release(struct queue *q)
{
	buf_release(&q->bytes);
	free(q->entries);
	*q = (struct queue){0};
}
