/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls_table.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/quote.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

struct table {
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

static int print_head(const struct table *t)
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

static int print_times(const struct table *t, const struct summary_row *row)
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

static int print_counts(const struct table *t, uint64_t count, uint64_t errors)
{
	int rc = buf_printf(t->out, " %9llu", (unsigned long long)count);

	if (rc)
		return rc;
	if (!errors)
		return buf_printf(t->out, " %9s", "");
	return buf_printf(t->out, "%s %9llu%s", t->color ? RED : "", (unsigned long long)errors, t->color ? PLAIN : "");
}

static int print_name(const struct table *t, const struct summary_row *row)
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

static int print_row(const struct table *t, const struct summary_row *row)
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

static int print_total(const struct table *t, const struct call_stats *all)
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

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

static int csv_head(const struct table *t)
{
	static const char *const first[] = {
		[SUMMARY_CALL] = "call",
		[SUMMARY_PROCESS] = "pid,parent,depth,command,subtree_calls,subtree_errors,subtree_ns",
		[SUMMARY_STACK] = "call,functions",
		[SUMMARY_PATH] = "path",
		[SUMMARY_ERROR] = "call,error",
	};

	return buf_printf(t->out, "%s,calls,errors,total_ns,min_ns,avg_ns,p50_ns,p99_ns,max_ns\n", first[t->what->by]);
}

static int csv_process(const struct table *t, const struct summary_row *row)
{
	cleanup_buf struct buf name = BUF_INIT;
	int rc = process_name(&name, row->process);

	if (!rc)
		rc = buf_printf(t->out, "%u,%u,%u,", row->process->pid, row->process->parent_pid, row->depth);
	if (!rc)
		rc = cell_csv(t->out, name.data, name.len);
	return rc ? rc
	          : buf_printf(t->out, ",%llu,%llu,%llu,", (unsigned long long)row->count,
	                       (unsigned long long)row->errors, (unsigned long long)row->total);
}

static int csv_name(const struct table *t, const struct summary_row *row)
{
	int rc = 0;

	if (row->process)
		return csv_process(t, row);
	if (row->call)
		rc = buf_printf(t->out, "%s,", row->call);
	if (!rc && row->what)
		rc = cell_csv(t->out, row->what, strlen(row->what));
	return rc || !row->what ? rc : buf_putc(t->out, ',');
}

static int csv_row(const struct table *t, const struct summary_row *row)
{
	const struct call_stats *s = &row->stats;
	const uint64_t numbers[] = {s->count,
	                            s->errors,
	                            s->total,
	                            s->min,
	                            call_stats_mean(s),
	                            call_stats_permille(s, 500),
	                            call_stats_permille(s, 990),
	                            s->max};
	size_t n = sizeof(numbers) / sizeof(numbers[0]);
	int rc = csv_name(t, row);

	for (size_t i = 0; i < n && !rc; i++)
		rc = buf_printf(t->out, "%llu%c", (unsigned long long)numbers[i], i + 1 < n ? ',' : '\n');
	return rc;
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static int print(const struct table *t, const struct summary *s, const struct summary_row *rows, size_t n)
{
	size_t shown = t->what->limit && t->what->limit < n ? t->what->limit : n;
	int rc = t->what->csv ? csv_head(t) : print_head(t);

	for (size_t i = 0; i < shown && !rc; i++)
		rc = t->what->csv ? csv_row(t, &rows[i]) : print_row(t, &rows[i]);
	if (!rc && shown < n && !t->what->csv)
		rc = buf_printf(t->out, "       ... and %zu more\n", n - shown);
	return rc || t->what->csv || !n ? rc : print_total(t, summary_all(s));
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
	struct table t = {.what = table, .out = &page->text, .color = page->color && !table->csv};
	const struct summary_row *rows;
	size_t n;
	int rc = s ? add_all(s, select, r) : -ENOMEM;

	if (!rc)
		rc = summary_rows(s, table->sort, &rows, &n);
	if (!rc) {
		t.all = summary_all(s)->total;
		rc = print(&t, s, rows, n);
	}
	summary_free(s);
	return rc;
}
