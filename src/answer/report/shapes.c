/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shapes.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <string.h>

#define DEPTH_MAX 1024u /* deeper calls are not looked at */

enum means {
	MEANS_KNOWN = 1 << 0,
	MEANS_WATCHED = 1 << 1, /* it is asked for */
	MEANS_SHAPED = 1 << 2,  /* and what it calls is looked at */
	MEANS_NOISE = 1 << 3,   /* of no shape */
};

/* An open call: what it has called so far. */
struct call {
	uint64_t hash; /* of the set, in whatever order */
	uint64_t part; /* what the longest call in it took */
	uint32_t longest;
	uint16_t n, at; /* at: the callee of the last call */
	bool more;      /* there is no room for all */
	bool looked;    /* what it calls is looked at */
	uint32_t callees[SHAPES_CALLEES], times[SHAPES_CALLEES];
};

struct building {
	uint32_t n; /* calls that there is room for */
	struct call calls[];
};

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static unsigned learn(struct shapes *s, uint32_t number)
{
	const struct replay_function *f = replay_function(s->replay, number);
	const char *wanted = s->options.function;
	unsigned means = MEANS_KNOWN;

	if (widen_array((void **)&s->means, &s->n_means, number, sizeof(*s->means)) ||
	    widen_array((void **)&s->functions, &s->n_functions, number, sizeof(*s->functions)))
		return 0;
	if (number != REPLAY_UNKNOWN && (!wanted || fnmatch(wanted, f->name, 0) == 0))
		means |= MEANS_WATCHED | (s->options.growth ? 0u : MEANS_SHAPED);
	if (shapes_is_noise(f))
		means |= MEANS_NOISE;
	s->means[number] = (uint8_t)means;
	return means;
}

/* What a function means; 0: no memory. */
static inline unsigned means_of(struct shapes *s, uint32_t number)
{
	unsigned means = __builtin_expect(number < s->n_means, 1) ? s->means[number] : 0;

	return __builtin_expect(means != 0, 1) ? means : learn(s, number);
}

/* --- Open calls --------------------------------------------------------------------------------------------------- */

static struct call *make_room(struct shapes *s, const struct replay_stack *stack, uint32_t depth)
{
	struct building *b;
	uint32_t n = 64;

	if (widen_array((void **)&s->stacks, &s->n_stacks, stack->number, sizeof(*s->stacks)))
		return NULL;
	while (n <= depth)
		n *= 2;
	b = realloc(s->stacks[stack->number], sizeof(*b) + n * sizeof(*b->calls));
	if (!b)
		return NULL;
	b->n = n;
	s->stacks[stack->number] = b;
	return &b->calls[depth];
}

/* The call at a depth, which is below DEPTH_MAX. NULL: no memory. */
static inline struct call *call_at(struct shapes *s, const struct replay_stack *stack, uint32_t depth)
{
	struct building *b = __builtin_expect(stack->number < s->n_stacks, 1) ? s->stacks[stack->number] : NULL;

	return __builtin_expect(b && depth < b->n, 1) ? &b->calls[depth] : make_room(s, stack, depth);
}

static inline uint64_t mix(uint32_t callee, bool more)
{
	uint64_t v = ((uint64_t)callee << 1 | more) * 0x9e3779b97f4a7c15ull;

	return (v ^ v >> 29) * 0xbf58476d1ce4e5b9ull | 1;
}

static inline void add_callee(struct call *c, uint32_t callee)
{
	uint32_t at = c->at;

	/* A loop calls the same ones in turn: the one behind the last one is looked at first. */
	for (uint32_t i = 0; i < c->n; i++) {
		at = at + 1 < c->n ? at + 1 : 0;
		if (c->callees[at] != callee)
			continue;
		if (c->times[at]++ == 1)
			c->hash += mix(callee, true);
		c->at = (uint16_t)at;
		return;
	}
	if (c->n == SHAPES_CALLEES) {
		c->more = true;
		return;
	}
	c->callees[c->n] = callee;
	c->times[c->n] = 1;
	c->hash += mix(callee, false);
	c->at = c->n++;
}

/* What a call calls says nothing when neither its shape nor a sample of it is wanted. */
static inline bool is_looked_at(const struct shaped *f, unsigned means)
{
	return (means & MEANS_SHAPED && !f->varied) || (means & MEANS_WATCHED && growth_wants(&f->growth));
}

int shapes_enter(struct shapes *s, const struct replay_stack *stack)
{
	uint32_t depth = stack->depth - 1;
	const struct replay_frame *frame = &stack->frames[depth];
	unsigned means = means_of(s, frame->function);
	struct call *c;

	if (__builtin_expect(depth >= DEPTH_MAX, 0))
		return 0;
	c = call_at(s, stack, depth);
	if (!means || !c)
		return -ENOMEM;
	c->hash = c->part = 0;
	c->longest = c->n = c->at = 0;
	c->more = false;
	c->looked = is_looked_at(&s->functions[frame->function], means);
	if (depth && !frame->interrupt && c[-1].looked && !(means & MEANS_NOISE))
		add_callee(c - 1, frame->function);
	return 0;
}

/* --- Calls that are over ------------------------------------------------------------------------------------------ */

static struct shapes_shape *new_shape(struct shaped *f, const struct call *c)
{
	size_t cap = f->cap;
	struct shapes_shape *shape;

	if (grow_array((void **)&f->shapes, f->n, &cap, sizeof(*f->shapes)))
		return NULL;
	f->cap = (uint32_t)cap;
	shape = &f->shapes[f->n];
	*shape = (struct shapes_shape){.hash = c->hash, .n = c->n};
	shape->callees = calloc(c->n + 1u, sizeof(*shape->callees));
	if (!shape->callees)
		return NULL;
	for (uint32_t i = 0; i < c->n; i++)
		shape->callees[i] = (struct shapes_callee){c->callees[i], c->times[i] > 1};
	f->recent = f->n++;
	return shape;
}

/* The shape of a call; NULL, and varied or no memory. */
static inline struct shapes_shape *shape_of(struct shaped *f, const struct call *c)
{
	if (__builtin_expect(f->recent < f->n && f->shapes[f->recent].hash == c->hash && !c->more, 1))
		return &f->shapes[f->recent];
	for (uint32_t i = 0; i < f->n && !c->more; i++)
		if (f->shapes[i].hash == c->hash) {
			f->recent = i;
			return &f->shapes[i];
		}
	f->varied = f->n == SHAPES_MAX || c->more;
	return f->varied ? NULL : new_shape(f, c);
}

static int add_result(struct shaped *f, const struct shapes_call *call, int64_t value)
{
	struct shapes_returned *r = f->results;
	size_t cap = 0;

	while (r && r < f->results + f->n_results && r->value != value)
		r++;
	if (!f->results && grow_array((void **)&f->results, 0, &cap, sizeof(*f->results)))
		return -ENOMEM;
	if (f->n_results == SHAPES_RESULTS && r == f->results + f->n_results) {
		free(f->results);
		f->results = NULL;
		f->n_results = 0;
		f->results_vary = true;
		return 0;
	}
	r = r ? r : f->results;
	if (r == f->results + f->n_results) {
		f->n_results++;
		*r = (struct shapes_returned){.value = value, .first = *call};
	}
	r->count++;
	r->last = *call;
	return 0;
}

/* 1: it is of a shape; 0: the function has too many; -ENOMEM. */
static int add_shape(struct shaped *f, const struct call *c, const struct replay_stack *stack,
                     const struct replay_call *call)
{
	struct shapes_shape *shape = shape_of(f, c);

	if (!shape)
		return f->varied ? 0 : -ENOMEM;
	if (!f->calls)
		f->pid = stack->pid;
	f->tasks |= stack->pid != f->pid;
	shape->last = (struct shapes_call){.number = f->calls++,
	                                   .cpu = stack->cpu,
	                                   .at = call->frame->entered,
	                                   .left = call->left,
	                                   .task = stack->task,
	                                   .pid = stack->pid,
	                                   .told = stack->tasks != 0};
	if (!shape->count++)
		shape->first = shape->last;
	f->recent = (uint32_t)(shape - f->shapes);
	return 1;
}

static int sample(struct shaped *f, const struct call *c, uint64_t total)
{
	struct growth_sample sample = {.cost = total, .part = c->part, .longest = c->longest};

	for (uint32_t i = 0; i < c->n; i++)
		if (c->times[i] > sample.times) {
			sample.often = c->callees[i];
			sample.times = c->times[i];
		}
	return growth_sample(&f->growth, &sample);
}

int shapes_leave(struct shapes *s, const struct replay_stack *stack, const struct replay_call *call)
{
	const struct replay_frame *frame = call->frame;
	const struct replay_frame *by = stack->depth && !frame->interrupt ? &stack->frames[stack->depth - 1] : NULL;
	unsigned means = means_of(s, frame->function);
	int64_t result;
	struct shaped *f;
	struct call *c;
	int rc = 0;

	if (__builtin_expect(stack->depth >= DEPTH_MAX, 0))
		return 0;
	c = call_at(s, stack, stack->depth);
	if (!means || !c)
		return -ENOMEM;
	if (by && call->total > c[-1].part) {
		c[-1].part = call->total;
		c[-1].longest = frame->function;
	}
	if (!(means & MEANS_WATCHED) || call->outside || !call->seen || !call->ended)
		return 0;
	f = &s->functions[frame->function];
	if (means & MEANS_SHAPED && !f->varied)
		rc = add_shape(f, c, stack, call);
	if (rc > 0)
		rc = !f->results_vary && shapes_result(s->replay, frame->function, &result)
		             ? add_result(f, &f->shapes[f->recent].last, result)
		             : 0;
	/* What recursion costs depends on how deep it is. */
	if (rc || (by && by->function == frame->function))
		return rc;
	f->last = frame->entered;
	f->cpu = stack->cpu;
	if (__builtin_expect(growth_wants(&f->growth), 0))
		return sample(f, c, call->total);
	growth_count(&f->growth, call->total);
	return 0;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int on_enter(void *ctx, struct replay_stack *stack)
{
	return shapes_enter(ctx, stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return shapes_leave(ctx, stack, call);
}

int shapes_run(struct shapes *s)
{
	const struct replay_sink sink = {.ctx = s, .enter = on_enter, .leave = on_leave};

	return replay_run(s->replay, &sink);
}

struct shapes *shapes_new(struct replay *p, const struct shapes_options *options)
{
	struct shapes *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->replay = p;
	s->options = *options;
	return s;
}

void shapes_free(struct shapes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_functions; i++) {
		for (uint32_t k = 0; k < s->functions[i].n; k++)
			free(s->functions[i].shapes[k].callees);
		free(s->functions[i].shapes);
		free(s->functions[i].results);
		growth_release(&s->functions[i].growth);
	}
	for (size_t i = 0; i < s->n_stacks; i++)
		free(s->stacks[i]);
	free(s->functions);
	free(s->stacks);
	free(s->means);
	free(s);
}

bool shapes_growth(const struct shapes *s, uint32_t function, struct growth_fit *fit)
{
	static const struct growth none;

	return growth_fit(function < s->n_functions ? &s->functions[function].growth : &none, fit);
}

const struct shapes_shape *shapes_of(const struct shapes *s, uint32_t function, size_t *n)
{
	const struct shaped *f = function < s->n_functions ? &s->functions[function] : NULL;

	*n = f && !f->varied ? f->n : 0;
	return *n ? f->shapes : NULL;
}

const struct shapes_returned *shapes_returned(const struct shapes *s, uint32_t function, size_t *n)
{
	const struct shaped *f = function < s->n_functions ? &s->functions[function] : NULL;

	*n = f && !f->varied ? f->n_results : 0;
	return *n ? f->results : NULL;
}

uint64_t shapes_calls(const struct shapes *s, uint32_t function)
{
	return function < s->n_functions ? s->functions[function].calls : 0;
}
