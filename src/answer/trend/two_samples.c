/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * H. B. Mann, D. R. Whitney: On a test of whether one of two random variables is stochastically larger than the other,
 * 1947. Y. Benjamini, Y. Hochberg: Controlling the false discovery rate, 1995.
 */
#include <exectrace/answer/trend/two_samples.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	double one = *(const double *)a, two = *(const double *)b;

	return (one > two) - (one < two);
}

/* The value below which a part of the sorted ones is. */
static double quantile(const double *values, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t below = (size_t)at;
	double more = at - (double)below;

	return more > 0 ? values[below] + more * (values[below + 1] - values[below]) : values[below];
}

struct sample_spread sample_describe(double *values, size_t n)
{
	if (!n)
		return (struct sample_spread){0};
	qsort(values, n, sizeof(*values), ascending);
	return (struct sample_spread){quantile(values, n, 0.5), quantile(values, n, 0.25), quantile(values, n, 0.75)};
}

/* --- Ranks -------------------------------------------------------------------------------------------------------- */

struct ranked {
	double value;
	bool first;  /* it is of the first side */
	size_t rank; /* twice the rank, from 2 on, so that those of equal values are whole */
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *one = a, *two = b;

	return (one->value > two->value) - (one->value < two->value);
}

/* All values in their order, for free(3); ties: the sum of t^3 - t over groups of t equal ones. */
static struct ranked *rank(const double *a, size_t n, const double *b, size_t m, double *ties)
{
	struct ranked *all = calloc(n + m, sizeof(*all));

	if (!all)
		return NULL;
	for (size_t i = 0; i < n + m; i++)
		all[i] = (struct ranked){.value = i < n ? a[i] : b[i - n], .first = i < n};
	qsort(all, n + m, sizeof(*all), by_value);
	*ties = 0;
	for (size_t i = 0, end; i < n + m; i = end) {
		double t;

		for (end = i + 1; end < n + m && all[end].value == all[i].value; end++)
			;
		t = (double)(end - i);
		*ties += t * t * t - t;
		for (size_t k = i; k < end; k++)
			all[k].rank = i + 1 + end;
	}
	return all;
}

/* Counts ways to choose ranks by how many they are and by their sum. */
struct ways {
	double *counts; /* by how many, and the sum */
	size_t width;   /* sums */
	size_t *lowest; /* sums of the ranks up to one, which are the lowest */
	unsigned shift; /* without ties all ranks are even */
};

static void add_rank(struct ways *w, size_t i, size_t chosen)
{
	size_t rank = w->lowest[i + 1] - w->lowest[i];

	for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
		double *to = w->counts + k * w->width, *from = w->counts + (k - 1) * w->width;

		for (size_t s = w->lowest[i + 1] - w->lowest[i + 1 - k]; s >= w->lowest[k - 1] + rank; s--)
			to[s] += from[s - rank];
	}
}

/* The part of the ways to choose so many whose sum is at least `distance` from the mean. */
static double part_of(const struct ways *w, size_t n, size_t chosen, double distance)
{
	const double *counts = w->counts + chosen * w->width;
	double mean = (double)(chosen * (n + 1)), as_far = 0, all = 0;

	for (size_t s = 0; s < w->width; s++) {
		all += counts[s];
		as_far += fabs((double)(s << w->shift) - mean) >= distance ? counts[s] : 0;
	}
	return as_far / all;
}

/*
 * Of all ways to choose `chosen` of the ranks, the part whose sum is at least `distance` (of twice the ranks) from the
 * mean. Counts are whole numbers below 2^53, so the sums are exact.
 */
static int count_ways(const struct ranked *all, size_t n, size_t chosen, double distance, double *part)
{
	struct ways w = {.lowest = calloc(n + 1, sizeof(*w.lowest)), .shift = 1};
	int rc;

	for (size_t i = 0; i < n; i++)
		w.shift &= ~(unsigned)all[i].rank;
	for (size_t i = 0; i < n && w.lowest; i++)
		w.lowest[i + 1] = w.lowest[i] + (all[i].rank >> w.shift);
	w.width = (n * (n + 1) >> w.shift) + 1;
	w.counts = calloc((chosen + 1) * w.width, sizeof(*w.counts));
	rc = w.counts && w.lowest ? 0 : -ENOMEM;
	if (!rc) {
		w.counts[0] = 1;
		for (size_t i = 0; i < n; i++)
			add_rank(&w, i, chosen);
		*part = part_of(&w, n, chosen, distance);
	}
	free(w.counts);
	free(w.lowest);
	return rc;
}

/* Of the rank sum, which is `distance` from its mean (twice the ranks). */
static double normal(size_t n, size_t m, double ties, double distance)
{
	double total = (double)(n + m), variance;

	variance = (double)n * (double)m / 12 * (total + 1 - ties / (total * (total - 1)));
	if (variance <= 0)
		return 1;
	distance = distance / 2 - 0.5;
	return distance <= 0 ? 1 : erfc(distance / sqrt(variance) / M_SQRT2);
}

/* log of n! */
static double log_factorial(size_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign);
}

static double log_choose(size_t n, size_t k)
{
	return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/*
 * Of two different values, `high` of n + m are the larger one, of which `got` are on the side of n: the same part of
 * all ways as count_ways finds, from the hypergeometric distribution, for any number of values.
 */
static double two_valued(size_t n, size_t m, size_t high, size_t got)
{
	double mean = (double)n * (double)high, far = fabs((double)got * (double)(n + m) - mean), part = 0;
	size_t least = high > m ? high - m : 0, most = high < n ? high : n;

	for (size_t k = least; k <= most; k++)
		if (fabs((double)k * (double)(n + m) - mean) >= far)
			part += exp(log_choose(n, k) + log_choose(m, high - k) - log_choose(n + m, high));
	return part < 1 ? part : 1;
}

/* How many of the sorted values are larger than the smallest one, and on the first side; false: there are more than
 * two.
 */
static bool is_two_valued(const struct ranked *all, size_t n, size_t *high, size_t *got)
{
	*high = *got = 0;
	for (size_t i = 0; i < n; i++) {
		if (all[i].value != all[0].value && all[i].value != all[n - 1].value)
			return false;
		*high += all[i].value != all[0].value;
		*got += all[i].value != all[0].value && all[i].first;
	}
	return true;
}

int two_samples_p(const double *a, size_t n, const double *b, size_t m, double *p)
{
	struct ranked *all;
	double ties, distance;
	size_t sum = 0, high, got;
	int rc = 0;

	*p = 1;
	if (!n || !m)
		return 0;
	all = rank(a, n, b, m, &ties);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n + m; i++)
		sum += all[i].first ? all[i].rank : 0;
	distance = fabs((double)sum - (double)n * (double)(n + m + 1));
	/* The sum of the other side is as far from its own mean. */
	if (is_two_valued(all, n + m, &high, &got))
		*p = two_valued(n, m, high, got);
	else if (n + m <= TWO_SAMPLES_EXACT)
		rc = count_ways(all, n + m, n < m ? n : m, distance, p);
	else
		*p = normal(n, m, ties, distance);
	free(all);
	return rc;
}

double two_samples_least(size_t n, size_t m)
{
	double ways = 1;

	if (!n || !m)
		return 1;
	for (size_t i = 1; i <= n; i++)
		ways = ways * (double)(m + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}

/* --- Many tests --------------------------------------------------------------------------------------------------- */

struct test {
	double p;
	size_t at;
};

static int smallest_first(const void *a, const void *b)
{
	const struct test *one = a, *two = b;

	return (one->p > two->p) - (one->p < two->p);
}

int two_samples_correct(double *p, size_t n)
{
	struct test *tests = calloc(n + 1, sizeof(*tests));
	double least = 1;

	if (!tests)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct test){p[i], i};
	qsort(tests, n, sizeof(*tests), smallest_first);
	for (size_t i = n; i--;) {
		double corrected = tests[i].p * (double)n / (double)(i + 1);

		least = corrected < least ? corrected : least;
		p[tests[i].at] = least;
	}
	free(tests);
	return 0;
}
