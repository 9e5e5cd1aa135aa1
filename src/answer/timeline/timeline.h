/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/timeline/timeline.h share. */
#ifndef EXECTRACE_SRC_ANSWER_TIMELINE_TIMELINE_H
#define EXECTRACE_SRC_ANSWER_TIMELINE_TIMELINE_H

#include <exectrace/answer/recording/pool.h>
#include <exectrace/answer/timeline/timeline.h>

struct timeline {
	struct pool texts;
	struct timeline_item *items; /* from 1 on */
	size_t n, cap;
	size_t phases; /* of the items */
	uint64_t start, end;
	uint64_t from; /* of the time that is wanted; not above `start`: all of it is */
	bool called, sampled;
	struct timeline_item *rests; /* made by timeline_choose */
	const struct timeline_item **sorted;
	size_t n_sorted;
};

/* A new one. NULL: no memory. */
struct timeline *timeline_new(void);

/* Adds an item. Its number; 0: no memory. */
uint32_t timeline_add(struct timeline *t, const struct timeline_item *item);

/* When the first of its calls began, and the last one ended; without calls the first time is behind the last one. */
void timeline_span(const struct timeline *t, uint64_t *first, uint64_t *last);

#endif
