/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What odd.c has found, for people and for programs. */
#include "odd.h"

#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define NAME_MAX 60u /* bytes of a name */

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

/* What a call costs: "1.52ms", "689,920". */
static void print_cost(struct buf *out, const struct replay_clock *clock, uint64_t cost)
{
	if (clock->hz)
		clock_print(out, cost);
	else
		growth_number(out, cost, false);
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
	growth_print(out, &one->fit, "call", first.data ? first.data : "?", last.data ? last.data : "?");
	if (*one->often) {
		buf_puts(out, "; late calls call ");
		print_name(out, one->often);
		buf_putc(out, ' ');
		growth_number(out, one->fit.times, false);
		buf_puts(out, " times");
	}
	buf_printf(out, " (%.0f%% of %s)\n", one->share * 100,
	           g->clock.hz ? "this phase" : "what was executed in this phase");
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
	if (*odd->others)
		buf_printf(out, "%sreturn %s", odd->n ? " and " : "", odd->others);
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

/* All that differs is that they call more functions. */
static bool is_more(const struct guest_odd *odd)
{
	for (size_t i = 0; i < odd->n; i++)
		if (odd->differences[i].how != SHAPES_ALSO)
			return false;
	return odd->n && !*odd->others;
}

static void print_count(struct buf *out, const struct guest_odd *odd, uint64_t some)
{
	growth_number(out, some, false);
	buf_puts(out, " of ");
	growth_number(out, odd->calls, false);
	buf_puts(out, " calls of ");
	print_function(out, odd->function, odd->module);
}

/* "2 of 624 calls of done [virtio_blk] call free_table, unlike the others: " */
static void print_more(struct buf *out, const struct guest_odd *odd)
{
	print_count(out, odd, odd->odd);
	for (size_t i = 0; i < odd->n; i++) {
		buf_puts(out, i ? " and " : odd->odd == 1 ? " calls " : " call ");
		print_name(out, odd->differences[i].function);
	}
	buf_puts(out, ", unlike the others: ");
}

static void print_one(struct buf *out, const struct guest_story *g, const struct guest_odd *odd, const char *data)
{
	struct buf time = BUF_INIT;

	guest_story_time(&time, g, odd->at);
	buf_printf(out, "  %8s  ", time.data ? time.data : "?");
	buf_release(&time);
	if (is_more(odd)) {
		print_more(out, odd);
	} else {
		print_count(out, odd, odd->calls - odd->odd);
		buf_putc(out, ' ');
		print_others(out, odd);
		buf_puts(out, odd->odd == 1 ? "; not that of " : "; not those of ");
	}
	print_name(out, *odd->task ? odd->task : "a task");
	buf_printf(out, " [%u]", odd->pid);
	if (odd->odd > 1)
		buf_printf(out, " and %llu more", (unsigned long long)odd->odd - 1);
	if (*odd->result)
		buf_printf(out, ": %s", odd->result);
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
		if (*g->odd[i].result) {
			jsonl_string(&one, "result", g->odd[i].result);
			jsonl_string(&one, "others", g->odd[i].others);
		}
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "odd_calls", &all);
	buf_release(&text);
	jsonl_string(j, "cost_unit",
	             g->clock.hz                          ? "ns"
	             : g->clock.kind == DATA_CLOCK_BLOCKS ? "blocks"
	                                                  : "instructions");
	growths(j, g);
}
