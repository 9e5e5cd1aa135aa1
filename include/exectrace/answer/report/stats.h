/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations added up: count, total, extremes, and a histogram for percentiles. */
#ifndef EXECTRACE_ANSWER_REPORT_STATS_H
#define EXECTRACE_ANSWER_REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Log-linear: a class for each value below 64, above that 32 classes for each power of two, of which a class has a
 * width of 1/32 or less of its values. Only the range of classes that occur has memory.
 */
struct histogram {
	uint32_t *counts; /* of calls; one stays at its largest value, which spoils percentiles only */
	uint32_t low;     /* the class of counts[0] */
	uint32_t n;
};

/* All 0 is empty. Plain data but for the histogram. */
struct call_stats {
	uint64_t count, errors;
	uint64_t total, min, max; /* ns */
	struct histogram times;
};

/* The slow part of call_stats_add: the class has no memory yet. 0 or -ENOMEM. */
int histogram_widen(struct histogram *h, uint32_t class);

static inline uint32_t histogram_class(uint64_t value)
{
	unsigned shift = value < 64 ? 0 : 58 - (unsigned)__builtin_clzll(value);

	return shift * 32 + (uint32_t)(value >> shift);
}

/* Adds one call. 0 or -ENOMEM, with nothing added. */
static inline int call_stats_add(struct call_stats *s, uint64_t ns, bool error)
{
	uint32_t class = histogram_class(ns), *at;
	int rc;

	if (__builtin_expect(class - s->times.low >= s->times.n, 0)) {
		rc = histogram_widen(&s->times, class);
		if (rc)
			return rc;
	}
	at = &s->times.counts[class - s->times.low];
	*at += *at != UINT32_MAX;
	if (ns < s->min || !s->count)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->total += ns;
	s->count++;
	s->errors += error;
	return 0;
}

/* Adds all of `from`. 0 or -ENOMEM. */
int call_stats_merge(struct call_stats *to, const struct call_stats *from);

/* The time that so many of a thousand calls did not exceed, within 1.6 %; exact for min and max. 0 when there are none.
 */
uint64_t call_stats_permille(const struct call_stats *s, unsigned permille);

/* The mean; 0 when there are none. */
uint64_t call_stats_mean(const struct call_stats *s);

/* Frees the histogram and empties the struct. */
void call_stats_release(struct call_stats *s);

#endif
