/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/host_table.h>

#include <errno.h>
#include <exectrace/answer/calls/host.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/base/clock.h>
#include <string.h>

#define ROWS 20 /* of each table for people, when nothing is said */

struct host_table_view {
	const struct profile_table *what;
	struct host *host;
	struct profile calls, samples;
	struct page *page;
	struct host_thread total;
};

static const struct replay_clock ns = {DATA_CLOCK_MONOTONIC, NS_PER_S};

/* How many of n rows are shown. */
static size_t shown(const struct host_table_view *v, size_t n)
{
	size_t limit = v->what->limit ? v->what->limit : v->what->format == TABLE_TEXT ? ROWS : n;

	return n < limit ? n : limit;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* Ends a table of n rows for people. */
static int end_part(const struct host_table_view *v, struct table *t, size_t n)
{
	struct buf *out = &v->page->text;
	int rc = table_end(t);

	if (!rc && shown(v, n) < n)
		rc = buf_printf(out, "... and %zu more\n", n - shown(v, n));
	return rc ? rc : buf_putc(out, '\n');
}

/* n empty cells. */
static void add_nothing(struct table *t, int n)
{
	while (n-- > 0)
		table_text(t, "");
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static const struct table_column call_columns[] = {{.title = "% time"},
                                                   {.title = "total"},
                                                   {.title = "avg", .spare = 2},
                                                   {.title = "max", .spare = 3},
                                                   {.title = "calls"},
                                                   {.title = "errors", .spare = 1},
                                                   {.title = "thread", .left = true, .text = true},
                                                   {.title = "call", .left = true, .text = true, .cut = true},
                                                   {.title = NULL}};

static void add_call(const struct host_table_view *v, struct table *t, const struct host_call *row)
{
	table_printf(t, "%.2f", percent(row->total, v->total.in_calls));
	table_ticks(t, row->total);
	table_ticks(t, row->total / row->count);
	table_ticks(t, row->max);
	table_number(t, row->count);
	if (row->errors)
		table_number(t, row->errors);
	else
		add_nothing(t, 1);
	table_text(t, host_role_name(row->role));
	table_text(t, row->name);
}

static int show_calls(const struct host_table_view *v)
{
	const struct host_call *rows;
	struct table t;
	size_t n;
	int rc = host_calls(v->host, &rows, &n);

	if (!rc && n)
		rc = buf_puts(&v->page->text, "# System calls\n");
	if (rc || !n)
		return rc;
	table_begin(&t, v->page, TABLE_TEXT, call_columns, ns);
	for (size_t i = 0; i < shown(v, n); i++)
		add_call(v, &t, &rows[i]);
	return end_part(v, &t, n);
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

static const struct table_column thread_columns[] = {{.title = "% cpu"},
                                                     {.title = "cpu time"},
                                                     {.title = "samples"},
                                                     {.title = "in calls"},
                                                     {.title = "calls"},
                                                     {.title = "tid"},
                                                     {.title = "thread", .left = true, .text = true},
                                                     {.title = "name", .left = true, .text = true, .cut = true},
                                                     {.title = NULL}};

static void add_thread(const struct host_table_view *v, struct table *t, const struct host_thread *row)
{
	if (row->samples) {
		table_printf(t, "%.2f", percent(row->sampled, v->total.sampled));
		table_ticks(t, row->sampled);
		table_number(t, row->samples);
	} else {
		add_nothing(t, 3);
	}
	if (row->calls) {
		table_ticks(t, row->in_calls);
		table_number(t, row->calls);
	} else {
		add_nothing(t, 2);
	}
	table_number(t, row->tid);
	table_text(t, host_role_name(row->role));
	table_text(t, row->comm);
}

static int show_threads(const struct host_table_view *v)
{
	struct table t;
	size_t n;
	const struct host_thread *const *rows = host_threads(v->host, &n);
	int rc = n ? buf_puts(&v->page->text, "# Threads\n") : 0;

	if (rc || !n)
		return rc;
	table_begin(&t, v->page, TABLE_TEXT, thread_columns, ns);
	for (size_t i = 0; i < shown(v, n); i++)
		add_thread(v, &t, rows[i]);
	return end_part(v, &t, n);
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* Those of samples, where the processor time is, or of calls when there are none. */
static int show_functions(struct host_table_view *v)
{
	struct profile_table functions = *v->what;

	functions.keys = CALLTREE_MODULE | CALLTREE_NAME;
	functions.limit = shown(v, SIZE_MAX);
	return profile_table_print(&functions, v->total.samples ? &v->samples : &v->calls, v->page);
}

/* --- For machines: calls and threads in one table ----------------------------------------------------------------- */

static const struct table_column plain_columns[] = {{.title = "", .key = "what", .text = true},
                                                    {.title = "", .key = "thread", .text = true},
                                                    {.title = "", .key = "name", .text = true},
                                                    {.title = "", .key = "tid"},
                                                    {.title = "", .key = "calls"},
                                                    {.title = "", .key = "errors"},
                                                    {.title = "", .key = "calls", .time = true},
                                                    {.title = "", .key = "samples"},
                                                    {.title = "", .key = "samples", .time = true},
                                                    {.title = NULL}};

static void plain_call(struct table *t, const struct host_call *row)
{
	table_text(t, "call");
	table_text(t, host_role_name(row->role));
	table_text(t, row->name);
	table_number(t, 0);
	table_number(t, row->count);
	table_number(t, row->errors);
	table_number(t, row->total);
	table_number(t, 0);
	table_number(t, 0);
}

static void plain_thread(struct table *t, const struct host_thread *row)
{
	table_text(t, "thread");
	table_text(t, host_role_name(row->role));
	table_text(t, row->comm);
	table_number(t, row->tid);
	table_number(t, row->calls);
	table_number(t, row->errors);
	table_number(t, row->in_calls);
	table_number(t, row->samples);
	table_number(t, row->sampled);
}

static int show_plain(const struct host_table_view *v)
{
	const struct host_thread *const *threads;
	const struct host_call *calls;
	struct table t;
	size_t n;
	int rc = host_calls(v->host, &calls, &n);

	if (rc)
		return rc;
	table_begin(&t, v->page, v->what->format, plain_columns, ns);
	for (size_t i = 0; i < shown(v, n); i++)
		plain_call(&t, &calls[i]);
	threads = host_threads(v->host, &n);
	for (size_t i = 0; i < shown(v, n); i++)
		plain_thread(&t, threads[i]);
	return table_end(&t);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int add_all(struct host_table_view *v, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = host_add(v->host, &event);
		rc = rc ? rc : calltree_stacks_add(v->calls.stacks, &event);
		rc = rc ? rc : calltree_stacks_add(v->samples.stacks, &event);
		if (rc)
			return rc;
	}
	return rc;
}

static int show(struct host_table_view *v)
{
	int rc;

	v->total = host_total(v->host);
	if (v->what->format != TABLE_TEXT)
		return show_plain(v);
	rc = show_calls(v);
	if (!rc)
		rc = show_threads(v);
	return rc ? rc : show_functions(v);
}

int host_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                    struct page *page)
{
	struct host_table_view v = {.what = table, .host = host_new(r), .page = page};
	unsigned keys = CALLTREE_MODULE | CALLTREE_NAME;
	int rc = v.host ? 0 : -ENOMEM;

	rc = rc ? rc : profile_init(&v.calls, r, SELECT_CALLS, keys, table->weight);
	rc = rc ? rc : profile_init(&v.samples, r, SELECT_SAMPLES, keys, table->weight);
	rc = rc ? rc : add_all(&v, select, r);
	if (!rc)
		rc = show(&v);
	host_free(v.host);
	profile_release(&v.calls);
	profile_release(&v.samples);
	return rc;
}
