/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/why/time/growing.h>

#include <exectrace/base/clock.h>
#include <string.h>

#define SMALL_MAX 3 /* kinds of many small calls that are shown */

static void print_cost(struct buf *out, enum growing_cost cost, uint64_t amount)
{
	if (cost != GROWING_BYTES) {
		clock_print(out, amount);
		return;
	}
	growth_number(out, amount, false);
	buf_puts(out, amount == 1 ? " byte" : " bytes");
}

/* "reading /var/log/x" */
static void print_what(struct buf *out, const struct growing_item *item)
{
	buf_puts(out, item->call->doing);
	buf_putc(out, ' ');
	page_name(out, item->file, 2 * COMMAND_MAX);
}

/* Who does what. */
static void print_who(struct buf *out, const struct growing_item *item)
{
	if (item->by == GROWING_PROCESS) {
		growth_number(out, item->fit.calls, false);
		buf_puts(out, " x ");
	}
	page_foreign(out, item->command, COMMAND_MAX);
	if (item->node)
		buf_printf(out, " [%u]", item->node->pid);
	buf_puts(out, item->call ? ", " : item->cost == GROWING_CPU ? ", processor time" : ", from beginning to end");
	if (item->call)
		print_what(out, item);
}

static void print_item(struct buf *out, const struct growing_item *item)
{
	static const char *const nouns[] = {"call", "pass", "process"};
	bool exact = growth_is_exact(&item->fit);
	struct buf first = BUF_INIT, last = BUF_INIT;

	print_cost(&first, item->cost, exact ? item->fit.first : item->fit.first_tenth);
	print_cost(&last, item->cost, exact ? item->fit.last : item->fit.last_tenth);
	buf_puts(out, "  grows: ");
	print_who(out, item);
	buf_puts(out, ": ");
	growth_print(out, &item->fit, nouns[item->by], first.data ? first.data : "?", last.data ? last.data : "?");
	buf_puts(out, " (");
	if (item->cost == GROWING_BYTES) {
		print_cost(out, GROWING_BYTES, item->bytes);
		buf_puts(out, ", ");
	}
	clock_print(out, item->time);
	buf_puts(out, ")\n");
	buf_fail(out, first.err ? first.err : last.err);
	buf_release(&first);
	buf_release(&last);
}

void page_growing(const struct why *why, struct buf *out)
{
	for (size_t i = 0; i < why->growing.n; i++)
		print_item(out, &why->growing.items[i]);
}

/* --- Many small calls --------------------------------------------------------------------------------------------- */

/* Those of the page, the most calls first; returns how many. */
static size_t small_of(const struct why *why, const struct small_calls *shown[SMALL_MAX])
{
	const struct history *h = &why->story.history;
	size_t n = 0;

	for (size_t i = 0; i < h->n_small; i++) {
		const struct small_calls *small = &h->small[i];
		size_t at = n;

		if (!story_is_below(process_tree_node(why->story.tree, small->process - 1), why->top))
			continue;
		while (at && shown[at - 1]->calls < small->calls)
			at--;
		if (at == SMALL_MAX)
			continue;
		n += n < SMALL_MAX;
		memmove(&shown[at + 1], &shown[at], (n - at - 1) * sizeof(*shown));
		shown[at] = small;
	}
	return n;
}

void page_small(const struct why *why, struct buf *out)
{
	const struct small_calls *shown[SMALL_MAX];
	size_t n = small_of(why, shown);

	for (size_t i = 0; i < n; i++) {
		const struct small_calls *small = shown[i];
		uint64_t each = small->bytes / small->calls;

		buf_puts(out, "  many small calls: ");
		page_foreign(out, small->command, COMMAND_MAX);
		buf_printf(out, " [%u], %s ", process_tree_node(why->story.tree, small->process - 1)->pid,
		           small->key.call->doing);
		page_name(out, small->key.file, 2 * COMMAND_MAX);
		buf_puts(out, ": ");
		growth_number(out, small->calls, false);
		buf_printf(out, " calls of %s, %llu byte%s each", small->key.call->name, (unsigned long long)each,
		           each == 1 ? "" : "s");
		buf_puts(out, small->bytes % small->calls ? " on average, " : ", ");
		clock_print(out, small->time);
		buf_puts(out, " in all\n");
	}
}

void page_small_json(const struct why *why, struct jsonl *j)
{
	const struct small_calls *shown[SMALL_MAX];
	size_t n = small_of(why, shown);
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < n; i++) {
		jsonl_begin(&one);
		jsonl_unsigned(&one, "pid", process_tree_node(why->story.tree, shown[i]->process - 1)->pid);
		jsonl_string(&one, "command", shown[i]->command);
		jsonl_string(&one, "call", shown[i]->key.call->name);
		jsonl_string(&one, "file", shown[i]->key.file);
		jsonl_unsigned(&one, "count", shown[i]->calls);
		jsonl_unsigned(&one, "bytes", shown[i]->bytes);
		jsonl_unsigned(&one, "time", shown[i]->time);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "small_calls", &items);
	buf_release(&text);
}

static void item_json(struct jsonl *j, const struct growing_item *item)
{
	static const char *const by[] = {"call", "pass", "process"};
	static const char *const costs[] = {"bytes", "time", "cpu"};

	if (item->node)
		jsonl_unsigned(j, "pid", item->node->pid);
	jsonl_string(j, "command", item->command);
	if (item->call) {
		jsonl_string(j, "call", item->call->name);
		jsonl_string(j, "file", item->file);
	}
	jsonl_string(j, "by", by[item->by]);
	jsonl_string(j, "cost", costs[item->cost]);
	jsonl_string(j, "trend", growth_name(item->fit.trend));
	jsonl_unsigned(j, "count", item->fit.calls);
	jsonl_unsigned(j, "first", item->fit.first);
	jsonl_unsigned(j, "last", item->fit.last);
	jsonl_unsigned(j, "first_tenth", item->fit.first_tenth);
	jsonl_unsigned(j, "last_tenth", item->fit.last_tenth);
	if (item->call && item->call->sized)
		jsonl_unsigned(j, "bytes", item->bytes);
	jsonl_unsigned(j, "time", item->time);
}

void page_growing_json(const struct why *why, struct jsonl *j)
{
	struct buf items = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < why->growing.n; i++) {
		jsonl_begin(&one);
		item_json(&one, &why->growing.items[i]);
		jsonl_end(&one);
		jsonl_object(&items, &one);
	}
	jsonl_objects(j, "growth", &items);
	buf_release(&text);
}
