/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/target/process/usage.h>
#include <stdlib.h>

/* One call of one ABI. */
struct trace_summary_row {
	const struct arch *arch;
	uint32_t nr;
	struct call_sums sums;
	uint32_t *classes; /* COUNTS_CLASSES of them */
};

struct trace_summary {
	struct call_sink sink; /* first */
	struct writer_config config;
	struct call_sink *next; /* NULL: none */
	struct trace_summary_row rows[SYSCALL_ABIS][SYSCALL_NR_MAX];
};

/* The middle of a class. */
static uint64_t class_time(unsigned n)
{
	uint64_t low = (4 + (uint64_t)(n & 3)) << (n / 4);

	return (low + (UINT64_C(1) << (n / 4)) / 2) / 4;
}

static struct trace_summary_row *row_of(struct trace_summary *s, const struct arch *arch, uint32_t number)
{
	uint32_t nr = number & ~arch->nr_bit;
	enum syscall_abi abi = syscall_abi(arch);
	struct trace_summary_row *row = abi < SYSCALL_ABIS && nr < SYSCALL_NR_MAX ? &s->rows[abi][nr] : NULL;

	if (!row || row->arch)
		return row;
	row->arch = arch;
	row->nr = number;
	row->classes = calloc(COUNTS_CLASSES, sizeof(*row->classes));
	return row;
}

/* Without -w, strace's table has the time that the thread ran. */
static bool counts_running(const struct trace_summary *s)
{
	return s->config.form.strace && !s->config.counting->wall;
}

static void enter(const struct trace_summary *s, struct thread *thread)
{
	if (counts_running(s) && usage_run(thread->tgid, thread->tid, &thread->ran))
		thread->ran = 0;
}

/* How long a call took, which has ended. */
static uint64_t time_of(const struct trace_summary *s, const struct call_event *event)
{
	const struct thread *thread = event->thread;
	uint64_t ns = event->now - thread->enter, ran = 0, less = s->config.counting->overhead;

	if (counts_running(s)) {
		bool known = thread->ran && usage_run(thread->tgid, thread->tid, &ran) == 0 && ran > thread->ran;

		ns = known ? ran - thread->ran : 0;
	}
	return ns > less ? ns - less : 0;
}

static int count(struct trace_summary *s, const struct call_event *event)
{
	const struct thread *thread = event->thread;
	uint64_t ns = time_of(s, event);
	bool failed = is_failure(thread->result.error, thread->result.value);
	bool shown = writer_shows(&s->config, thread, true);
	struct trace_summary_row *row = shown ? row_of(s, thread->call.arch, thread->call.nr) : NULL;

	if (!row)
		return 0;
	sums_add(&row->sums, ns, row->sums.count);
	row->sums.count++;
	row->sums.errors += failed;
	if (row->classes)
		row->classes[counts_class(ns)]++;
	return 0;
}

static int summary_event(struct call_sink *sink, const struct call_event *event)
{
	struct trace_summary *s = (struct trace_summary *)sink;
	int err = 0;

	if (!call_is_aside(event) && event->type == CALL_ENTER)
		enter(s, event->thread);
	else if (!call_is_aside(event) && event->type == CALL_EXIT)
		err = count(s, event);
	if (err || !s->next)
		return err;
	err = s->next->event(s->next, event);
	sink->held = s->next->held;
	return err;
}

static int summary_add(struct call_sink *sink, uint32_t nr, const struct call_counts *counts)
{
	struct trace_summary *s = (struct trace_summary *)sink;
	const struct call_sums *more = &counts->sums;
	uint64_t timed = s->config.form.hidden & OUTCOME_SUCCESSFUL ? more->errors : more->count;
	struct trace_summary_row *row = timed ? row_of(s, arch_native(), nr) : NULL;

	if (!row)
		return 0;
	if (!row->sums.count || more->min < row->sums.min)
		row->sums.min = more->min;
	if (more->max > row->sums.max)
		row->sums.max = more->max;
	row->sums.total += more->total;
	row->sums.count += timed;
	row->sums.errors += more->errors;
	for (size_t i = 0; row->classes && i < COUNTS_CLASSES; i++)
		row->classes[i] += counts->classes[i];
	return 0;
}

static int summary_idle(struct call_sink *sink)
{
	struct call_sink *next = ((struct trace_summary *)sink)->next;
	int err = next ? next->idle(next) : 0;

	sink->held = next && next->held;
	return err;
}

/* The time that `percent` of the calls did not exceed, as near as the classes tell. */
static uint64_t percentile(const struct trace_summary_row *row, unsigned percent)
{
	uint64_t want = (row->sums.count * percent + 99) / 100;
	uint64_t seen = 0;

	for (unsigned i = 0; row->classes && i < COUNTS_CLASSES; i++) {
		uint64_t ns = 0;

		seen += row->classes[i];
		if (seen < want)
			continue;
		ns = class_time(i);
		return ns < row->sums.min ? row->sums.min : ns > row->sums.max ? row->sums.max : ns;
	}
	return row->sums.max;
}

static int longer_first(const void *a, const void *b)
{
	const struct trace_summary_row *one = *(const struct trace_summary_row *const *)a;
	const struct trace_summary_row *two = *(const struct trace_summary_row *const *)b;

	return one->sums.total < two->sums.total ? 1 : one->sums.total > two->sums.total ? -1 : 0;
}

static int cell(struct buf *out, uint64_t ns)
{
	struct buf text = BUF_INIT;
	int err = clock_print(&text, ns);

	if (!err)
		err = buf_printf(out, " %9s", text.data);
	buf_release(&text);
	return err;
}

static int print_row(struct buf *out, const struct trace_summary_row *row, uint64_t total)
{
	const struct syscall_desc *desc = syscall_by_nr(row->arch, row->nr);
	int err = buf_printf(out, "%6.2f", total ? 100.0 * (double)row->sums.total / (double)total : 0.0);
	const uint64_t times[] = {row->sums.total,     row->sums.min,       row->sums.total / row->sums.count,
	                          percentile(row, 50), percentile(row, 99), row->sums.max};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && !err; i++)
		err = cell(out, times[i]);
	if (!err)
		err = buf_printf(out, " %9llu ", (unsigned long long)row->sums.count);
	if (!err)
		err = row->sums.errors ? buf_printf(out, "%9llu", (unsigned long long)row->sums.errors)
		                       : buf_printf(out, "%9s", "");
	if (!err && desc)
		err = buf_printf(out, " %s\n", desc->name);
	else if (!err)
		err = buf_printf(out, " syscall_%#x\n", row->nr);
	return err;
}

static size_t collect(struct trace_summary *s, struct trace_summary_row **rows)
{
	size_t n = 0;

	for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
		for (unsigned nr = 0; nr < SYSCALL_NR_MAX; nr++) {
			if (s->rows[abi][nr].sums.count)
				rows[n++] = &s->rows[abi][nr];
		}
	}
	qsort(rows, n, sizeof(*rows), longer_first);
	return n;
}

static int print(struct trace_summary *s, struct buf *out)
{
	struct trace_summary_row **rows = calloc((size_t)SYSCALL_ABIS * SYSCALL_NR_MAX, sizeof(*rows));
	struct trace_summary_row all = {0};
	size_t n = rows ? collect(s, rows) : 0;
	int err =
		rows ? buf_puts(
			       out,
			       "% time     total       min       avg       p50       p99       max     calls    errors "
			       "syscall\n")
		     : -ENOMEM;

	for (size_t i = 0; i < n; i++) {
		all.sums.total += rows[i]->sums.total;
		all.sums.count += rows[i]->sums.count;
		all.sums.errors += rows[i]->sums.errors;
	}
	for (size_t i = 0; i < n && !err; i++)
		err = print_row(out, rows[i], all.sums.total);
	if (!err && n)
		err = buf_printf(out, "%6s", "100.00");
	if (!err && n)
		err = cell(out, all.sums.total);
	if (!err && n)
		err = buf_printf(out, "%50s %9llu %9llu total\n", "", (unsigned long long)all.sums.count,
		                 (unsigned long long)all.sums.errors);
	free(rows);
	return err;
}

/* The rows of one ABI as strace has them; its name stands above all but those of the first. */
static int print_abi(struct trace_summary *s, unsigned abi, struct table_row *rows, struct buf *out)
{
	static const char *const modes[SYSCALL_ABIS] =
		{[SYSCALL_X86_64] = "64 bit", [SYSCALL_I386] = "32 bit", [SYSCALL_X32] = "x32"};
	size_t n = 0;
	int err = 0;

	for (unsigned nr = 0; nr < SYSCALL_NR_MAX; nr++) {
		const struct trace_summary_row *row = &s->rows[abi][nr];
		const struct syscall_desc *desc = row->sums.count ? syscall_by_nr(row->arch, row->nr) : NULL;

		if (desc)
			rows[n++] = (struct table_row){desc->name,      row->sums.count, row->sums.errors,
			                               row->sums.total, row->sums.min,   row->sums.max};
	}
	if (n && abi)
		err = buf_printf(out, "System call usage summary for %s mode:\n", modes[abi]);
	return err || !n ? err : table_put(&s->config.counting->table, rows, n, out);
}

static int print_strace(struct trace_summary *s, struct buf *out)
{
	struct table_row *rows = calloc(SYSCALL_NR_MAX, sizeof(*rows));
	int err = rows ? 0 : -ENOMEM;

	for (unsigned abi = 0; abi < SYSCALL_ABIS && !err; abi++)
		err = print_abi(s, abi, rows, out);
	free(rows);
	return err;
}

static int summary_end(struct call_sink *sink)
{
	struct trace_summary *s = (struct trace_summary *)sink;
	struct buf out = BUF_INIT;
	int last = s->next ? s->next->end(s->next) : 0;
	int err = last ? last : s->config.form.strace ? print_strace(s, &out) : print(s, &out);

	if (!err)
		err = fd_write_all(s->config.fd, out.data, out.len);
	buf_release(&out);
	for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
		for (unsigned nr = 0; nr < SYSCALL_NR_MAX; nr++)
			free(s->rows[abi][nr].classes);
	}
	free(s);
	return err;
}

struct call_sink *summary_sink(const struct writer_config *config, struct call_sink *next)
{
	struct trace_summary *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sink = (struct call_sink){.event = summary_event,
	                             .add = summary_add,
	                             .idle = summary_idle,
	                             .end = summary_end};
	s->config = *config;
	s->next = next;
	return &s->sink;
}
