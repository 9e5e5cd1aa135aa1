/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls of one number took, all together: for a summary. Plain data, which the agent fills in, too. */
#ifndef EXECTRACE_RECORD_INSIDE_COUNTS_H
#define EXECTRACE_RECORD_INSIDE_COUNTS_H

#include <stdint.h>

/* Durations in classes of a quarter of a power of two: percentiles within a fifth, whatever the count. */
#define COUNTS_CLASSES 160u

struct call_sums {
	uint64_t count;
	uint64_t errors;          /* of those, that failed */
	uint64_t total, min, max; /* ns; min: 0 while there is none */
};

struct call_counts {
	struct call_sums sums;
	uint32_t classes[COUNTS_CLASSES]; /* how many took a time of each class */
};

/* Which calls have times. */
enum counting {
	COUNT_NONE, /* each call is told of */
	COUNT_ALL,
	COUNT_FAILED, /* those that fail; the others are in `count` */
};

/* The class of a duration. */
static inline unsigned counts_class(uint64_t ns)
{
	unsigned log = 63u - (unsigned)__builtin_clzll(ns | 1);
	unsigned quarter = log >= 2 ? (unsigned)(ns >> (log - 2)) & 3 : 0;
	unsigned n = log * 4 + quarter;

	return n < COUNTS_CLASSES ? n : COUNTS_CLASSES - 1;
}

/* Adds the time of a call; timed: how many have one already. */
static inline void sums_add(struct call_sums *sums, uint64_t ns, uint64_t timed)
{
	sums->total += ns;
	if (!timed || ns < sums->min)
		sums->min = ns;
	if (ns > sums->max)
		sums->max = ns;
}

#endif
