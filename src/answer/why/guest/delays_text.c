/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What delayed a guest, for people and programs. */
#include "delays.h"
#include "json.h"
#include "place.h"
#include "text.h"

#include <string.h>

#define SHOWN 8u      /* at most */
#define PART_MIN 40u  /* a part of the chain: what took less is not shown */
#define EACH_PART 20u /* a part of a delay: functions that ran less are not shown */
#define BEHIND "                    "

static void print_wait(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	buf_puts(out, " waited in ");
	place_print(out, &d->place);
	if (d->count > 1) {
		buf_printf(out, " x%llu, ", (unsigned long long)d->count);
		guest_story_time(out, g, d->time / d->count);
		buf_puts(out, " each");
	}
	place_print_caller(out, &d->place);
	if (*d->end)
		buf_printf(out, "; %s ended it", d->end);
	buf_putc(out, '\n');
	if (!*d->waiter)
		return;
	buf_puts(out, BEHIND "for it waited ");
	text_task(out, d->waiter, d->waiter_pid);
	buf_puts(out, " in ");
	text_name(out, d->waiter_in);
	place_print_call(out, d->waiter_call);
	buf_putc(out, '\n');
}

static void print_ran(struct buf *out, const struct guest_story *g, const struct guest_delay *d)
{
	size_t shown = 0;

	buf_puts(out, " ran");
	for (size_t i = 0; i < d->n_functions; i++) {
		if (d->functions[i].time < d->time / EACH_PART)
			continue;
		buf_puts(out, shown++ ? ", " : ": ");
		text_function(out, d->functions[i].name, d->functions[i].module);
		buf_putc(out, ' ');
		guest_story_time(out, g, d->functions[i].time);
	}
	buf_putc(out, '\n');
}

void delays_print(struct buf *out, const struct guest_story *g)
{
	size_t shown = 0;

	if (!g->n_delays)
		return;
	buf_puts(out, "  what delayed it, on the chain of who waited for whom:\n");
	for (size_t i = 0; i < g->n_delays && shown < SHOWN; i++) {
		const struct guest_delay *d = &g->delays[i];

		if (d->time < g->chain / PART_MIN)
			break;
		text_padded(out, g, d->time);
		buf_printf(out, "  %3u%%  ", (unsigned)((double)d->time * 100 / (double)g->chain + 0.5));
		text_task(out, d->task, d->pid);
		shown++;
		if (d->kind == GUEST_WAITED)
			print_wait(out, g, d);
		else if (d->kind == GUEST_RAN)
			print_ran(out, g, d);
		else
			buf_puts(out, " could run, and had no processor\n");
	}
}

/* --- JSON --------------------------------------------------------------------------------------------------------- */

static void put_wait(struct jsonl *j, const struct guest_delay *d)
{
	place_json(j, &d->place);
	jsonl_string(j, "ended_by", d->end);
	jsonl_string(j, "waiter", d->waiter);
	jsonl_unsigned(j, "waiter_pid", d->waiter_pid);
	jsonl_string(j, "waiter_function", d->waiter_in);
	jsonl_string(j, "waiter_call", d->waiter_call);
}

void delays_json(struct jsonl *j, const struct guest_story *g)
{
	static const char *const kinds[] = {[GUEST_RAN] = "ran", [GUEST_WAITED] = "waited", [GUEST_READY] = "ready"};
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_delays && i < 10 * (size_t)SHOWN; i++) {
		const struct guest_delay *d = &g->delays[i];

		jsonl_begin(&one);
		jsonl_string(&one, "kind", kinds[d->kind]);
		jsonl_string(&one, "task", d->task);
		jsonl_unsigned(&one, "pid", d->pid);
		jsonl_unsigned(&one, "start", d->at);
		jsonl_unsigned(&one, "time", d->time);
		jsonl_unsigned(&one, "count", d->count);
		jsonl_unsigned(&one, "min", d->min);
		jsonl_unsigned(&one, "max", d->max);
		if (d->kind == GUEST_WAITED)
			put_wait(&one, d);
		else if (d->kind == GUEST_RAN)
			json_functions(&one, d->functions, d->n_functions);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "delays", &all);
	buf_release(&text);
}
