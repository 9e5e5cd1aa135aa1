/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls_table.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/quote.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

struct shown {
	const struct calls_table *what;
	struct buf *out;
	bool color;
	uint64_t all; /* ns */
};

/* What a process is called: its command line as a shell would read it; that of its parent when it has none. */
static int process_name(struct buf *out, const struct recorded_process *p)
{
	int rc = p->argv.n ? quote_shell_strv(out, &p->argv) : 0;

	if (!p->argv.n)
		rc = buf_puts(out, *p->path ? p->path : "?");
	return rc || p->execs ? rc : buf_puts(out, " (fork)");
}

/* --- For people --------------------------------------------------------------------------------------------------- */

static int print_head(const struct shown *t)
{
	static const char *const last[] = {
		[SUMMARY_CALL] = "syscall", [SUMMARY_PROCESS] = "process",      [SUMMARY_STACK] = "syscall  functions",
		[SUMMARY_PATH] = "path",    [SUMMARY_ERROR] = "syscall  error",
	};
	bool process = t->what->by == SUMMARY_PROCESS;

	return buf_printf(t->out,
	                  "%s%% time     total%s       min       avg       p50       p99       max     calls"
	                  "    errors  %s%s\n",
	                  t->color ? BOLD : "", process ? "      self" : "", last[t->what->by], t->color ? PLAIN : "");
}

static int print_times(const struct shown *t, const struct summary_row *row)
{
	const struct call_stats *s = &row->stats;
	const uint64_t times[] = {s->min, call_stats_mean(s), call_stats_permille(s, 500), call_stats_permille(s, 990),
	                          s->max};
	int rc = cell_duration(t->out, row->total, 9);

	if (!rc && row->process)
		rc = cell_duration(t->out, s->total, 9);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && !rc; i++)
		rc = s->count ? cell_duration(t->out, times[i], 9) : buf_printf(t->out, " %9s", "");
	return rc;
}

static int print_counts(const struct shown *t, uint64_t count, uint64_t errors)
{
	int rc = buf_printf(t->out, " %9llu", (unsigned long long)count);

	if (rc)
		return rc;
	if (!errors)
		return buf_printf(t->out, " %9s", "");
	return buf_printf(t->out, "%s %9llu%s", t->color ? RED : "", (unsigned long long)errors, t->color ? PLAIN : "");
}

static int print_name(const struct shown *t, const struct summary_row *row)
{
	cleanup_buf struct buf name = BUF_INIT;
	int rc = 0;

	if (row->process) {
		rc = process_name(&name, row->process);
		if (!rc)
			rc = buf_printf(t->out, "  %*s", row->depth < 100 ? (int)row->depth * 2 : 200, "");
		if (!rc)
			rc = cell_text(t->out, name.data, name.len);
		return rc ? rc : buf_printf(t->out, " [%u]", row->process->pid);
	}
	if (row->call)
		rc = buf_printf(t->out, "  %s", row->call);
	if (!rc && row->what)
		rc = buf_puts(t->out, "  ");
	return rc || !row->what ? rc : cell_text(t->out, row->what, strlen(row->what));
}

static int print_row(const struct shown *t, const struct summary_row *row)
{
	double share = t->all ? 100.0 * (double)row->total / (double)t->all : 0.0;
	int rc = buf_printf(t->out, "%6.2f", share);

	if (!rc)
		rc = print_times(t, row);
	if (!rc)
		rc = print_counts(t, row->count, row->errors);
	if (!rc)
		rc = print_name(t, row);
	return rc ? rc : buf_putc(t->out, '\n');
}

static int print_total(const struct shown *t, const struct call_stats *all)
{
	struct summary_row row = {.what = "total", .stats = *all, .total = all->total, .count = all->count};
	int rc;

	row.errors = all->errors;
	/* In the place of a process the columns have one more. */
	if (t->what->by != SUMMARY_PROCESS)
		return print_row(t, &row);
	rc = buf_printf(t->out, "%6.2f", all->total ? 100.0 : 0.0);
	if (!rc)
		rc = cell_duration(t->out, all->total, 9);
	if (!rc)
		rc = print_times(t, &row);
	if (!rc)
		rc = print_counts(t, all->count, all->errors);
	return rc ? rc : buf_puts(t->out, "  total\n");
}

/* --- For machines ------------------------------------------------------------------------------------------------- */

#define PLAIN_COLUMNS                                                                             \
	{"", "calls", .text = false}, {"", "errors", .text = false}, {"", "total", .time = true}, \
		{"", "min", .time = true}, {"", "avg", .time = true}, {"", "p50", .time = true},  \
		{"", "p99", .time = true}, {"", "max", .time = true},                             \
	{                                                                                         \
		0                                                                                 \
	}

static const struct table_column plain_call[] = {{"", "call", .text = true}, PLAIN_COLUMNS};
static const struct table_column plain_process[] = {
	{"", "pid", .text = false},           {"", "parent", .text = false},
	{"", "depth", .text = false},         {"", "command", .text = true},
	{"", "subtree_calls", .text = false}, {"", "subtree_errors", .text = false},
	{"", "subtree", .time = true},        PLAIN_COLUMNS,
};
static const struct table_column plain_stack[] = {{"", "call", .text = true},
                                                  {"", "functions", .text = true},
                                                  PLAIN_COLUMNS};
static const struct table_column plain_path[] = {{"", "path", .text = true}, PLAIN_COLUMNS};
static const struct table_column plain_error[] = {{"", "call", .text = true},
                                                  {"", "error", .text = true},
                                                  PLAIN_COLUMNS};

static const struct table_column *const plain_columns[] = {
	[SUMMARY_CALL] = plain_call, [SUMMARY_PROCESS] = plain_process, [SUMMARY_STACK] = plain_stack,
	[SUMMARY_PATH] = plain_path, [SUMMARY_ERROR] = plain_error,
};

static void plain_name(struct table *t, const struct summary_row *row)
{
	cleanup_buf struct buf name = BUF_INIT;

	if (!row->process) {
		if (row->call)
			table_text(t, row->call);
		if (row->what)
			table_text(t, row->what);
		return;
	}
	if (!t->err)
		t->err = process_name(&name, row->process);
	table_number(t, row->process->pid);
	table_number(t, row->process->parent_pid);
	table_number(t, row->depth);
	table_text(t, name.data ? name.data : "");
	table_number(t, row->count);
	table_number(t, row->errors);
	table_number(t, row->total);
}

static void plain_row(struct table *t, const struct summary_row *row)
{
	const struct call_stats *s = &row->stats;

	plain_name(t, row);
	table_number(t, s->count);
	table_number(t, s->errors);
	table_number(t, s->total);
	table_number(t, s->min);
	table_number(t, call_stats_mean(s));
	table_number(t, call_stats_permille(s, 500));
	table_number(t, call_stats_permille(s, 990));
	table_number(t, s->max);
}

static int print_plain(const struct calls_table *what, const struct summary_row *rows, size_t n, struct page *page)
{
	static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};
	size_t shown = what->limit && what->limit < n ? what->limit : n;
	struct table t;

	table_begin(&t, page, what->format, plain_columns[what->by], clock);
	for (size_t i = 0; i < shown; i++)
		plain_row(&t, &rows[i]);
	return table_end(&t);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static int print(const struct shown *t, const struct summary *s, const struct summary_row *rows, size_t n)
{
	size_t shown = t->what->limit && t->what->limit < n ? t->what->limit : n;
	int rc = print_head(t);

	for (size_t i = 0; i < shown && !rc; i++)
		rc = print_row(t, &rows[i]);
	if (!rc && shown < n)
		rc = buf_printf(t->out, "       ... and %zu more\n", n - shown);
	return rc || !n ? rc : print_total(t, summary_all(s));
}

static int add_all(struct summary *s, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = summary_add(s, &event);
		if (rc)
			return rc;
	}
	return rc;
}

int calls_table_show(const struct calls_table *table, struct call_select *select, struct recording *r,
                     struct page *page)
{
	struct summary *s = summary_new(r, table->by, table->depth);
	struct shown t = {.what = table, .out = &page->text, .color = page->color};
	const struct summary_row *rows;
	size_t n;
	int rc = s ? add_all(s, select, r) : -ENOMEM;

	if (!rc)
		rc = summary_rows(s, table->sort, &rows, &n);
	if (!rc && table->format != TABLE_TEXT) {
		rc = print_plain(table, rows, n, page);
	} else if (!rc) {
		t.all = summary_all(s)->total;
		rc = print(&t, s, rows, n);
	}
	summary_free(s);
	return rc;
}
