/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/report/stats.h>

#include "tap.h"

#include <stdlib.h>

#define N 20000

static int ascending(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return one < two ? -1 : one > two;
}

static uint64_t seed = 1;

static uint64_t noise(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool near(uint64_t got, uint64_t want)
{
	double error = (double)got - (double)want;

	return error <= (double)want * 0.016 + 0.5 && -error <= (double)want * 0.016 + 0.5;
}

/* Against a sorted array, with times of all magnitudes. */
static void test_percentiles(unsigned bits)
{
	static uint64_t times[N];
	static const unsigned asked[] = {1, 100, 500, 900, 990, 999, 1000};
	struct call_stats s = {0};
	uint64_t total = 0;

	for (int i = 0; i < N; i++) {
		times[i] = noise() >> (64 - bits) >> noise() % bits;
		total += times[i];
		call_stats_add(&s, times[i], i % 4 == 0);
	}
	qsort(times, N, sizeof(times[0]), ascending);
	CHECK_INT(s.count, N);
	CHECK_INT(s.errors, N / 4);
	CHECK(s.total == total && s.min == times[0] && s.max == times[N - 1]);
	CHECK(call_stats_mean(&s) == total / N);
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		uint64_t got = call_stats_permille(&s, asked[i]);

		if (!near(got, times[N / 1000 * asked[i] - 1]))
			CHECK(!"a percentile is wrong");
	}
	call_stats_release(&s);
}

static void test_small(void)
{
	struct call_stats s = {0};

	CHECK_INT(call_stats_permille(&s, 500), 0);
	CHECK_INT(call_stats_mean(&s), 0);
	CHECK_INT(call_stats_add(&s, 12345, false), 0);
	CHECK_INT(call_stats_permille(&s, 500), 12345);
	CHECK_INT(call_stats_add(&s, 3, true), 0);
	CHECK_INT(call_stats_permille(&s, 500), 3);
	CHECK_INT(call_stats_permille(&s, 990), 12345);
	CHECK_INT(call_stats_add(&s, UINT64_MAX, true), 0);
	CHECK(call_stats_permille(&s, 1000) == UINT64_MAX);
	CHECK(s.min == 3 && s.max == UINT64_MAX && s.errors == 2);
	call_stats_release(&s);
}

/* Each class holds the values from its own smallest one to that of the next. */
static void test_classes(void)
{
	uint32_t last = histogram_class(0);
	bool steps = last == 0;

	for (uint64_t value = 1; value < 200000; value++) {
		uint32_t class = histogram_class(value);

		steps &= class == last || class == last + 1;
		last = class;
	}
	CHECK(steps);
	CHECK_INT(histogram_class(63), 63);
	CHECK_INT(histogram_class(64), 64);
	CHECK_INT(histogram_class(65), 64);
	CHECK_INT(histogram_class(UINT64_MAX), 58 * 32 + 63);
}

static void test_merge(void)
{
	struct call_stats all = {0}, one = {0}, two = {0};

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t ns = noise() >> 40;

		call_stats_add(&all, ns, false);
		call_stats_add(i % 3 ? &one : &two, ns, false);
	}
	CHECK_INT(call_stats_merge(&one, &two), 0);
	CHECK(one.count == all.count && one.total == all.total && one.min == all.min && one.max == all.max);
	CHECK(call_stats_permille(&one, 500) == call_stats_permille(&all, 500));
	call_stats_release(&two);
	CHECK_INT(call_stats_merge(&one, &two), 0);
	CHECK(one.min == all.min);
	CHECK_INT(call_stats_merge(&two, &one), 0);
	CHECK(two.min == all.min && two.count == all.count);
	call_stats_release(&one);
	call_stats_release(&two);
	call_stats_release(&all);
}

int main(void)
{
	test_small();
	test_classes();
	test_percentiles(6);
	test_percentiles(24);
	test_percentiles(50);
	test_merge();
	return TAP_DONE();
}
