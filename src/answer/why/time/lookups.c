/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/lookups.h>

#include <exectrace/answer/recording/program.h>
#include <exectrace/answer/trend/growth.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define LOOKUPS_MANY 10000u
#define ROWS_MAX 3

/* Those of the page, the most calls first; returns how many. */
static size_t most(const struct why *why, const struct process_history *shown[ROWS_MAX])
{
	const struct history *h = &why->story.history;
	size_t n = 0;

	for (size_t i = 0; i < h->n_processes; i++) {
		const struct process_history *p = h->processes[i];
		size_t at = n;

		if (!p || p->lookups.calls < LOOKUPS_MANY ||
		    !story_is_below(process_tree_node(why->story.tree, p->process->number), why->top))
			continue;
		while (at && shown[at - 1]->lookups.calls < p->lookups.calls)
			at--;
		if (at == ROWS_MAX)
			continue;
		n += n < ROWS_MAX;
		memmove(&shown[at + 1], &shown[at], (n - at - 1) * sizeof(*shown));
		shown[at] = p;
	}
	return n;
}

void page_lookups(const struct why *why, struct buf *out)
{
	const struct process_history *shown[ROWS_MAX];
	size_t n = most(why, shown);

	for (size_t i = 0; i < n; i++) {
		const struct lookups *l = &shown[i]->lookups;

		buf_puts(out, "  many lookups of names: ");
		page_process_of(why, shown[i]->process->number, out);
		buf_puts(out, ": ");
		growth_number(out, l->calls, false);
		buf_puts(out, " calls, ");
		if (l->failed) {
			growth_number(out, l->failed, false);
			buf_puts(out, " of them in vain, ");
		}
		clock_print(out, l->time);
		buf_printf(out, " in all; the last one %s ", l->call);
		page_name(out, l->name, 2 * COMMAND_MAX);
		buf_putc(out, '\n');
	}
}

void page_lookups_json(const struct why *why, struct jsonl *j)
{
	const struct process_history *shown[ROWS_MAX];
	size_t n = most(why, shown);
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < n; i++) {
		const struct lookups *l = &shown[i]->lookups;

		jsonl_begin(&one);
		jsonl_unsigned(&one, "pid", shown[i]->process->pid);
		jsonl_unsigned(&one, "count", l->calls);
		jsonl_unsigned(&one, "failed", l->failed);
		jsonl_unsigned(&one, "time", l->time);
		jsonl_string(&one, "call", l->call);
		jsonl_string(&one, "name", l->name);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "lookups", &items);
	buf_release(&items);
	buf_release(&text);
}
