/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/view/calls_table.h>

#include <errno.h>
#include <exectrace/answer/calls/call_stream.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>

static const struct replay_clock clock = {DATA_CLOCK_MONOTONIC, NS_PER_S};

/* --- For people --------------------------------------------------------------------------------------------------- */

#define TIMES                                                                                 \
	{"min", NULL, .spare = 3, .width = 9}, {"avg", NULL, .spare = 1, .width = 9},         \
		{"p50", NULL, .spare = 5, .width = 9}, {"p99", NULL, .spare = 4, .width = 9}, \
		{"max", NULL, .spare = 2, .width = 9}, {"calls", NULL, .width = 9},           \
	{                                                                                     \
		"errors", NULL, .width = 9                                                    \
	}

#define NAME(title)                                             \
	{title, NULL, .left = true, .text = true, .cut = true}, \
	{                                                       \
		0                                               \
	}

/* Names have a blank more in front of them. */
static const struct table_column call_columns[] = {{"% time", NULL, .width = 6},
                                                   {"total", NULL, .width = 9},
                                                   TIMES,
                                                   NAME(" syscall")};
static const struct table_column process_columns[] = {{"% time", NULL, .width = 6},
                                                      {"total", NULL, .width = 9},
                                                      {"self", NULL, .width = 9},
                                                      TIMES,
                                                      NAME(" process")};
static const struct table_column stack_columns[] = {{"% time", NULL, .width = 6},
                                                    {"total", NULL, .width = 9},
                                                    TIMES,
                                                    NAME(" syscall  functions")};
static const struct table_column path_columns[] = {{"% time", NULL, .width = 6},
                                                   {"total", NULL, .width = 9},
                                                   TIMES,
                                                   NAME(" path")};
static const struct table_column error_columns[] = {{"% time", NULL, .width = 6},
                                                    {"total", NULL, .width = 9},
                                                    TIMES,
                                                    {"per s", NULL, .width = 7},
                                                    NAME(" syscall  error  path")};

static const struct table_column command_columns[] = {{"% time", NULL, .width = 6},
                                                      {"total", NULL, .width = 9},
                                                      TIMES,
                                                      NAME(" command")};

static const struct table_column *const columns[] = {
	[SUMMARY_CALL] = call_columns, [SUMMARY_PROCESS] = process_columns, [SUMMARY_STACK] = stack_columns,
	[SUMMARY_PATH] = path_columns, [SUMMARY_ERROR] = error_columns,     [SUMMARY_COMMAND] = command_columns,
};

/* `self`: the row has a column more, of what a process took itself. */
static void put_times(struct table *t, const struct summary_row *row, bool self)
{
	const struct call_stats *s = &row->stats;
	const uint64_t times[] = {s->min, call_stats_mean(s), call_stats_permille(s, 500), call_stats_permille(s, 990),
	                          s->max};

	table_ticks(t, row->total);
	if (self)
		table_ticks(t, s->total);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (s->count)
			table_ticks(t, times[i]);
		else
			table_text(t, "");
	}
	table_number(t, row->count);
	if (row->errors)
		table_number(t, row->errors);
	else
		table_text(t, "");
}

static int print_name(struct buf *out, const struct summary_row *row)
{
	int rc = buf_putc(out, ' ');

	if (!rc && row->process) {
		rc = buf_printf(out, "%*s", row->depth < 100 ? (int)row->depth * 2 : 200, "");
		if (!rc)
			rc = summary_command(out, row->process);
		return rc ? rc : buf_printf(out, " [%u]", row->process->pid);
	}
	if (!rc && row->call)
		rc = buf_printf(out, "%s%s", row->call, row->what ? "  " : "");
	if (!rc && row->what)
		rc = buf_puts(out, row->what);
	return rc || !row->path || !*row->path ? rc : buf_printf(out, "  %s", row->path);
}

/* Time of calls that went on at once may be more than has passed: then it is said how many made them. */
static int print_callers(struct buf *out, const struct summary_row *row)
{
	if (row->processes < 2)
		return buf_printf(out, "  over %u threads", row->threads);
	if (row->threads == row->processes)
		return buf_printf(out, "  over %u processes", row->processes);
	return buf_printf(out, "  over %u threads of %u processes", row->threads, row->processes);
}

static void put_rate(struct table *t, const struct summary_row *row)
{
	double rate = summary_rate(row);

	if (rate > 0)
		table_printf(t, rate < 100 ? "%.1f" : "%.0f", rate);
	else
		table_text(t, "");
}

static void put_row(struct table *t, const struct summary *s, const struct summary_row *row, enum summary_by by)
{
	uint64_t all = summary_all(s)->total;
	cleanup_buf struct buf name = BUF_INIT;

	table_printf(t, "%.2f", all ? 100.0 * (double)row->total / (double)all : 0.0);
	put_times(t, row, by == SUMMARY_PROCESS);
	if (by == SUMMARY_ERROR)
		put_rate(t, row);
	if (!t->err)
		t->err = print_name(&name, row);
	if (!t->err && row->total > summary_elapsed(s) && row->threads > 1)
		t->err = print_callers(&name, row);
	table_text(t, name.data ? name.data : "");
}

static int print_people(const struct calls_table *what, const struct summary *s, const struct summary_row *rows,
                        size_t n, struct page *page)
{
	size_t shown = what->limit && what->limit < n ? what->limit : n;
	struct summary_row total = *summary_all(s);
	struct table t;
	int rc;

	total.what = "total";

	table_begin(&t, page, TABLE_TEXT, columns[what->by], clock);
	t.gap = 1;
	for (size_t i = 0; i < shown; i++)
		put_row(&t, s, &rows[i], what->by);
	if (n)
		put_row(&t, s, &total, what->by);
	rc = table_end(&t);
	return rc || shown == n ? rc : buf_printf(&page->text, "... and %zu more\n", n - shown);
}

/* --- For machines ------------------------------------------------------------------------------------------------- */

#define PLAIN_COLUMNS                                                                                 \
	{"", "calls", .text = false}, {"", "errors", .text = false}, {"", "total", .time = true},     \
		{"", "min", .time = true}, {"", "avg", .time = true}, {"", "p50", .time = true},      \
		{"", "p99", .time = true}, {"", "max", .time = true}, {"", "threads", .text = false}, \
		{"", "processes", .text = false},                                                     \
	{                                                                                             \
		0                                                                                     \
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
                                                  {"", "path", .text = true},
                                                  {"", "per_second", .text = false},
                                                  PLAIN_COLUMNS};

static const struct table_column plain_command[] = {{"", "command", .text = true}, PLAIN_COLUMNS};

static const struct table_column *const plain_columns[] = {
	[SUMMARY_CALL] = plain_call, [SUMMARY_PROCESS] = plain_process, [SUMMARY_STACK] = plain_stack,
	[SUMMARY_PATH] = plain_path, [SUMMARY_ERROR] = plain_error,     [SUMMARY_COMMAND] = plain_command,
};

static void plain_name(struct table *t, const struct summary_row *row)
{
	cleanup_buf struct buf name = BUF_INIT;

	if (!row->process) {
		if (row->call)
			table_text(t, row->call);
		if (row->what)
			table_text(t, row->what);
		if (row->path) {
			table_text(t, row->path);
			table_printf(t, "%.3f", summary_rate(row));
		}
		return;
	}
	if (!t->err)
		t->err = summary_command(&name, row->process);
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
	table_number(t, row->threads);
	table_number(t, row->processes);
}

static int print_plain(const struct calls_table *what, const struct summary_row *rows, size_t n, struct page *page)
{
	size_t shown = what->limit && what->limit < n ? what->limit : n;
	struct table t;

	table_begin(&t, page, what->format, plain_columns[what->by], clock);
	for (size_t i = 0; i < shown; i++)
		plain_row(&t, &rows[i]);
	return table_end(&t);
}

/* --- Both --------------------------------------------------------------------------------------------------------- */

static int add_all(const struct calls_table *table, struct summary *s, struct call_select *select, struct recording *r)
{
	const struct recorded_run *about = table->relative ? recording_run(r) : NULL;
	struct call_stream stream = {.recording = r,
	                             .select = select,
	                             .named = table->by == SUMMARY_PATH || table->by == SUMMARY_ERROR,
	                             .with_stack = table->named};
	struct recorded_event event;
	int rc;

	summary_shorten(s, about ? about->cwd : NULL);
	while ((rc = call_stream_next(&stream, &event)) == 1) {
		rc = summary_add(s, &event);
		if (rc)
			break;
	}
	call_stream_release(&stream);
	return rc;
}

static int add_more(const struct calls_table *table, struct summary *s, struct call_select *select)
{
	struct several *several = table->several;
	struct recording *r;
	int rc = 1;

	while (rc > 0) {
		summary_leave(s);
		rc = several_next(several, &r, several->analysis->err);
		if (rc <= 0)
			break;
		summary_join(s, r);
		if (add_all(table, s, select, r))
			rc = -ENOMEM;
	}
	return rc;
}

int calls_table_show(const struct calls_table *table, struct call_select *select, struct recording *r,
                     struct page *page)
{
	struct summary *s = summary_new(r, table->by, table->depth);
	const struct summary_row *rows;
	size_t n;
	int rc = -ENOMEM;

	if (s)
		rc = add_all(table, s, select, r);
	if (!rc && several_count(table->several) > 1)
		rc = add_more(table, s, select);
	if (!rc)
		rc = summary_rows(s, table->sort, &rows, &n);
	if (!rc)
		rc = table->format == TABLE_TEXT ? print_people(table, s, rows, n, page)
		                                 : print_plain(table, rows, n, page);
	summary_free(s);
	return rc;
}
