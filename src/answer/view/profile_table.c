/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/profile_table.h>

#include "call_graph.h"
#include <errno.h>
#include <exectrace/answer/output/cell.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define WIDTH_MAX 40 /* columns of a name that others stand behind */

#define DEPTH 10000u /* levels of a graph */

/* An entry. */
struct profile_table_entry {
	uint64_t children, self;
	uint64_t second; /* among those of the same `self`, the largest is first */
	const struct calltree_function *function;
	uint32_t number; /* of that */
};

struct profile_table_shown {
	const struct profile_table *what;
	const struct profile_source *source;
	struct page *page;
	struct profile_table_entry *entries;
	size_t n;
	uint64_t total;   /* 100 % */
	int comm, object; /* widths */
};

static bool has(const struct profile_table_shown *t, unsigned key)
{
	return t->what->keys & key;
}

static const char *object_of(const struct profile_table_shown *t, const struct calltree_function *f)
{
	return has(t, CALLTREE_MODULE) && !*f->module ? "[unknown]" : f->module;
}

static double percent_of(const struct profile_table_shown *t, uint64_t weight)
{
	return t->total ? 100.0 * (double)weight / (double)t->total : 0.0;
}

static uint64_t weight_of(const struct profile_table_shown *t, const struct profile_table_entry *e)
{
	return t->what->self_only ? e->self : e->children;
}

static int by_names(const struct calltree_function *a, const struct calltree_function *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->module, b->module);
	return order ? order : strcmp(a->comm, b->comm);
}

static int by_children(const void *a, const void *b)
{
	const struct profile_table_entry *one = a, *two = b;

	if (one->children != two->children)
		return one->children > two->children ? -1 : 1;
	return by_names(one->function, two->function);
}

static int by_self(const void *a, const void *b)
{
	const struct profile_table_entry *one = a, *two = b;

	if (one->self != two->self)
		return one->self > two->self ? -1 : 1;
	if (one->second != two->second)
		return one->second > two->second ? -1 : 1;
	return by_names(one->function, two->function);
}

/* Fills the entries, in order: those that are to be shown. */
static int make_entries(struct profile_table_shown *t)
{
	bool count = t->source->count;
	size_t n, shown = 0;
	const struct calltree_function *f = calltree_functions(t->source->tree, &n);

	t->entries = calloc(n, sizeof(*t->entries));
	if (!t->entries)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++) {
		const struct calltree_weight *w = &f[i].sides[0];
		struct profile_table_entry *e = &t->entries[t->n++];

		*e = (struct profile_table_entry){count ? w->count : w->total, count ? w->count : w->self, 0, &f[i], i};
		/* Of calls of a guest, many are of the same few ticks. */
		e->second = t->source->callers == CALLTREE_CALLERS ? e->children : 0;
		t->total += e->self;
	}
	qsort(t->entries, t->n, sizeof(*t->entries), t->what->self_only ? by_self : by_children);
	while (shown < t->n && weight_of(t, &t->entries[shown]) &&
	       percent_of(t, weight_of(t, &t->entries[shown])) >= t->what->percent)
		shown++;
	t->n = t->what->limit && t->what->limit < shown ? t->what->limit : shown;
	return 0;
}

/* Makes a column as wide as a name in it, within reason. 0 or -ENOMEM. */
static int widen(int *width, const char *name)
{
	cleanup_buf struct buf shown = BUF_INIT;
	int rc = cell_text(&shown, name, strlen(name)), columns = rc || !shown.len ? 0 : cell_columns(shown.data);

	if (columns > *width)
		*width = columns > WIDTH_MAX ? WIDTH_MAX : columns;
	return rc;
}

static int print_head(const struct profile_table_shown *t)
{
	struct buf *out = &t->page->text;
	int rc = 0;

	if (!rc)
		rc = buf_printf(out, "%s# %s", t->page->color ? BOLD : "",
		                t->what->self_only ? "Overhead" : "Children      Self");
	if (!rc && has(t, CALLTREE_COMM))
		rc = buf_printf(out, "  %-*s", t->comm, "Command");
	if (!rc && has(t, CALLTREE_MODULE))
		rc = buf_printf(out, "  %-*s", t->object, "Shared Object");
	if (!rc && has(t, CALLTREE_NAME))
		rc = buf_puts(out, "  Symbol");
	return rc ? rc : buf_printf(out, "%s\n", t->page->color ? PLAIN : "");
}

/* A name in a column of `width`. */
static int print_name(struct buf *out, const char *name, int width)
{
	size_t before = out->len;
	int rc = buf_puts(out, "  "), gap;

	if (!rc)
		rc = cell_text(out, name, strlen(name));
	if (rc)
		return rc;
	gap = 2 + width - cell_columns(out->data + before);
	return gap > 0 ? buf_printf(out, "%*s", gap, "") : 0;
}

static int print_entry(const struct profile_table_shown *t, const struct profile_table_entry *e)
{
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "%9.2f%%", percent_of(t, weight_of(t, e)));

	if (!rc && !t->what->self_only)
		rc = buf_printf(out, "%9.2f%%", percent_of(t, e->self));
	if (!rc && has(t, CALLTREE_COMM))
		rc = print_name(out, e->function->comm, t->comm);
	if (!rc && has(t, CALLTREE_MODULE))
		rc = print_name(out, object_of(t, e->function), t->object);
	if (!rc && has(t, CALLTREE_NAME))
		rc = buf_printf(out, "  [%c] ", e->function->kernel ? 'k' : '.');
	if (!rc && has(t, CALLTREE_NAME))
		rc = cell_text(out, e->function->name, strlen(e->function->name));
	return rc ? rc : buf_putc(out, '\n');
}

static int print_graph(const struct profile_table_shown *t, const struct profile_table_entry *e)
{
	bool callers = t->what->graph == GRAPH_CALLEE;
	struct calltree *graph =
		calltree_graph(t->source->tree, &e->number, 1, callers ? t->source->callers : CALLTREE_CALLEES, DEPTH);
	const struct call_graph what = {
		.tree = graph,
		.count = t->source->count,
		.total = t->total,
		.limit = (uint64_t)(t->what->percent / 100.0 * (double)t->total),
	};
	int rc = graph ? call_graph_print(&t->page->text, &what) : -ENOMEM;

	calltree_free(graph);
	return rc;
}

/* --- For machines --------------------------------------------------------------------------------------------------
 */

static int print_plain(const struct profile_table_shown *t)
{
	static const struct table_column none = {0};
	bool time = t->what->weight == PROFILE_TIME;
	struct table_column columns[6] = {{"", "children", .time = time}, {"", "self", .time = time}};
	static const char *const keys[] = {"command", "object", "symbol"};
	struct table table;
	size_t c = 2;

	for (unsigned i = 0; i < 3; i++)
		if (has(t, 1u << i))
			columns[c++] = (struct table_column){"", keys[i], .text = true};
	columns[c] = none;
	table_begin(&table, t->page, t->what->format, columns, t->source->clock);
	for (size_t i = 0; i < t->n; i++) {
		const struct profile_table_entry *e = &t->entries[i];
		const char *const cells[] = {e->function->comm, object_of(t, e->function), e->function->name};

		table_number(&table, time ? ticks_plain(&t->source->clock, e->children) : e->children);
		table_number(&table, time ? ticks_plain(&t->source->clock, e->self) : e->self);
		for (unsigned k = 0; k < 3; k++)
			if (has(t, 1u << k))
				table_text(&table, cells[k]);
	}
	return table_end(&table);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static int print_text(struct profile_table_shown *t)
{
	int rc = 0;

	t->comm = (int)strlen("Command");
	t->object = (int)strlen("Shared Object");
	for (size_t i = 0; i < t->n && !rc; i++) {
		rc = widen(&t->comm, t->entries[i].function->comm);
		if (!rc)
			rc = widen(&t->object, object_of(t, t->entries[i].function));
	}
	if (!rc)
		rc = print_head(t);
	for (size_t i = 0; i < t->n && !rc; i++) {
		size_t before = t->page->text.len;

		rc = print_entry(t, &t->entries[i]);
		if (!rc && t->what->graph != GRAPH_NONE)
			rc = print_graph(t, &t->entries[i]);
		page_cut(t->page, before);
		if (!rc)
			rc = page_flush(t->page);
	}
	return rc;
}

int profile_entries_show(const struct profile_table *table, const struct profile_source *source, struct page *page)
{
	struct profile_table_shown t = {.what = table, .source = source, .page = page};
	int rc = make_entries(&t);

	if (!rc)
		rc = table->format == TABLE_TEXT ? print_text(&t) : print_plain(&t);
	free(t.entries);
	return rc;
}

/* --- Calls and samples ----------------------------------------------------------------------------------------------
 */

int profile_init(struct profile *p, struct recording *r, enum select_event event, unsigned keys,
                 enum profile_weight weight)
{
	const struct calltree_stacks_options options = {
		.event = event,
		.keys = keys,
		.calls = "[kernel]",
		.unknown = "[unknown]",
		.nowhere = true,
		.number = weight == PROFILE_COUNT,
	};

	p->samples = event == SELECT_SAMPLES;
	p->tree = calltree_new();
	p->stacks = p->tree ? calltree_stacks_new(p->tree, r, &options) : NULL;
	return p->stacks ? 0 : -ENOMEM;
}

void profile_release(struct profile *p)
{
	calltree_stacks_free(p->stacks);
	calltree_free(p->tree);
}

/* How many there are, and what they add up to. */
static int print_sum(const struct profile_table *table, const struct profile *p, struct buf *out)
{
	const struct calltree_stacks_sum *sum = calltree_stacks_sum(p->stacks);
	uint64_t n = p->samples ? sum->samples : sum->calls;
	int rc = buf_printf(out, "# %llu %s, ", (unsigned long long)n, p->samples ? "samples" : "calls");

	if (!rc && sum->stacked < n)
		rc = buf_printf(out, "%llu of them with a stack, ", (unsigned long long)sum->stacked);
	if (!rc && sum->cut)
		rc = buf_printf(out, "%llu of them with a stack that was larger than its copy, ",
		                (unsigned long long)sum->cut);
	if (rc || table->weight != PROFILE_TIME)
		return rc ? rc : buf_puts(out, "counted\n#\n");
	rc = clock_print(out, sum->weight);
	return rc ? rc : buf_puts(out, p->samples ? " on processors\n#\n" : " in them\n#\n");
}

int profile_table_print(const struct profile_table *table, struct profile *p, struct page *page)
{
	const struct profile_source source = {
		.tree = p->tree,
		.clock = {DATA_CLOCK_MONOTONIC, NS_PER_S},
		.callers = CALLTREE_INNERMOST,
	};
	int rc;

	calltree_sum(p->tree, false);
	rc = calltree_finish(p->tree);
	if (!rc && table->format == TABLE_TEXT)
		rc = print_sum(table, p, &page->text);
	return rc ? rc : profile_entries_show(table, &source, page);
}
