/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a guest ended, and where its kernel was in trouble, for people. */
#include "trouble_text.h"
#include "said.h"

#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/story/lineage.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <exectrace/answer/why/guest/stuck/owners.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <string.h>

#define FRAMES_MAX 24u /* of a stack that are shown: the innermost ones */
#define CALL_MAX 110u  /* bytes of a system call */
#define TALK_BEHIND "            in "
#define IDLE 10u /* a part of the time: who computes less is idle */

static const char *const happened[GUEST_TROUBLE_KINDS] = {
	[GUEST_WARNING] = "warned", [GUEST_OOM] = "killed a process for lack of memory",
	[GUEST_HANG] = "hung",      [GUEST_OOPS] = "oopsed",
	[GUEST_PANIC] = "panicked",
};

static bool was_idle(const struct guest_story *g)
{
	return g->last_known && g->last_busy < g->last_known / IDLE;
}

/* What became of it, behind its trouble or none. */
static void print_end(struct buf *out, const struct guest_story *g)
{
	if (g->end != GUEST_RUNS) {
		buf_printf(out, ", it %s at ", guest_outcomes[g->end]);
		guest_story_time(out, g, g->ended);
	} else if (was_idle(g)) {
		buf_puts(out, ", it was still running, idle, when the recording ended");
	} else if (g->kernel) {
		buf_puts(out, ", it was still running when the recording ended");
	}
}

/* What a kernel does with the guest when it has panicked (panic= on its command line). */
static const char *const made_it[] = {
	[GUEST_RUNS] = "",
	[GUEST_POWERED_OFF] = " and powered it off",
	[GUEST_HALTED] = " and halted it",
	[GUEST_RESET] = " and reset it",
};

static bool is_one_event(const struct guest_story *g)
{
	return g->n_troubles && g->troubles[0].kind == GUEST_PANIC && g->end != GUEST_RUNS && !g->ender.frames;
}

bool trouble_tells(const struct guest_story *g)
{
	return (g->n_troubles && g->troubles[0].kind >= GUEST_HANG) || (g->end == GUEST_RUNS && was_idle(g));
}

bool guest_ended_well(const struct guest_story *g)
{
	return (g->off || g->own_will) && !(g->n_troubles && g->troubles[0].kind >= GUEST_HANG);
}

void guest_story_outcome(struct buf *out, const struct guest_story *g)
{
	const struct guest_trouble *worst = g->n_troubles ? &g->troubles[0] : NULL;

	if (worst && (worst->kind == GUEST_PANIC || !g->noted)) {
		buf_printf(out, "its kernel %s at ", happened[worst->kind]);
		guest_story_time(out, g, worst->at);
		if (is_one_event(g))
			buf_puts(out, made_it[g->end]);
	} else if (g->noted) {
		buf_puts(out, "its kernel panicked");
	} else if (g->kernel) {
		buf_puts(out, "no panic and no oops was recorded");
	} else {
		buf_puts(out, "no functions of a kernel were recorded");
	}
	if (!is_one_event(g))
		print_end(out, g);
	buf_printf(out, ", %u processor%s", g->cpus, g->cpus == 1 ? "" : "s");
	if (g->boots > 1)
		buf_printf(out, "; its kernel started %zu times: the phases are of the first", g->boots);
}

void trouble_print_stack(struct buf *out, const struct guest_trouble *t)
{
	size_t left_out = t->n > FRAMES_MAX ? t->n - FRAMES_MAX : 0;

	if (left_out)
		buf_printf(out, "    ... %zu more ...\n", left_out);
	for (size_t i = left_out; i < t->n; i++) {
		buf_puts(out, t->frames[i].interrupt && i ? "    --- interrupted by ---\n    " : "    ");
		text_function(out, t->frames[i].name, t->frames[i].module);
		buf_puts(out, i + 1 == t->n ? "  <- here\n" : "\n");
	}
	for (size_t i = 0; i < t->n_handling; i++) {
		buf_puts(out, i ? " > " : "    then ");
		text_name(out, t->handling[i].name);
	}
	buf_puts(out, t->n_handling ? "\n" : "");
}

void trouble_print_talks(struct buf *out, const struct guest_story *g, const struct guest_trouble *t)
{
	if (!*t->module) {
		buf_puts(out, "  no function of a module is on this stack\n");
		return;
	}
	buf_puts(out, "  who called into ");
	text_name(out, t->module);
	buf_puts(out, ", the last one first:\n");
	for (size_t i = 0; i < t->n_talks; i++) {
		const struct guest_talk *talk = &t->talks[i];

		text_padded(out, g, talk->at);
		buf_puts(out, "  ");
		buf_puts(out, talk->interrupt ? "an interrupt of " : "");
		text_task(out, talk->task, talk->pid);
		if (talk->command && !talk->interrupt && strchr(talk->command, ' ')) {
			buf_puts(out, " (");
			text_name(out, talk->command);
			buf_putc(out, ')');
		}
		buf_puts(out, ": ");
		text_name(out, talk->function);
		if (*talk->caller) {
			buf_puts(out, ", called by ");
			text_name(out, talk->caller);
		}
		if (talk->count > 1)
			buf_printf(out, ", %llu times", (unsigned long long)talk->count);
		buf_puts(out, talk->open ? ", which has not returned\n" : "\n");
		if (*talk->text) {
			buf_puts(out, TALK_BEHIND);
			text_cut(out, talk->text, CALL_MAX);
			buf_putc(out, '\n');
		}
	}
}

void trouble_print_lineage(struct buf *out, const struct guest_trouble *t)
{
	if (!t->lineage.n)
		return;
	buf_puts(out, "    ");
	lineage_print(out, &t->lineage);
	buf_putc(out, '\n');
}

/* The stack, with how long each call had been open; what else its innermost function did. */
static void print_more(struct buf *out, const struct guest_story *g, const struct guest_trouble *t, const char *data)
{
	const char *before = "  more: ";

	if (g->ns) {
		buf_printf(out, "%sexectrace calls --at=%llu.%09llu --task=%u%s\n", before,
		           (unsigned long long)(t->at / NS_PER_S), (unsigned long long)(t->at % NS_PER_S), t->pid,
		           data);
		before = "        ";
	}
	if (!t->n)
		return;
	buf_printf(out, "%sexectrace graph ", before);
	quote_shell(out, t->frames[t->n - 1].name, strlen(t->frames[t->n - 1].name));
	buf_printf(out, "%s\n", data);
}

static void print_trouble(struct buf *out, const struct guest_story *g, const struct guest_trouble *t, const char *data)
{
	buf_printf(out, "  it %s at ", happened[t->kind]);
	guest_story_time(out, g, t->at);
	buf_puts(out, t->interrupt ? " in an interrupt of " : " in ");
	text_task(out, t->task, t->pid);
	buf_printf(out, ", on processor %u:\n", t->cpu);
	trouble_print_lineage(out, t);
	calls_print(out, &t->calls);
	trouble_print_stack(out, t);
	if (t->kind == GUEST_HANG)
		owner_print_of(out, g, t->pid);
	said_print(out, &t->said);
	if (t == g->troubles)
		ending_print(out, g);
	if (*t->module || !g->n_steps)
		trouble_print_talks(out, g, t);
	print_more(out, g, t, data);
}

/* Those from this one on in a line each. */
static void print_others(struct buf *out, const struct guest_story *g, size_t from)
{
	size_t all = 0;

	for (size_t i = 0; i < GUEST_TROUBLE_KINDS; i++)
		all += g->count[i];
	for (size_t i = from; i < g->n_troubles && i < GUEST_TOP; i++) {
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
	if (all > GUEST_TOP)
		buf_printf(out, "  %llu warnings, %llu oopses and %llu kills for lack of memory in all\n",
		           (unsigned long long)g->count[GUEST_WARNING], (unsigned long long)g->count[GUEST_OOPS],
		           (unsigned long long)g->count[GUEST_OOM]);
}

/* How many are shown whole: the worst one, and what hung, which may be why it panicked. */
static size_t shown_whole(const struct guest_story *g)
{
	size_t n = 1;

	while (n < g->n_troubles && n < GUEST_TOP && g->troubles[0].kind != GUEST_OOPS &&
	       g->troubles[n].kind == GUEST_HANG)
		n++;
	return n;
}

void trouble_print(struct buf *out, const struct guest_story *g, const char *data)
{
	const size_t whole = g->n_troubles ? shown_whole(g) : 0;

	for (size_t i = 0; i < whole; i++)
		print_trouble(out, g, &g->troubles[i], data);
	if (whole)
		print_others(out, g, whole);
}
