/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "odd.h"

#include <errno.h>
#include <exectrace/answer/replay/replay.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_MIN 0.02 /* of its phase: what took less is not said to grow */
#define CALLS_MIN 16u  /* of a function that is of no module of the kernel: of fewer calls none is shown */
#define NAME_MAX 60u   /* bytes of a name */

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
	                        .n = odd->n};

	for (size_t i = 0; i < odd->n; i++) {
		one.differences[i].function = replay_function(p, odd->differences[i].function)->name;
		one.differences[i].how = odd->differences[i].how;
	}
	return one;
}

static int find_odd(struct guest_story *g, const struct replay *p, const struct shapes *s)
{
	struct shapes_odd *list;
	size_t n, theirs = 0;
	int rc = shapes_find_odd(s, &list, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		struct guest_odd one;
		size_t at;

		if (!is_telling(p, &list[i]))
			continue;
		one = odd_of(g, p, &list[i]);
		at = is_of_trouble(g, &one) ? theirs++ : g->n_odd;
		if (at >= GUEST_TOP)
			continue;
		g->n_odd += g->n_odd < GUEST_TOP;
		memmove(&g->odd[at + 1], &g->odd[at], (g->n_odd - at - 1) * sizeof(one));
		g->odd[at] = one;
	}
	if (!rc)
		free(list);
	return rc;
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

		if (!list[i].inside && has_name(p, list[i].function) && share >= SHARE_MIN)
			g->growth[g->n_growth++] = (struct guest_growth){
				.function = f->name,
				.module = f->module,
				.fit = list[i].fit,
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

/* --- For people --------------------------------------------------------------------------------------------------- */

static void print_name(struct buf *out, const char *name)
{
	size_t n = strlen(name);

	quote_terminal(out, name, n < NAME_MAX ? n : NAME_MAX);
}

static void print_function(struct buf *out, const char *name, const char *module)
{
	print_name(out, name);
	if (!*module || strcmp(module, "[kernel]") == 0)
		return;
	buf_puts(out, *module == '[' ? " " : " of ");
	print_name(out, module);
}

/* What a call costs: "1.52ms", "689,920 instructions". */
static void print_cost(struct buf *out, const struct replay_clock *clock, uint64_t ticks)
{
	if (clock->hz) {
		clock_print(out, clock->hz == NS_PER_S
		                         ? ticks
		                         : (uint64_t)((double)ticks * (double)NS_PER_S / (double)clock->hz));
		return;
	}
	growth_number(out, ticks, false);
}

static void print_growth(struct buf *out, const struct guest_story *g, const struct guest_growth *one)
{
	bool exact = growth_is_exact(&one->fit);
	struct buf first = BUF_INIT, last = BUF_INIT;

	print_cost(&first, &g->clock, exact ? one->fit.first : one->fit.first_tenth);
	if (!g->clock.hz)
		buf_puts(&first, g->clock.kind == DATA_CLOCK_BLOCKS ? " blocks" : " instructions");
	print_cost(&last, &g->clock, exact ? one->fit.last : one->fit.last_tenth);
	print_function(out, one->function, one->module);
	buf_puts(out, " takes longer call by call: ");
	growth_print(out, &one->fit, first.data ? first.data : "?", last.data ? last.data : "?");
	if (*one->often) {
		buf_puts(out, "; late calls call ");
		print_name(out, one->often);
		buf_putc(out, ' ');
		growth_number(out, one->fit.times, false);
		buf_puts(out, " times");
	}
	buf_printf(out, " (%.0f%% of this phase)\n", one->share * 100);
	buf_fail(out, first.err ? first.err : last.err);
	buf_release(&first);
	buf_release(&last);
}

void odd_print_growth(struct buf *out, const struct guest_story *g, size_t phase, const char *behind)
{
	for (size_t i = 0; i < g->n_growth; i++) {
		if (g->growth[i].phase != phase)
			continue;
		buf_puts(out, behind);
		print_growth(out, g, &g->growth[i]);
	}
}

/* What the others do: "also call cal_build" */
static void print_others(struct buf *out, const struct guest_odd *odd)
{
	static const char *const before[] = {
		[SHAPES_LACKS] = "call ",
		[SHAPES_ALSO] = "do not call ",
		[SHAPES_MORE] = "call ",
		[SHAPES_ONCE] = "call ",
	};
	static const char *const behind[] = {[SHAPES_LACKS] = "",
	                                     [SHAPES_ALSO] = "",
	                                     [SHAPES_MORE] = " only once",
	                                     [SHAPES_ONCE] = " more than once"};

	for (size_t i = 0; i < odd->n; i++) {
		buf_puts(out, i ? " and " : "");
		buf_puts(out, before[odd->differences[i].how]);
		print_name(out, odd->differences[i].function);
		buf_puts(out, behind[odd->differences[i].how]);
	}
}

/* How long before what: "1.92s before it panicked" */
static void print_before(struct buf *out, const struct guest_story *g, uint64_t at)
{
	const struct guest_trouble *worst = g->n_troubles ? &g->troubles[0] : NULL;
	bool before = worst && worst->kind >= GUEST_OOPS && worst->at >= at;
	uint64_t end = before ? worst->at : g->length;

	guest_story_time(out, g, end > at ? end - at : 0);
	buf_puts(out, !before                      ? " before the end"
	              : worst->kind == GUEST_PANIC ? " before it panicked"
	                                           : " before it oopsed");
}

static void print_one(struct buf *out, const struct guest_story *g, const struct guest_odd *odd, const char *data)
{
	struct buf time = BUF_INIT;

	guest_story_time(&time, g, odd->at);
	buf_printf(out, "  %8s  ", time.data ? time.data : "?");
	buf_release(&time);
	growth_number(out, odd->calls - odd->odd, false);
	buf_puts(out, " of ");
	growth_number(out, odd->calls, false);
	buf_puts(out, " calls of ");
	print_function(out, odd->function, odd->module);
	buf_putc(out, ' ');
	print_others(out, odd);
	buf_puts(out, odd->odd == 1 ? "; not that of " : "; not those of ");
	print_name(out, *odd->task ? odd->task : "a task");
	buf_printf(out, " [%u]", odd->pid);
	if (odd->odd > 1)
		buf_printf(out, " and %llu more", (unsigned long long)odd->odd - 1);
	buf_puts(out, ", ");
	print_before(out, g, odd->at);
	buf_puts(out, "\n            more: exectrace calls --odd=");
	quote_shell(out, odd->function, strlen(odd->function));
	buf_printf(out, "%s\n", data);
}

void odd_print(struct buf *out, const struct guest_story *g, const char *data)
{
	if (g->n_odd)
		buf_puts(out, "  calls that differ from the others of their function:\n");
	for (size_t i = 0; i < g->n_odd; i++)
		print_one(out, g, &g->odd[i], data);
}

/* --- For programs ------------------------------------------------------------------------------------------------- */

static void differences(struct jsonl *j, const struct guest_odd *odd)
{
	static const char *const how[] =
		{[SHAPES_LACKS] = "lacks", [SHAPES_ALSO] = "also", [SHAPES_MORE] = "more", [SHAPES_ONCE] = "once"};
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < odd->n; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "how", how[odd->differences[i].how]);
		jsonl_string(&one, "function", odd->differences[i].function);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "differences", &all);
	buf_release(&text);
}

static void growths(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_growth; i++) {
		const struct guest_growth *grows = &g->growth[i];

		jsonl_begin(&one);
		jsonl_string(&one, "function", grows->function);
		jsonl_string(&one, "module", grows->module);
		jsonl_string(&one, "phase", g->phases[grows->phase].name);
		jsonl_string(&one, "trend", growth_name(grows->fit.trend));
		jsonl_unsigned(&one, "calls", grows->fit.calls);
		jsonl_unsigned(&one, "first", grows->fit.first);
		jsonl_unsigned(&one, "last", grows->fit.last);
		jsonl_unsigned(&one, "first_tenth", grows->fit.first_tenth);
		jsonl_unsigned(&one, "last_tenth", grows->fit.last_tenth);
		jsonl_unsigned(&one, "total", grows->fit.total);
		jsonl_unsigned(&one, "percent", (uint64_t)(grows->share * 100 + 0.5));
		if (*grows->often) {
			jsonl_string(&one, "late_callee", grows->often);
			jsonl_unsigned(&one, "late_calls", grows->fit.times);
		}
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "growth", &all);
	buf_release(&text);
}

void odd_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_odd; i++) {
		jsonl_begin(&one);
		jsonl_string(&one, "function", g->odd[i].function);
		jsonl_string(&one, "module", g->odd[i].module);
		jsonl_unsigned(&one, "calls", g->odd[i].calls);
		jsonl_unsigned(&one, "odd", g->odd[i].odd);
		jsonl_unsigned(&one, "time", g->odd[i].at);
		jsonl_string(&one, "task", g->odd[i].task);
		jsonl_unsigned(&one, "pid", g->odd[i].pid);
		differences(&one, &g->odd[i]);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "odd_calls", &all);
	buf_release(&text);
	jsonl_string(j, "cost_unit",
	             g->clock.hz                          ? "ticks"
	             : g->clock.kind == DATA_CLOCK_BLOCKS ? "blocks"
	                                                  : "instructions");
	growths(j, g);
}
