/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host_table.h"

#include <errno.h>
#include <exectrace/analyze/host.h>
#include <exectrace/base/clock.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define BOLD "\033[1m"
#define PLAIN "\033[0m"
#define ROWS 20 /* of each table, when nothing is said */

struct table {
	const struct profile_table *what;
	struct host *host;
	struct profile *profile; /* of samples if there are some, else of calls */
	struct page *page;
	size_t limit;
	struct host_thread total;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static int print_title(const struct table *t, const char *title, const char *head)
{
	bool color = t->page->color;

	return buf_printf(&t->page->text, "%s\n%s%s%s\n", title, color ? BOLD : "", head, color ? PLAIN : "");
}

static int print_rest(const struct table *t, size_t n)
{
	return n > t->limit ? buf_printf(&t->page->text, "       ... and %zu more\n", n - t->limit) : 0;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static int print_call(const struct table *t, const struct host_call *row)
{
	struct buf *out = &t->page->text;
	int rc = buf_printf(out, "%6.2f", percent(row->total, t->total.in_calls));

	if (!rc)
		rc = cell_duration(out, row->total, 9);
	if (!rc)
		rc = cell_duration(out, row->total / row->count, 9);
	if (!rc)
		rc = cell_duration(out, row->max, 9);
	if (!rc)
		rc = buf_printf(out, " %9llu", (unsigned long long)row->count);
	if (!rc)
		rc = row->errors ? buf_printf(out, " %9llu", (unsigned long long)row->errors)
		                 : buf_printf(out, " %9s", "");
	return rc ? rc : buf_printf(out, "  %-10s %s\n", host_role_name(row->role), row->name);
}

static int print_calls(const struct table *t)
{
	const struct host_call *rows;
	size_t n;
	int rc = host_calls(t->host, &rows, &n);

	if (rc || !n)
		return rc;
	rc = print_title(t, "# System calls",
	                 "% time     total       avg       max     calls    errors  thread     call");
	for (size_t i = 0; i < n && i < t->limit && !rc; i++)
		rc = print_call(t, &rows[i]);
	if (!rc)
		rc = print_rest(t, n);
	return rc ? rc : buf_putc(&t->page->text, '\n');
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

static int print_thread(const struct table *t, const struct host_thread *row)
{
	struct buf *out = &t->page->text;
	int rc = 0;

	if (t->total.samples) {
		rc = buf_printf(out, "%6.2f", percent(row->sampled, t->total.sampled));
		if (!rc)
			rc = cell_duration(out, row->sampled, 9);
		if (!rc)
			rc = buf_printf(out, " %9llu ", (unsigned long long)row->samples);
	}
	if (!rc && t->total.calls) {
		rc = cell_duration(out, row->in_calls, 9);
		if (!rc)
			rc = buf_printf(out, " %9llu ", (unsigned long long)row->calls);
	}
	if (!rc)
		rc = buf_printf(out, " %7u  %-10s ", row->tid, host_role_name(row->role));
	if (!rc)
		rc = cell_text(out, row->comm, strlen(row->comm));
	return rc ? rc : buf_putc(out, '\n');
}

static int print_threads(const struct table *t)
{
	size_t n;
	const struct host_thread *const *rows = host_threads(t->host, &n);
	const char *sampled = t->total.samples ? " % cpu  cpu time   samples " : "";
	const char *called = t->total.calls ? "  in calls     calls " : "";
	struct buf head = BUF_INIT;
	int rc = n ? buf_printf(&head, "%s%s %7s  %-10s name", sampled, called, "tid", "thread") : 0;

	if (!rc && n)
		rc = print_title(t, "# Threads", head.data);
	for (size_t i = 0; i < n && i < t->limit && !rc; i++)
		rc = print_thread(t, rows[i]);
	buf_release(&head);
	if (!rc)
		rc = print_rest(t, n);
	return rc || !n ? rc : buf_putc(&t->page->text, '\n');
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static int print_functions(const struct table *t)
{
	struct profile_table functions = *t->what;

	functions.keys = PROFILE_OBJECT | PROFILE_FUNCTION;
	functions.limit = t->limit;
	return profile_table_print(&functions, t->profile, t->total.samples > 0, t->page);
}

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

static int csv_call(struct buf *out, const struct host_call *row)
{
	int rc = buf_printf(out, "call,%s,", host_role_name(row->role));

	if (!rc)
		rc = cell_csv(out, row->name, strlen(row->name));
	return rc ? rc
	          : buf_printf(out, ",,%llu,%llu,%llu,,\n", (unsigned long long)row->count,
	                       (unsigned long long)row->errors, (unsigned long long)row->total);
}

static int csv_thread(struct buf *out, const struct host_thread *row)
{
	int rc = buf_printf(out, "thread,%s,", host_role_name(row->role));

	if (!rc)
		rc = cell_csv(out, row->comm, strlen(row->comm));
	return rc ? rc
	          : buf_printf(out, ",%u,%llu,,%llu,%llu,%llu\n", row->tid, (unsigned long long)row->calls,
	                       (unsigned long long)row->in_calls, (unsigned long long)row->samples,
	                       (unsigned long long)row->sampled);
}

static int csv_all(const struct table *t)
{
	const struct host_thread *const *threads;
	struct buf *out = &t->page->text;
	const struct host_call *calls;
	size_t n;
	int rc = host_calls(t->host, &calls, &n);

	if (!rc)
		rc = buf_puts(out, "what,thread,name,tid,calls,errors,calls_ns,samples,samples_ns\n");
	for (size_t i = 0; i < n && !rc; i++)
		rc = csv_call(out, &calls[i]);
	threads = host_threads(t->host, &n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = csv_thread(out, threads[i]);
	return rc;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

/* Functions are those of samples, where the time is, or of calls when there are none. */
static int add_all(struct host *h, struct profile *const *of, struct call_select *select, struct recording *r)
{
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		if (!call_selected(select, &event))
			continue;
		rc = host_add(h, &event);
		for (unsigned i = 0; i < 2 && !rc; i++)
			rc = profile_add(of[i], &event);
		if (rc)
			return rc;
	}
	return rc;
}

static int show(struct table *t, struct profile *const *of)
{
	int rc;

	t->total = host_total(t->host);
	t->profile = of[t->total.samples ? PROFILE_SAMPLES : PROFILE_CALLS];
	t->limit = t->what->limit ? t->what->limit : ROWS;
	if (t->what->csv)
		return csv_all(t);
	rc = print_calls(t);
	if (!rc)
		rc = print_threads(t);
	return rc ? rc : print_functions(t);
}

int host_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                    struct page *page)
{
	const unsigned keys = PROFILE_OBJECT | PROFILE_FUNCTION;
	struct profile *of[] = {[PROFILE_CALLS] = profile_new(r, PROFILE_CALLS, keys, table->weight),
	                        [PROFILE_SAMPLES] = profile_new(r, PROFILE_SAMPLES, keys, table->weight)};
	struct table t = {.what = table, .host = host_new(r), .page = page};
	int rc = t.host && of[0] && of[1] ? add_all(t.host, of, select, r) : -ENOMEM;

	if (!rc)
		rc = show(&t, of);
	host_free(t.host);
	profile_free(of[0]);
	profile_free(of[1]);
	return rc;
}
