/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether costs grow: series with a known law, noise, outliers and traps, of many lengths. */
#include <exectrace/answer/trend/growth.h>

#include "tap.h"

#include <math.h>
#include <stdlib.h>

static uint64_t seed;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

/* A cost by the number of the call, from 0, and how many there are. */
typedef double law(uint64_t at, uint64_t calls);

static double constant(uint64_t at, uint64_t calls)
{
	return (void)at, (void)calls, 1000;
}

static double linear(uint64_t at, uint64_t calls)
{
	return (void)calls, 50 + 7 * (double)at;
}

static double quadratic(uint64_t at, uint64_t calls)
{
	return (void)calls, 50 + 3 * (double)at * (double)at;
}

static double logarithmic(uint64_t at, uint64_t calls)
{
	return 10 + 1000 * (log(1 + (double)at) - log((double)calls / 25));
}

static double falling(uint64_t at, uint64_t calls)
{
	return 50 + 7 * (double)(calls - at);
}

static double step(uint64_t at, uint64_t calls)
{
	return at < calls / 2 ? 100 : 10000;
}

static double up_and_down(uint64_t at, uint64_t calls)
{
	return 100 + 100 * (double)(at < calls / 2 ? at : calls - at);
}

static double waves(uint64_t at, uint64_t calls)
{
	return (void)calls, 100 + 1000 * (double)(at % 16);
}

/* Of each two calls one costs nothing, and one more and more. */
static double mixed(uint64_t at, uint64_t calls)
{
	return (void)calls, at % 2 ? 5 : 7 * (double)at;
}

struct series {
	uint64_t calls, first, last, total;
};

/* Adds calls; each hundredth costs thousand times as much when `outliers`. */
static struct growth make(law *cost, uint64_t calls, unsigned noise, bool outliers, struct series *made)
{
	struct growth g = {0};

	*made = (struct series){.calls = calls};
	for (uint64_t i = 0; i < calls; i++) {
		double c = cost(i, calls);
		uint64_t value = c < 0 ? 0 : (uint64_t)(c * (double)(100 + any(noise + 1)) / 100);

		if (outliers && i % 100 == 17)
			value *= 1000;
		made->first = i ? made->first : value;
		made->last = value;
		made->total += value;
		if (growth_wants(&g)) {
			const struct growth_sample sample = {.cost = value, .often = 7, .times = (uint32_t)i};

			if (growth_sample(&g, &sample))
				break;
		} else {
			growth_count(&g, value);
		}
	}
	return g;
}

static void check(const char *name, law *cost, unsigned noise, enum growth_trend wanted)
{
	static const uint64_t lengths[] = {32, 33, 63, 64, 65, 100, 127, 128, 1000, 5000, 70001};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (unsigned how = 0; how < 4; how++) {
			struct growth_fit fit;
			struct series made;
			struct growth g;
			char text[100];
			bool grows;

			seed = i * 4 + how;
			g = make(cost, lengths[i], how & 1 ? noise : 0, how & 2, &made);
			grows = growth_fit(&g, &fit);
			snprintf(text, sizeof(text), "%s, %u calls, %u", name, (unsigned)lengths[i], how);
			tap_check(fit.trend == wanted && grows == (wanted != GROWTH_NONE) && fit.calls == made.calls &&
			                  fit.first == made.first && fit.last == made.last && fit.total == made.total,
			          text, __FILE__, __LINE__);
			if (fit.trend != wanted)
				printf("#   %s, R2 %f\n", growth_name(fit.trend), fit.r2);
			growth_release(&g);
		}
}

/* One sample of each stretch, whatever was thinned out. */
static void test_samples(void)
{
	struct series made;

	for (uint64_t calls = 1; calls < 3000; calls += 1 + calls / 7) {
		struct growth g = make(linear, calls, 0, false, &made);
		bool apart = g.n && g.n < GROWTH_SAMPLES && (calls < GROWTH_SAMPLES || g.n >= GROWTH_SAMPLES / 2);

		for (size_t i = 0; i < g.n; i++)
			apart = apart && g.samples[i].at / g.stretch == i &&
			        g.samples[i].cost == (uint64_t)linear(g.samples[i].at, calls);
		if (!apart || (calls - 1) / g.stretch > g.n)
			CHECK_INT(calls, 0);
		growth_release(&g);
	}
	CHECK(made.calls > 2000);
}

static void test_few(void)
{
	struct growth_fit fit;
	struct series made;
	struct growth g = make(linear, GROWTH_CALLS - 1, 0, false, &made);

	CHECK(!growth_fit(&g, &fit));
	CHECK_INT(fit.trend, GROWTH_NONE);
	CHECK_INT(fit.calls, GROWTH_CALLS - 1);
	growth_release(&g);
	CHECK(!growth_fit(&g, &fit));
	CHECK_INT(fit.calls, 0);
}

/* A first call that finds nothing in a cache says nothing of the others. */
static double cold(uint64_t at, uint64_t calls)
{
	return at ? linear(at, calls) : 100000;
}

static double cold_constant(uint64_t at, uint64_t calls)
{
	return at ? constant(at, calls) : 100000;
}

static void test_text(void)
{
	struct growth_fit fit;
	struct series made;
	struct buf out = BUF_INIT;
	struct growth g = make(linear, 12000, 0, false, &made);

	CHECK(growth_fit(&g, &fit));
	CHECK(growth_is_exact(&fit));
	CHECK_INT(fit.often, 7);
	CHECK(fit.times > 9000 && fit.times < 11000);
	growth_print(&out, &fit, "call", "57 instructions", "84,043");
	CHECK_STR(out.data, "57 instructions at the 1st call, 84,043 at the 12,000th: linear, so quadratic in all");
	growth_release(&g);
	buf_reset(&out, 0);
	g = make(cold, 12000, 0, false, &made);
	CHECK(growth_fit(&g, &fit));
	CHECK(!growth_is_exact(&fit));
	growth_print(&out, &fit, "pass", "a", "b");
	CHECK_STR(out.data, "a in the first tenth of 12,000 passes, b in the last: linear, so quadratic in all");
	growth_release(&g);
	buf_release(&out);
}

static void test_numbers(void)
{
	static const struct {
		uint64_t number;
		const char *plain, *ordinal;
	} rows[] = {
		{0, "0", "0th"},
		{1, "1", "1st"},
		{2, "2", "2nd"},
		{3, "3", "3rd"},
		{11, "11", "11th"},
		{12, "12", "12th"},
		{113, "113", "113th"},
		{121, "121", "121st"},
		{999, "999", "999th"},
		{1000, "1,000", "1,000th"},
		{1234567, "1,234,567", "1,234,567th"},
		{UINT64_MAX, "18,446,744,073,709,551,615", "18,446,744,073,709,551,615th"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct buf plain = BUF_INIT, ordinal = BUF_INIT;

		growth_number(&plain, rows[i].number, false);
		growth_number(&ordinal, rows[i].number, true);
		CHECK_STR(plain.data, rows[i].plain);
		CHECK_STR(ordinal.data, rows[i].ordinal);
		buf_release(&plain);
		buf_release(&ordinal);
	}
}

int main(void)
{
	check("constant", constant, 20, GROWTH_NONE);
	check("linear", linear, 20, GROWTH_LINEAR);
	check("quadratic", quadratic, 20, GROWTH_QUADRATIC);
	check("logarithmic", logarithmic, 1, GROWTH_LOGARITHMIC);
	check("falling", falling, 20, GROWTH_NONE);
	check("step", step, 20, GROWTH_NONE);
	check("up and down", up_and_down, 20, GROWTH_NONE);
	check("waves", waves, 20, GROWTH_NONE);
	check("mixed", mixed, 20, GROWTH_NONE);
	check("cold", cold, 1, GROWTH_LINEAR);
	check("cold and constant", cold_constant, 20, GROWTH_NONE);
	test_samples();
	test_few();
	test_text();
	test_numbers();
	return TAP_DONE();
}
