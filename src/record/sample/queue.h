/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of several rings, each in order, put into one order by time. */
#ifndef EXECTRACE_SRC_RECORD_SAMPLE_QUEUE_H
#define EXECTRACE_SRC_RECORD_SAMPLE_QUEUE_H

#include "parse.h"
#include <exectrace/base/buf.h>

struct queue_entry {
	uint64_t time;
	uint64_t place; /* in `bytes`, which also is the order in which they came */
	uint32_t size;
};

struct queue {
	struct buf bytes; /* the records, one behind the other, each at a multiple of 8 */
	struct queue_entry *entries;
	size_t n, cap;
};

/* Is given the records in their order. 0, or a status that ends it. */
typedef int queue_fn(void *user, const void *bytes, size_t n);

/* Adds a copy of a record, n bytes, of that time. 0 or -ENOMEM. */
int queue_add(struct queue *q, uint64_t time, const void *bytes, size_t n);

/* Gives away all records before `until`; those stay that are later. 0, -ENOMEM, or the status of `take`. */
int queue_flush(struct queue *q, uint64_t until, queue_fn *take, void *user);

void queue_release(struct queue *q);

#endif
