/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "odd.h"

#include <errno.h>
#include <exectrace/answer/replay/replay.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_MIN 0.02 /* of its phase: what took less is not said to grow */
#define CALLS_MIN 16u  /* of a function that is of no module of the kernel: of fewer calls none is shown */

/* What goes along with the replay. */
struct finding {
	struct guest_story *g;
	struct shapes *shapes;
	double ticks[GUEST_PHASES]; /* of the guest's clock, in each phase */
};

/* --- Finding them ------------------------------------------------------------------------------------------------- */

/* A tick of the guest's clock as a time of the story. */
static uint64_t time_at(const struct guest_story *g, uint32_t cpu, uint64_t tick)
{
	uint64_t start = replay_start(g->replay), hz = replay_clock(g->replay).hz;

	tick = replay_host_at(g->replay, cpu, tick);
	tick = tick > start ? tick - start : 0;
	return !hz || hz == NS_PER_S ? tick : (uint64_t)((double)tick * (double)NS_PER_S / (double)hz);
}

static size_t phase_at(const struct guest_story *g, uint64_t time)
{
	size_t phase = 0;

	while (phase + 1 < g->n_phases && time >= g->phases[phase + 1].from)
		phase++;
	return phase;
}

/* Whether it is of the module that trouble is in, and before that. */
static bool is_of_trouble(const struct guest_story *g, const struct guest_odd *odd)
{
	const struct guest_trouble *worst = g->n_troubles ? &g->troubles[0] : NULL;

	return worst && *worst->module && strcmp(worst->module, odd->module) == 0 && odd->at <= worst->at;
}

/* A name that says something: that of a function of a stripped program is its address. */
static bool has_name(const struct replay *p, uint32_t function)
{
	const char *name = replay_function(p, function)->name;

	return *name && *name != '@' && *name != '[';
}

/* Names that C reserves are those of the library, which does what it is given to do. */
static bool is_of_library(const struct replay *p, const struct shapes_odd *odd)
{
	return odd->code == SHAPES_PROGRAM && replay_function(p, odd->function)->name[0] == '_';
}

static bool is_telling(const struct replay *p, const struct shapes_odd *odd)
{
	bool telling = odd->likely && !odd->outer && odd->n <= GUEST_DIFFERENCES && has_name(p, odd->function) &&
	               !is_of_library(p, odd) && (odd->code == SHAPES_MODULE || odd->calls >= CALLS_MIN);

	for (size_t i = 0; i < odd->n && telling; i++)
		telling = has_name(p, odd->differences[i].function);
	return telling;
}

/* One function of a stripped program is told by its address; what stands for many has a name in brackets. */
static bool is_one(const struct replay *p, uint32_t function)
{
	const char *name = replay_function(p, function)->name;

	return *name && *name != '[';
}

static struct guest_odd odd_of(const struct guest_story *g, const struct replay *p, const struct shapes_odd *odd)
{
	const struct replay_function *f = replay_function(p, odd->function);
	struct guest_odd one = {.function = f->name,
	                        .module = f->module,
	                        .calls = odd->calls,
	                        .odd = odd->odd,
	                        .at = time_at(g, odd->first.cpu, odd->first.at),
	                        .task = odd->first.told ? odd->first.task : "",
	                        .pid = odd->first.pid,
	                        .n = odd->n,
	                        .result = "",
	                        .others = ""};

	for (size_t i = 0; i < odd->n; i++) {
		one.differences[i].function = replay_function(p, odd->differences[i].function)->name;
		one.differences[i].how = odd->differences[i].how;
	}
	return one;
}

/* A result as a text that stays. 0 or -ENOMEM. */
static int keep_result(struct guest_story *g, const struct replay_function *f, int64_t result, const char **text)
{
	struct buf out = BUF_INIT;
	int rc = shapes_print_result(&out, f, result);

	if (!rc)
		rc = pool_text(&g->commands, out.data ? out.data : "", out.len, text, NULL);
	buf_release(&out);
	return rc;
}

static int find_odd(struct guest_story *g, const struct replay *p, const struct shapes *s)
{
	struct shapes_odd *list = NULL;
	size_t n = 0, theirs = 0;
	int rc = shapes_find_odd(s, &list, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct guest_odd one;
		size_t at;

		if (!is_telling(p, &list[i]))
			continue;
		one = odd_of(g, p, &list[i]);
		if (list[i].gives)
			rc = keep_result(g, replay_function(p, list[i].function), list[i].result, &one.result);
		if (list[i].gives && !rc)
			rc = keep_result(g, replay_function(p, list[i].function), list[i].others, &one.others);
		at = is_of_trouble(g, &one) ? theirs++ : g->n_odd;
		if (at >= GUEST_TOP)
			continue;
		g->n_odd += g->n_odd < GUEST_TOP;
		memmove(&g->odd[at + 1], &g->odd[at], (g->n_odd - at - 1) * sizeof(one));
		g->odd[at] = one;
	}
	free(list);
	return rc;
}

/* Costs become ns where the clock counts time. */
static struct growth_fit in_ns(const struct growth_fit *fit, uint64_t hz)
{
	struct growth_fit ns = *fit;
	uint64_t *const costs[] = {&ns.total, &ns.first, &ns.last, &ns.first_tenth, &ns.last_tenth};

	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs) && hz && hz != NS_PER_S; i++)
		*costs[i] = (uint64_t)((double)*costs[i] * (double)NS_PER_S / (double)hz);
	return ns;
}

static int find_growth(struct finding *found, const struct replay *p)
{
	struct guest_story *g = found->g;
	struct shapes_grows *list;
	size_t n;
	int rc = shapes_find_growth(found->shapes, 1, &list, &n);

	for (size_t i = 0; i < n && !rc && g->n_growth < GUEST_TOP; i++) {
		const struct replay_function *f = replay_function(p, list[i].function);
		size_t phase = phase_at(g, time_at(g, list[i].cpu, list[i].last));
		double share = (double)list[i].fit.total / (found->ticks[phase] + 1);

		if (!list[i].inside && is_one(p, list[i].function) && share >= SHARE_MIN)
			g->growth[g->n_growth++] = (struct guest_growth){
				.function = f->name,
				.module = f->module,
				.fit = in_ns(&list[i].fit, g->clock.hz),
				.often = list[i].fit.times > 1 ? replay_function(p, list[i].fit.often)->name : "",
				.share = share < 1 ? share : 1,
				.phase = phase,
			};
	}
	if (!rc)
		free(list);
	return rc;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	return shapes_enter(((struct finding *)ctx)->shapes, stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return shapes_leave(((struct finding *)ctx)->shapes, stack, call);
}

/* A stretch that phases share is taken to go on evenly. */
static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct finding *found = ctx;
	const struct guest_story *g = found->g;
	uint64_t from = time_at(g, cpu, stack->since - ticks), to = time_at(g, cpu, stack->since);

	for (size_t i = phase_at(g, from); i < g->n_phases && to > from; i++) {
		uint64_t begin = from > g->phases[i].from ? from : g->phases[i].from;
		uint64_t end = i + 1 == g->n_phases || to < g->phases[i + 1].from ? to : g->phases[i + 1].from;

		if (begin < end)
			found->ticks[i] += (double)ticks * (double)(end - begin) / (double)(to - from);
	}
	return 0;
}

int odd_read(struct guest_story *g, struct recording *r, size_t file, struct buf *err)
{
	static const struct replay_options plain;
	static const struct shapes_options all;
	struct finding found = {.g = g};
	const struct replay_sink sink = {.ctx = &found, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	struct replay *p = NULL;
	int rc = replay_new(&p, r, file, &plain, err);

	if (!rc) {
		found.shapes = shapes_new(p, &all);
		rc = found.shapes ? replay_run(p, &sink) : -ENOMEM;
	}
	if (!rc) {
		g->clock = replay_clock(p);
		rc = find_odd(g, p, found.shapes);
	}
	if (!rc)
		rc = find_growth(&found, p);
	shapes_free(found.shapes);
	replay_free(p);
	return rc;
}
