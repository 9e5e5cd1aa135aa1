/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_table.h"

#include "call_graph.h"
#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define WIDTH_MAX 40 /* columns of a name that others stand behind */

struct table {
	const struct profile_table *what;
	struct profile *profile;
	struct page *page;
	uint64_t total;
	int comm, object; /* widths */
};

static bool has(const struct table *t, unsigned key)
{
	return t->what->keys & key;
}

static double percent_of(const struct table *t, uint64_t weight)
{
	return t->total ? 100.0 * (double)weight / (double)t->total : 0.0;
}

static uint64_t weight_of(const struct table *t, const struct profile_entry *e)
{
	return t->what->self_only ? e->self : e->children;
}

/* Entries are sorted: how many are to be shown. */
static size_t count_shown(const struct table *t, const struct profile_entry *const *entries, size_t n)
{
	size_t shown = 0;

	while (shown < n && weight_of(t, entries[shown]) &&
	       percent_of(t, weight_of(t, entries[shown])) >= t->what->percent)
		shown++;
	return t->what->limit && t->what->limit < shown ? t->what->limit : shown;
}

static int wider(int width, const char *text)
{
	size_t n = strlen(text);

	return n > WIDTH_MAX ? WIDTH_MAX : (int)n > width ? (int)n : width;
}

static int print_head(const struct table *t)
{
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "# %llu calls, ", (unsigned long long)profile_calls(t->profile));

	if (!rc && profile_stacked(t->profile) < profile_calls(t->profile))
		rc = buf_printf(out, "%llu of them with a stack, ", (unsigned long long)profile_stacked(t->profile));
	if (!rc && t->what->weight == PROFILE_TIME) {
		rc = clock_print(out, t->total);
		if (!rc)
			rc = buf_puts(out, " in them\n#\n");
	} else if (!rc) {
		rc = buf_puts(out, "counted\n#\n");
	}
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
	size_t before;
	int rc = buf_puts(out, "  ");

	before = out->len;
	if (!rc)
		rc = cell_text(out, name, strlen(name));
	if (!rc && out->len - before < (size_t)width)
		rc = buf_printf(out, "%*s", width - (int)(out->len - before), "");
	return rc;
}

static int print_entry(const struct table *t, const struct profile_entry *e)
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
		rc = buf_printf(out, "  [%c] ", e->is_call ? 'k' : '.');
	if (!rc && has(t, PROFILE_FUNCTION))
		rc = cell_text(out, e->function, strlen(e->function));
	return rc ? rc : buf_putc(out, '\n');
}

static int print_graph(const struct table *t, const struct profile_entry *e)
{
	uint64_t limit = (uint64_t)(t->what->percent / 100.0 * (double)t->total);
	struct profile_node *root;
	int rc = profile_graph(t->profile, e, t->what->graph == GRAPH_CALLEE, &root);

	if (rc)
		return rc;
	rc = call_graph_print(&t->page->text, root, t->total, limit);
	profile_graph_free(root);
	return rc;
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

static int csv_head(const struct table *t)
{
	struct buf *out = &t->page->text;
	int rc = buf_puts(out, t->what->weight == PROFILE_TIME ? "children_ns,self_ns" : "children,self");

	if (!rc && has(t, PROFILE_COMM))
		rc = buf_puts(out, ",command");
	if (!rc && has(t, PROFILE_OBJECT))
		rc = buf_puts(out, ",object");
	if (!rc && has(t, PROFILE_FUNCTION))
		rc = buf_puts(out, ",symbol");
	return rc ? rc : buf_putc(out, '\n');
}

static int csv_entry(const struct table *t, const struct profile_entry *e)
{
	const char *const cells[] = {e->comm, e->object, e->function};
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "%llu,%llu", (unsigned long long)e->children, (unsigned long long)e->self);

	for (unsigned i = 0; i < 3 && !rc; i++) {
		if (!has(t, 1u << i))
			continue;
		rc = buf_putc(out, ',');
		if (!rc)
			rc = cell_csv(out, cells[i], strlen(cells[i]));
	}
	return rc ? rc : buf_putc(out, '\n');
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static int print_all(struct table *t, const struct profile_entry *const *entries, size_t n)
{
	size_t shown = count_shown(t, entries, n);
	int rc;

	t->comm = (int)strlen("Command");
	t->object = (int)strlen("Shared Object");
	for (size_t i = 0; i < shown; i++) {
		t->comm = wider(t->comm, entries[i]->comm);
		t->object = wider(t->object, entries[i]->object);
	}
	rc = t->what->csv ? csv_head(t) : print_head(t);
	for (size_t i = 0; i < shown && !rc; i++) {
		rc = t->what->csv ? csv_entry(t, entries[i]) : print_entry(t, entries[i]);
		if (!rc && t->what->graph != GRAPH_NONE && !t->what->csv)
			rc = print_graph(t, entries[i]);
		if (!rc)
			rc = page_flush(t->page);
	}
	return rc;
}

static int add_all(struct profile *p, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = profile_add(p, &event);
		if (rc)
			return rc;
	}
	return rc;
}

int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page)
{
	struct table t = {.what = table, .page = page};
	const struct profile_entry *const *entries;
	size_t n;
	int rc;

	t.profile = profile_new(r, table->keys, table->weight);
	rc = t.profile ? add_all(t.profile, select, r) : -ENOMEM;
	if (!rc)
		rc = profile_entries(t.profile, table->self_only, table->graph != GRAPH_NONE, &entries, &n);
	if (!rc) {
		t.total = profile_total(t.profile);
		rc = print_all(&t, entries, n);
	}
	profile_free(t.profile);
	return rc;
}
