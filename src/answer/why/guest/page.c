/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest, for people. */
#include <exectrace/answer/why/guest/guest.h>

#include "odd.h"
#include "said.h"
#include "trouble_text.h"
#include <exectrace/answer/why/guest/delays/delays.h>
#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/answer/why/guest/stuck/stuck.h>

#define SHARE_MIN 50u  /* a part of its phase: what took less is not shown */
#define BRIEF 100u     /* a part of the recording: of a shorter phase only its time is shown */
#define FAILED_GOOD 3u /* programs that failed, of a guest that ended well */
#define DELAYS_GOOD 8u /* delays of it, ... */
#define DELAYS_BAD 3u  /* ... and of one that did not */
#define BEHIND "                             "

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

/* brief: a line each. */
static void print_phases(struct buf *out, const struct guest_story *g, bool brief)
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
		if (brief)
			odd_print_growth(out, g, i, BEHIND);
		if (brief || p->to - p->from < g->length / BRIEF)
			continue;
		print_functions(out, g, p);
		print_items(out, g, p, "initcalls", p->initcalls, p->n_initcalls);
		print_items(out, g, p, "programs by themselves", p->programs, p->n_programs);
		print_waits(out, g, p);
		odd_print_growth(out, g, i, BEHIND);
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

/* What it took comes first, ... */
static void print_good(struct buf *out, const struct guest_story *g, const char *data)
{
	ender_print(out, g, data);
	print_phases(out, g, false);
	failed_print(out, g, FAILED_GOOD);
	ignored_print(out, g);
	delays_print(out, g, DELAYS_GOOD);
	crowds_print(out, g);
	polls_print(out, g);
	closes_print(out, g);
	stuck_print(out, g);
	buf_printf(out, "  more: exectrace timeline%s\n", data);
	trouble_print(out, g, data);
	said_print_last(out, g);
}

/* ... or how it ended. */
static void print_bad(struct buf *out, const struct guest_story *g, const char *data)
{
	trouble_print(out, g, data);
	ender_print(out, g, data);
	said_print_last(out, g);
	failed_print(out, g, GUEST_FAILED);
	ignored_print(out, g);
	stuck_print(out, g);
	print_phases(out, g, trouble_tells(g));
	delays_print(out, g, DELAYS_BAD);
	crowds_print(out, g);
	polls_print(out, g);
	closes_print(out, g);
	buf_printf(out, "  more: exectrace timeline%s\n", data);
}

void guest_story_print(struct buf *out, const struct guest_story *g, const char *data)
{
	if (!g->calls) {
		buf_puts(out, "  Nothing of it was recorded. Record all with --run=guest, without triggers and "
		              "filters\n");
		return;
	}
	if (guest_ended_well(g))
		print_good(out, g, data);
	else
		print_bad(out, g, data);
	odd_print(out, g, data);
	print_missing(out, g);
}
