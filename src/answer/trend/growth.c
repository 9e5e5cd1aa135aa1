/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/trend/growth.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TENTHS 10u
#define RISE 4       /* the last tenth costs so many times as much as the first one, ... */
#define RISING 7u    /* ... so many of nine steps lead up, ... */
#define FALL_MAX 0.1 /* ... none leads down by more than this part of the whole way, ... */
#define R2_MIN 0.9   /* ... the medians are on a curve, ... */
#define NEAR_MIN 0.7 /* ... and so many samples are not far from it: within a factor of two */
#define SIMPLER 0.01 /* so much better has a curve to be than a line */
#define MOST 0.7     /* of a call's time */

/* --- Samples ------------------------------------------------------------------------------------------------------ */

/* Numbers that have nothing to do with any pattern of calls, and are the same each time. */
static uint64_t next_random(struct growth *g)
{
	g->random = g->random * 6364136223846793005ull + 1442695040888963407ull;
	return g->random >> 33;
}

/* One of each two samples is given up, and those to come are of stretches twice as long. */
static void thin_out(struct growth *g)
{
	for (size_t i = 0; i < g->n / 2; i++)
		g->samples[i] = g->samples[2 * i + (next_random(g) & 1)];
	g->n /= 2;
	g->stretch *= 2;
}

int growth_sample(struct growth *g, const struct growth_sample *sample)
{
	int rc = grow_array((void **)&g->samples, g->n, &g->cap, sizeof(*g->samples));
	uint64_t at = g->calls;

	if (rc)
		return rc;
	if (!g->stretch)
		g->stretch = 1;
	g->samples[g->n] = *sample;
	g->samples[g->n++].at = at;
	growth_count(g, sample->cost);
	at = at / g->stretch + 1;
	if (g->n == GROWTH_SAMPLES) {
		thin_out(g);
		at /= 2;
	}
	g->next = at * g->stretch + next_random(g) % g->stretch;
	return 0;
}

void growth_release(struct growth *g)
{
	free(g->samples);
	*g = (struct growth){0};
}

/* --- Tenths ------------------------------------------------------------------------------------------------------- */

struct tenths {
	double at[TENTHS];   /* number of the call in the middle, from 1 */
	double cost[TENTHS]; /* median */
};

static int by_value(const void *a, const void *b)
{
	const uint64_t *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

static uint64_t median(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

/* False: a tenth has no sample. */
static bool divide(const struct growth *g, struct tenths *t)
{
	uint64_t values[GROWTH_SAMPLES];
	size_t from = 0;

	for (unsigned k = 0; k < TENTHS; k++) {
		uint64_t end = g->calls / TENTHS * (k + 1) + g->calls % TENTHS * (k + 1) / TENTHS;
		size_t n = 0;

		while (from < g->n && g->samples[from].at < end)
			values[n++] = g->samples[from++].cost;
		if (!n)
			return false;
		t->at[k] = 1 + ((double)k + 0.5) * (double)g->calls / TENTHS;
		t->cost[k] = (double)median(values, n);
	}
	return true;
}

static bool rises(const struct tenths *t)
{
	double way = t->cost[TENTHS - 1] - t->cost[0], highest = t->cost[0];
	unsigned up = 0;

	if (t->cost[TENTHS - 1] < RISE * t->cost[0] || way < RISE)
		return false;
	for (unsigned k = 1; k < TENTHS; k++) {
		up += t->cost[k] > t->cost[k - 1];
		if (highest - t->cost[k] > FALL_MAX * way)
			return false;
		highest = t->cost[k] > highest ? t->cost[k] : highest;
	}
	return up >= RISING;
}

/* --- Curves ------------------------------------------------------------------------------------------------------- */

struct curve {
	double base, slope, r2;
};

static double curve_at(enum growth_trend trend, double at)
{
	return trend == GROWTH_LOGARITHMIC ? log(at) : trend == GROWTH_QUADRATIC ? at * at : at;
}

/* Least squares. */
static struct curve lay(const struct tenths *t, enum growth_trend trend)
{
	double x[TENTHS], mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
	struct curve c;

	for (unsigned k = 0; k < TENTHS; k++) {
		x[k] = curve_at(trend, t->at[k]);
		mean_x += x[k] / TENTHS;
		mean_y += t->cost[k] / TENTHS;
	}
	for (unsigned k = 0; k < TENTHS; k++) {
		xx += (x[k] - mean_x) * (x[k] - mean_x);
		xy += (x[k] - mean_x) * (t->cost[k] - mean_y);
		yy += (t->cost[k] - mean_y) * (t->cost[k] - mean_y);
	}
	c.slope = xx > 0 ? xy / xx : 0;
	c.base = mean_y - c.slope * mean_x;
	c.r2 = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
	return c;
}

/* Whether most samples are near the curve: calls of two kinds are on none. */
static bool is_near(const struct growth *g, const struct tenths *t, const struct curve *c, enum growth_trend trend)
{
	double slack = t->cost[TENTHS - 1] / (2 * TENTHS);
	size_t near = 0;

	for (size_t i = 0; i < g->n; i++) {
		double expected = c->base + c->slope * curve_at(trend, (double)g->samples[i].at + 1);
		double cost = (double)g->samples[i].cost;

		near += cost <= 2 * expected + slack && 2 * cost + slack >= expected;
	}
	return (double)near >= NEAR_MIN * (double)g->n;
}

/* --- What late calls are made of ---------------------------------------------------------------------------------- */

/* The calls of the last third: in what they spend their time, and what they call how often. */
static void look_inside(const struct growth *g, struct growth_fit *fit)
{
	uint64_t times[GROWTH_SAMPLES];
	const struct growth_sample *late = &g->samples[g->n - 1];
	size_t n = 0, in_one = 0, often = 0;

	for (size_t i = g->n - g->n / 3; i < g->n; i++) {
		const struct growth_sample *s = &g->samples[i];

		in_one += s->part && s->longest == late->longest && (double)s->part >= MOST * (double)s->cost;
		often += s->times && s->often == late->often;
		times[n++] = s->times;
	}
	fit->longest = late->longest;
	fit->in_one = (double)in_one > MOST * (double)n;
	fit->often = late->often;
	fit->times = (double)often > MOST * (double)n ? (uint32_t)median(times, n) : 0;
}

bool growth_fit(const struct growth *g, struct growth_fit *fit)
{
	struct tenths t;
	struct curve best = {0};

	*fit = (struct growth_fit){.calls = g->calls, .total = g->total, .first = g->first, .last = g->last};
	if (g->calls < GROWTH_CALLS || !divide(g, &t) || !rises(&t))
		return false;
	for (enum growth_trend trend = GROWTH_LOGARITHMIC; trend <= GROWTH_QUADRATIC; trend++) {
		struct curve c = lay(&t, trend);
		double better = trend == GROWTH_LINEAR ? -SIMPLER : fit->trend == GROWTH_LINEAR ? SIMPLER : 0;

		if (fit->trend && c.r2 <= best.r2 + better)
			continue;
		best = c;
		fit->trend = trend;
	}
	fit->r2 = best.r2;
	fit->first_tenth = (uint64_t)t.cost[0];
	fit->last_tenth = (uint64_t)t.cost[TENTHS - 1];
	if (best.r2 < R2_MIN || !is_near(g, &t, &best, fit->trend)) {
		fit->trend = GROWTH_NONE;
		return false;
	}
	look_inside(g, fit);
	return true;
}

/* --- Text --------------------------------------------------------------------------------------------------------- */

const char *growth_name(enum growth_trend trend)
{
	static const char *const names[] = {"none", "logarithmic", "linear", "quadratic"};

	return names[trend];
}

void growth_number(struct buf *out, uint64_t number, bool ordinal)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	unsigned last = (unsigned)(number % 10), tens = (unsigned)(number / 10 % 10);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_putc(out, ',');
		buf_putc(out, digits[i]);
	}
	if (ordinal)
		buf_puts(out, tens == 1 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

bool growth_is_exact(const struct growth_fit *fit)
{
	return fit->first <= fit->first_tenth && fit->last >= fit->last_tenth && fit->last / 2 <= fit->last_tenth;
}

void growth_print(struct buf *out, const struct growth_fit *fit, const char *noun, const char *first, const char *last)
{
	static const char *const in_all[] = {"", "n log n", "quadratic", "cubic"};

	if (growth_is_exact(fit)) {
		buf_printf(out, "%s at the 1st %s, %s at the ", first, noun, last);
		growth_number(out, fit->calls, true);
	} else {
		buf_printf(out, "%s in the first tenth of ", first);
		growth_number(out, fit->calls, false);
		buf_printf(out, " %s%s, %s in the last", noun, noun[strlen(noun) - 1] == 's' ? "es" : "s", last);
	}
	buf_printf(out, ": %s, so %s in all", growth_name(fit->trend), in_all[fit->trend]);
}
