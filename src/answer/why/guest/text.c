/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest, for people. */
#include "text.h"
#include "delays.h"
#include "odd.h"
#include "place.h"
#include "said.h"

#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define FRAMES_MAX 24u /* of a stack that are shown: the innermost ones */
#define SHARE_MIN 50u  /* a part of its phase: what took less is not shown */
#define BRIEF 100u     /* a part of the recording: of a shorter phase only its time is shown */
#define NAME_MAX 60u   /* bytes of a name */
#define AROUND_NS (10 * NS_PER_MS)
#define BEHIND "                             "

void guest_story_time(struct buf *out, const struct guest_story *g, uint64_t time)
{
	if (g->ns)
		clock_print(out, time);
	else
		buf_printf(out, "%.3fM", (double)time / 1e6);
}

void text_name(struct buf *out, const char *name)
{
	size_t n = strlen(name);

	quote_terminal(out, name, n < NAME_MAX ? n : NAME_MAX);
}

void text_task(struct buf *out, const char *task, uint32_t pid)
{
	text_name(out, *task ? task : "a task");
	buf_printf(out, " [%u]", pid);
}

void text_function(struct buf *out, const char *name, const char *module)
{
	text_name(out, *name ? name : "code");
	if (*module && strcmp(module, "[kernel]") != 0 && strcmp(module, name) != 0) {
		buf_puts(out, *module == '[' ? " " : " of ");
		text_name(out, module);
	}
}

void text_padded(struct buf *out, const struct guest_story *g, uint64_t ticks)
{
	struct buf time = BUF_INIT;

	guest_story_time(&time, g, ticks);
	buf_printf(out, "  %8s", time.data ? time.data : "?");
	buf_release(&time);
}

/* --- Phases ------------------------------------------------------------------------------------------------------- */

/* Adds what stands before an item of a list: the head of a line, or a comma. */
static void separate(struct buf *out, size_t shown, const char *head)
{
	if (shown)
		buf_puts(out, ", ");
	else
		buf_printf(out, BEHIND "%s: ", head);
}

static void print_functions(struct buf *out, const struct guest_story *g, const struct guest_phase *p)
{
	size_t shown = 0;

	for (size_t i = 0; i < p->n_functions; i++) {
		if (p->functions[i].time < p->busy / SHARE_MIN)
			continue;
		separate(out, shown++, "by themselves");
		text_function(out, p->functions[i].name, p->functions[i].module);
		buf_putc(out, ' ');
		guest_story_time(out, g, p->functions[i].time);
	}
	buf_puts(out, shown ? "\n" : "");
}

static void print_items(struct buf *out, const struct guest_story *g, const struct guest_phase *p, const char *what,
                        const struct guest_item *items, size_t n)
{
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (items[i].time < (p->to - p->from) / SHARE_MIN)
			continue;
		separate(out, shown++, what);
		text_name(out, items[i].name);
		if (items[i].pid)
			buf_printf(out, " [%u]", items[i].pid);
		buf_putc(out, ' ');
		guest_story_time(out, g, items[i].time);
		if (!items[i].ended)
			buf_puts(out, " (had not ended)");
	}
	buf_puts(out, shown ? "\n" : "");
}

static void print_waits(struct buf *out, const struct guest_story *g, const struct guest_phase *p)
{
	size_t shown = 0;

	for (size_t i = 0; i < p->n_waits; i++) {
		const struct guest_wait *wait = &p->waits[i];

		if (wait->time < (p->to - p->from) / SHARE_MIN)
			continue;
		separate(out, shown++, "waited");
		text_task(out, wait->task, wait->pid);
		buf_putc(out, ' ');
		guest_story_time(out, g, wait->time);
		buf_puts(out, " in ");
		text_name(out, wait->function);
		place_print_call(out, wait->call);
	}
	buf_puts(out, shown ? "\n" : "");
}

static void print_phases(struct buf *out, const struct guest_story *g)
{
	buf_puts(out, "        at      took  computing\n");
	for (size_t i = 0; i < g->n_phases; i++) {
		const struct guest_phase *p = &g->phases[i];
		uint64_t known = p->busy + p->idle;

		text_padded(out, g, p->from);
		text_padded(out, g, p->to - p->from);
		if (known)
			buf_printf(out, "  %3u%%  ", (unsigned)((double)p->busy * 100 / (double)known + 0.5));
		else
			buf_puts(out, "     ?  ");
		buf_printf(out, "%s\n", p->name);
		if (p->to - p->from < g->length / BRIEF)
			continue;
		print_functions(out, g, p);
		print_items(out, g, p, "initcalls", p->initcalls, p->n_initcalls);
		print_items(out, g, p, "programs ran", p->programs, p->n_programs);
		print_waits(out, g, p);
		odd_print_growth(out, g, i, BEHIND);
	}
}

/* --- Trouble ------------------------------------------------------------------------------------------------------ */

static const char *const happened[GUEST_TROUBLE_KINDS] = {
	[GUEST_WARNING] = "warned",
	[GUEST_OOM] = "killed a process for lack of memory",
	[GUEST_OOPS] = "oopsed",
	[GUEST_PANIC] = "panicked",
};

void guest_story_outcome(struct buf *out, const struct guest_story *g)
{
	const struct guest_trouble *worst = g->n_troubles ? &g->troubles[0] : NULL;

	if (worst && (worst->kind == GUEST_PANIC || !g->noted)) {
		buf_printf(out, "its kernel %s at ", happened[worst->kind]);
		guest_story_time(out, g, worst->at);
	} else if (g->noted) {
		buf_puts(out, "its kernel panicked");
	} else if (g->kernel) {
		buf_puts(out, "no panic and no oops was recorded");
	} else {
		buf_puts(out, "no functions of a kernel were recorded");
	}
	buf_printf(out, ", %u processor%s", g->cpus, g->cpus == 1 ? "" : "s");
	if (g->boots > 1)
		buf_printf(out, "; its kernel started %zu times: the phases are of the first", g->boots);
}

static void print_stack(struct buf *out, const struct guest_trouble *t)
{
	size_t left_out = t->n > FRAMES_MAX ? t->n - FRAMES_MAX : 0;

	if (left_out)
		buf_printf(out, "    ... %zu more ...\n", left_out);
	for (size_t i = left_out; i < t->n; i++) {
		buf_puts(out, "    ");
		text_function(out, t->frames[i].name, t->frames[i].module);
		buf_puts(out, i + 1 == t->n ? "  <- here\n" : "\n");
	}
	buf_puts(out, "    then ");
	for (size_t i = 0; i < t->n_handling; i++) {
		buf_puts(out, i ? " > " : "");
		text_name(out, t->handling[i].name);
	}
	buf_putc(out, '\n');
}

static void print_talks(struct buf *out, const struct guest_story *g, const struct guest_trouble *t)
{
	if (!*t->module) {
		buf_puts(out, "  no function of a module is on this stack\n");
		return;
	}
	buf_puts(out, "  who called into ");
	text_name(out, t->module);
	buf_puts(out, " last:\n");
	for (size_t i = 0; i < t->n_talks; i++) {
		const struct guest_talk *talk = &t->talks[i];

		text_padded(out, g, talk->at);
		buf_puts(out, "  ");
		text_task(out, talk->task, talk->pid);
		buf_puts(out, ": ");
		text_name(out, talk->function);
		if (*talk->caller) {
			buf_puts(out, ", called by ");
			text_name(out, talk->caller);
		}
		if (talk->count > 1)
			buf_printf(out, ", %llu times", (unsigned long long)talk->count);
		buf_puts(out, talk->open ? ", which has not returned\n" : "\n");
	}
}

static void print_trouble(struct buf *out, const struct guest_story *g, const struct guest_trouble *t, const char *data)
{
	uint64_t from = t->at > AROUND_NS ? t->at - AROUND_NS : 0;

	buf_printf(out, "  it %s at ", happened[t->kind]);
	guest_story_time(out, g, t->at);
	buf_puts(out, " in ");
	text_task(out, t->task, t->pid);
	buf_printf(out, ", on processor %u:\n", t->cpu);
	print_stack(out, t);
	said_print(out, &t->said);
	print_talks(out, g, t);
	if (g->ns)
		buf_printf(out, "  more: exectrace calls%s --time=%.6f,%.6f%s\n", g->host ? " --clock=host" : "",
		           (double)from / (double)NS_PER_S, (double)(t->at + AROUND_NS) / (double)NS_PER_S, data);
	if (t->n) {
		buf_puts(out, "        exectrace graph ");
		quote_shell(out, t->frames[t->n - 1].name, strlen(t->frames[t->n - 1].name));
		buf_printf(out, "%s\n", data);
	}
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* What it could not say. */
static void print_missing(struct buf *out, const struct guest_story *g)
{
	if (!g->kernel)
		buf_puts(out, "  Without functions of a kernel neither phases nor a panic can be told. Record them "
		              "with --run=guest, without filters\n");
	else if (!g->programs)
		buf_puts(out, "  Functions of the guest's programs were not recorded: that takes --run='guest "
		              "--programs=yes', without filters\n");
	if (g->noted && (!g->n_troubles || g->troubles[0].kind != GUEST_PANIC))
		buf_puts(out, "  The panic itself is not in the recording: that takes --run=guest without filters\n");
}

void guest_story_print(struct buf *out, const struct guest_story *g, const char *data)
{
	size_t more = 0;

	if (!g->calls) {
		buf_puts(out, "  Nothing of it was recorded. Record all with --run=guest, without triggers and "
		              "filters\n");
		return;
	}
	print_phases(out, g);
	delays_print(out, g);
	stuck_print(out, g);
	buf_printf(out, "  more: exectrace timeline%s\n", data);
	if (g->n_troubles)
		print_trouble(out, g, &g->troubles[0], data);
	for (size_t i = 0; i < GUEST_TROUBLE_KINDS; i++)
		more += g->count[i];
	for (size_t i = 1; i < g->n_troubles && i < GUEST_TOP; i++) {
		const struct guest_trouble *t = &g->troubles[i];

		buf_printf(out, "  it %s, too, at ", happened[t->kind]);
		guest_story_time(out, g, t->at);
		buf_puts(out, " in ");
		text_task(out, t->task, t->pid);
		if (t->n) {
			buf_puts(out, ": ");
			text_function(out, t->frames[t->n - 1].name, t->frames[t->n - 1].module);
		}
		buf_putc(out, '\n');
		said_print(out, &t->said);
	}
	said_print_last(out, g);
	if (more > GUEST_TOP)
		buf_printf(out, "  %llu warnings, %llu oopses and %llu kills for lack of memory in all\n",
		           (unsigned long long)g->count[GUEST_WARNING], (unsigned long long)g->count[GUEST_OOPS],
		           (unsigned long long)g->count[GUEST_OOM]);
	odd_print(out, g, data);
	print_missing(out, g);
}
