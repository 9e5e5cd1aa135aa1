/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ended a guest, for people. */
#include "trouble_text.h"

#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/story/lineage.h>
#include <exectrace/answer/why/guest/story/text.h>
#include <string.h>

/* What calls functions that were asked for before (Linux: kernel/time, kernel/workqueue.c, kernel/softirq.c,
 * kernel/irq). */
static const struct {
	const char *name, *what;
} callers[] = {
	{"call_timer_fn", "the timer"},
	{"__hrtimer_run_queues", "the timer"},
	{"process_one_work", "the work"},
	{"tasklet_action_common", "the tasklet"},
	{"tasklet_action_common.isra.0", "the tasklet"},
	{"__handle_irq_event_percpu", "the interrupt handler"},
	{"irq_thread_fn", "the interrupt handler"},
};

/* Adds ": the timer softdog_fire [softdog]" of a stack on which there is such a one. */
static void print_asked(struct buf *out, const struct guest_trouble *t)
{
	for (size_t i = t->n; i-- > 1;)
		for (size_t k = 0; k < sizeof(callers) / sizeof(*callers); k++)
			if (strcmp(t->frames[i - 1].name, callers[k].name) == 0) {
				buf_printf(out, ": %s ", callers[k].what);
				text_function(out, t->frames[i].name, t->frames[i].module);
				return;
			}
}

/* It ended as it was to end: one line. */
static void print_own(struct buf *out, const struct guest_story *g)
{
	const struct guest_trouble *t = &g->ender;
	const bool named = t->lineage.n && strstr(t->lineage.list[0].command, t->task);

	buf_printf(out, "  %s by ", guest_outcomes[g->end] + (g->end == GUEST_RESET ? strlen("was ") : 0));
	if (!named)
		text_task(out, t->task, t->pid);
	if (t->lineage.n) {
		buf_puts(out, named ? "" : ", ");
		lineage_print(out, &t->lineage);
	}
	buf_putc(out, '\n');
}

/* What was interrupted has nothing to do with it. */
static struct guest_trouble in_interrupt(const struct guest_trouble *t)
{
	struct guest_trouble only = *t;
	size_t first = t->n;

	while (first && !t->frames[first - 1].interrupt)
		first--;
	if (first) {
		only.frames += first - 1;
		only.n -= first - 1;
	}
	return only;
}

static void print_other(struct buf *out, const struct guest_story *g, const char *data)
{
	const struct guest_trouble *t = &g->ender, inner = in_interrupt(t);

	if (g->end == GUEST_RUNS)
		buf_puts(out, "  what ran last, at ");
	else
		buf_printf(out, "  it %s at ", guest_outcomes[g->end]);
	guest_story_time(out, g, t->at);
	buf_puts(out, t->interrupt ? " in an interrupt of " : g->end == GUEST_RUNS ? ": " : " by ");
	text_task(out, t->task, t->pid);
	buf_printf(out, ", on processor %u", t->cpu);
	print_asked(out, t);
	buf_putc(out, '\n');
	if (!t->interrupt) {
		trouble_print_lineage(out, t);
		calls_print(out, &t->calls);
	}
	trouble_print_stack(out, t->interrupt ? &inner : t);
	if (*t->module)
		trouble_print_talks(out, g, t);
	if (t->calls.current && *t->calls.current)
		buf_printf(out, "  more: exectrace syscalls --pid=%u%s\n", t->pid, data);
}

void ender_print(struct buf *out, const struct guest_story *g, const char *data)
{
	if (!g->ender.frames)
		return;
	if (g->own_will)
		print_own(out, g);
	else
		print_other(out, g, data);
}
