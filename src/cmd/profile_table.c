/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_table.h"

#include "call_graph.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/cmd/analysis.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define WIDTH_MAX 40 /* columns of a name that others stand behind */

struct shown {
	const struct profile_table *what;
	const struct profile_source *source;
	struct page *page;
	uint64_t total;
	int comm, object; /* widths */
};

static bool has(const struct shown *t, unsigned key)
{
	return t->what->keys & key;
}

static double percent_of(const struct shown *t, uint64_t weight)
{
	return t->total ? 100.0 * (double)weight / (double)t->total : 0.0;
}

static uint64_t weight_of(const struct shown *t, const struct profile_entry *e)
{
	return t->what->self_only ? e->self : e->children;
}

/* Entries are sorted: how many are to be shown. */
static size_t count_shown(const struct shown *t, const struct profile_entry *const *entries, size_t n)
{
	size_t shown = 0;

	while (shown < n && weight_of(t, entries[shown]) &&
	       percent_of(t, weight_of(t, entries[shown])) >= t->what->percent)
		shown++;
	return t->what->limit && t->what->limit < shown ? t->what->limit : shown;
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

static int print_head(const struct shown *t)
{
	struct buf *out = &t->page->text;
	int rc = 0;

	if (!rc)
		rc = buf_printf(out, "%s# %s", t->page->color ? BOLD : "",
		                t->what->self_only ? "Overhead" : "Children      Self");
	if (!rc && has(t, PROFILE_COMM))
		rc = buf_printf(out, "  %-*s", t->comm, "Command");
	if (!rc && has(t, PROFILE_OBJECT))
		rc = buf_printf(out, "  %-*s", t->object, "Shared Object");
	if (!rc && has(t, PROFILE_FUNCTION))
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

static int print_entry(const struct shown *t, const struct profile_entry *e)
{
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "%9.2f%%", percent_of(t, weight_of(t, e)));

	if (!rc && !t->what->self_only)
		rc = buf_printf(out, "%9.2f%%", percent_of(t, e->self));
	if (!rc && has(t, PROFILE_COMM))
		rc = print_name(out, e->comm, t->comm);
	if (!rc && has(t, PROFILE_OBJECT))
		rc = print_name(out, e->object, t->object);
	if (!rc && has(t, PROFILE_FUNCTION))
		rc = buf_printf(out, "  [%c] ", e->kernel ? 'k' : '.');
	if (!rc && has(t, PROFILE_FUNCTION))
		rc = cell_text(out, e->function, strlen(e->function));
	return rc ? rc : buf_putc(out, '\n');
}

static int print_graph(const struct shown *t, const struct profile_entry *e)
{
	uint64_t limit = (uint64_t)(t->what->percent / 100.0 * (double)t->total);
	struct profile_node *root;
	int rc = t->source->graph(t->source->ctx, e, t->what->graph == GRAPH_CALLEE, &root);

	if (rc)
		return rc;
	rc = call_graph_print(&t->page->text, root, t->total, limit);
	t->source->free_graph(root);
	return rc;
}

/* --- For machines --------------------------------------------------------------------------------------------------
 */

static int print_plain(const struct shown *t, const struct profile_entry *const *entries, size_t n)
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
	for (size_t i = 0; i < n; i++) {
		const char *const cells[] = {entries[i]->comm, entries[i]->object, entries[i]->function};

		table_number(&table,
		             time ? ticks_plain(&t->source->clock, entries[i]->children) : entries[i]->children);
		table_number(&table, time ? ticks_plain(&t->source->clock, entries[i]->self) : entries[i]->self);
		for (unsigned k = 0; k < 3; k++)
			if (has(t, 1u << k))
				table_text(&table, cells[k]);
	}
	return table_end(&table);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

int profile_entries_show(const struct profile_table *table, const struct profile_source *source,
                         const struct profile_entry *const *entries, size_t n, struct page *page)
{
	struct shown t = {.what = table, .source = source, .page = page, .total = source->total};
	size_t shown = count_shown(&t, entries, n);
	int rc = 0;

	if (table->format != TABLE_TEXT)
		return print_plain(&t, entries, shown);
	t.comm = (int)strlen("Command");
	t.object = (int)strlen("Shared Object");
	for (size_t i = 0; i < shown && !rc; i++) {
		rc = widen(&t.comm, entries[i]->comm);
		if (!rc)
			rc = widen(&t.object, entries[i]->object);
	}
	if (!rc)
		rc = print_head(&t);
	for (size_t i = 0; i < shown && !rc; i++) {
		size_t before = page->text.len;

		rc = print_entry(&t, entries[i]);
		if (!rc && table->graph != GRAPH_NONE)
			rc = print_graph(&t, entries[i]);
		page_cut(page, before);
		if (!rc)
			rc = page_flush(page);
	}
	return rc;
}

/* --- Calls and samples ----------------------------------------------------------------------------------------------
 */

/* One profile for calls and one for samples. */
struct both {
	struct profile *of[2]; /* by enum profile_of */
};

static int add_all(struct both *both, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = 0;
		for (unsigned i = 0; i < 2 && !rc; i++)
			rc = both->of[i] ? profile_add(both->of[i], &event) : 0;
		if (rc)
			return rc;
	}
	return rc;
}

/* How many there are, and what they add up to. */
static int print_sum(const struct profile_table *table, const struct profile *p, bool samples, struct buf *out)
{
	uint64_t n = profile_count(p), stacked = profile_stacked(p), cut = profile_cut(p);
	int rc = buf_printf(out, "# %llu %s, ", (unsigned long long)n, samples ? "samples" : "calls");

	if (!rc && stacked < n)
		rc = buf_printf(out, "%llu of them with a stack, ", (unsigned long long)stacked);
	if (!rc && cut)
		rc = buf_printf(out, "%llu of them with a stack that was larger than its copy, ",
		                (unsigned long long)cut);
	if (rc || table->weight != PROFILE_TIME)
		return rc ? rc : buf_puts(out, "counted\n#\n");
	rc = clock_print(out, profile_total(p));
	return rc ? rc : buf_puts(out, samples ? " on processors\n#\n" : " in them\n#\n");
}

static int graph(void *ctx, const struct profile_entry *entry, bool callers, struct profile_node **root)
{
	return profile_graph(ctx, entry, callers, root);
}

int profile_table_print(const struct profile_table *table, struct profile *p, bool samples, struct page *page)
{
	struct profile_source source = {.ctx = p, .graph = graph, .free_graph = profile_graph_free};
	const struct profile_entry *const *entries;
	size_t n;
	int rc = profile_entries(p, table->self_only, table->graph != GRAPH_NONE, &entries, &n);

	source.clock = (struct replay_clock){DATA_CLOCK_MONOTONIC, NS_PER_S};
	if (!rc && table->format == TABLE_TEXT)
		rc = print_sum(table, p, samples, &page->text);
	source.total = profile_total(p);
	return rc ? rc : profile_entries_show(table, &source, entries, n, page);
}

static int show_both(const struct profile_table *table, const struct both *both, struct page *page, struct buf *err)
{
	struct profile *calls = both->of[PROFILE_CALLS], *samples = both->of[PROFILE_SAMPLES];
	bool sampled = samples && profile_count(samples), called = calls && profile_count(calls);
	int rc = 0;

	if (sampled && called && table->format != TABLE_TEXT)
		return buf_puts(err, ANALYSIS_BOTH) ? -ENOMEM : -EINVAL;
	if (sampled || !calls)
		rc = profile_table_print(table, samples, true, page);
	if (!rc && sampled && called)
		rc = buf_puts(&page->text, "\n");
	if (!rc && (called || (calls && !sampled)))
		rc = profile_table_print(table, calls, false, page);
	return rc;
}

int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page, struct buf *err)
{
	struct both both = {{NULL, NULL}};
	int rc = 0;

	if (select->event != SELECT_SAMPLES)
		both.of[PROFILE_CALLS] = profile_new(r, PROFILE_CALLS, table->keys, table->weight);
	if (select->event != SELECT_CALLS)
		both.of[PROFILE_SAMPLES] = profile_new(r, PROFILE_SAMPLES, table->keys, table->weight);
	if ((select->event != SELECT_SAMPLES && !both.of[PROFILE_CALLS]) ||
	    (select->event != SELECT_CALLS && !both.of[PROFILE_SAMPLES]))
		rc = -ENOMEM;
	if (!rc)
		rc = add_all(&both, select, r);
	if (!rc)
		rc = show_both(table, &both, page, err);
	profile_free(both.of[0]);
	profile_free(both.of[1]);
	return rc;
}
