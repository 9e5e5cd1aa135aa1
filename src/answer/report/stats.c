/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/report/stats.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEP 32u /* classes that get memory together */

int histogram_widen(struct histogram *h, uint32_t class)
{
	uint32_t low = class / STEP * STEP, end = low + STEP;
	uint32_t *counts;

	if (h->n && h->low < low)
		low = h->low;
	if (h->n && h->low + h->n > end)
		end = h->low + h->n;
	counts = calloc(end - low, sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	if (h->n)
		memcpy(counts + (h->low - low), h->counts, h->n * sizeof(*counts));
	free(h->counts);
	*h = (struct histogram){counts, low, end - low};
	return 0;
}

int call_stats_merge(struct call_stats *to, const struct call_stats *from)
{
	int rc = 0;

	if (!from->count)
		return 0;
	for (uint32_t i = 0; i < from->times.n; i++) {
		uint32_t class = from->times.low + i, *at;

		if (!from->times.counts[i])
			continue;
		if (class - to->times.low >= to->times.n)
			rc = histogram_widen(&to->times, class);
		if (rc)
			return rc;
		at = &to->times.counts[class - to->times.low];
		if (__builtin_add_overflow(*at, from->times.counts[i], at))
			*at = UINT32_MAX;
	}
	if (from->min < to->min || !to->count)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->total += from->total;
	to->count += from->count;
	to->errors += from->errors;
	return 0;
}

/* The middle of a class. */
static uint64_t middle_of(uint32_t class)
{
	unsigned shift = class < 64 ? 0 : class / 32 - 1;
	uint64_t low = (uint64_t)(class - shift * 32) << shift;

	return low + ((UINT64_C(1) << shift) - 1) / 2;
}

uint64_t call_stats_permille(const struct call_stats *s, unsigned permille)
{
	/* Counts may be large: no product of them. */
	uint64_t want = s->count / 1000 * permille + (s->count % 1000 * permille + 999) / 1000, seen = 0;

	if (want >= s->count)
		return s->max;
	for (uint32_t i = 0; i < s->times.n; i++) {
		uint64_t value;

		seen += s->times.counts[i];
		if (seen < want || !seen)
			continue;
		value = middle_of(s->times.low + i);
		return value < s->min ? s->min : value > s->max ? s->max : value;
	}
	return s->max;
}

uint64_t call_stats_mean(const struct call_stats *s)
{
	return s->count ? s->total / s->count : 0;
}

void call_stats_release(struct call_stats *s)
{
	free(s->times.counts);
	*s = (struct call_stats){0};
}
