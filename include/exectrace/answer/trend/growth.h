/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether calls of one function cost more and more; or the same system call on a file, or processes of a command. Of
 * each function a sample of its calls is kept, one of each stretch of equal length, so that memory is bounded however
 * many calls there are; what is said of them goes by medians of tenths of all calls: a first call that finds nothing in
 * a cache, or a few that waited for a lock, say nothing.
 */
#ifndef EXECTRACE_ANSWER_TREND_GROWTH_H
#define EXECTRACE_ANSWER_TREND_GROWTH_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROWTH_SAMPLES 64u /* that are kept; a power of two */
#define GROWTH_CALLS 32u   /* of fewer calls nothing is said */

/* A call. */
struct growth_sample {
	uint64_t at;      /* its number, from 0 */
	uint64_t cost;    /* ticks, ns, or bytes */
	uint64_t part;    /* what the longest one of the calls that it made took */
	uint32_t longest; /* the function of that call; meaningless when part is 0 */
	uint32_t often;   /* the function that it called most often, ... */
	uint32_t times;   /* ... and how often; 0: none */
};

/* The calls of a function; all 0 is none. */
struct growth {
	uint64_t calls;
	uint64_t next; /* number of the call that is sampled next */
	uint64_t first, last, total;
	struct growth_sample *samples;
	size_t n, cap;
	uint64_t stretch; /* calls that have one sample; 0: 1 */
	uint64_t random;
};

enum growth_trend {
	GROWTH_NONE,
	GROWTH_LOGARITHMIC,
	GROWTH_LINEAR,
	GROWTH_QUADRATIC,
};

/* What is to be said of them. */
struct growth_fit {
	enum growth_trend trend;
	uint64_t calls, total;
	uint64_t first, last;             /* of the first call and the last one */
	uint64_t first_tenth, last_tenth; /* medians */
	double r2;                        /* how well the medians of all tenths are on the curve: 1 exactly */
	uint32_t longest;                 /* the function of which one call takes most of the time of late calls, ... */
	bool in_one;                      /* ... when there is one */
	uint32_t often;                   /* the function that the late calls called most often, ... */
	uint32_t times;                   /* ... and how often (a median); 0: it varies, or is not known */
};

/* Whether the next call is sampled. */
static inline bool growth_wants(const struct growth *g)
{
	return g->calls == g->next;
}

/* Adds a call that is not sampled. */
static inline void growth_count(struct growth *g, uint64_t cost)
{
	if (!g->calls++)
		g->first = cost;
	g->last = cost;
	g->total += cost;
}

/* Adds a call that is: `at` of the sample is filled in. 0 or -ENOMEM, with nothing added. */
int growth_sample(struct growth *g, const struct growth_sample *sample);

/* Adds a call of which nothing but its cost is known. 0 or -ENOMEM, with nothing added. */
static inline int growth_add(struct growth *g, uint64_t cost)
{
	const struct growth_sample sample = {.cost = cost};

	if (growth_wants(g))
		return growth_sample(g, &sample);
	growth_count(g, cost);
	return 0;
}

/* What is to be said. False, and a trend of GROWTH_NONE: nothing. */
bool growth_fit(const struct growth *g, struct growth_fit *fit);

/* Frees the samples and empties the struct. */
void growth_release(struct growth *g);

/* "linear" */
const char *growth_name(enum growth_trend trend);

/*
 * Whether the cost of the first and the last call, as it was, tells what the tenths do; when not, growth_print gives
 * those of the tenths.
 */
bool growth_is_exact(const struct growth_fit *fit);

/*
 * Adds "FIRST at the 1st call, LAST at the 12,000th: linear, so quadratic in all". The texts are of fit->first and
 * fit->last, or, when growth_is_exact says no, of the tenths. noun: "call". Failures of it stay in out->err.
 */
void growth_print(struct buf *out, const struct growth_fit *fit, const char *noun, const char *first, const char *last);

/* Adds "12,000" or "12,000th". Failures stay in out->err. */
void growth_number(struct buf *out, uint64_t number, bool ordinal);

#endif
