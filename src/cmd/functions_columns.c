/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the table of functions. */
#include "functions_columns.h"

#include <exectrace/base/clock.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define CALLEES 400 /* bytes of the names in the last column, about */

/* Ticks as they are shown: us when they are time, for CSV ns. */
uint64_t functions_shown(const struct functions_view *t, uint64_t ticks)
{
	uint64_t unit = t->csv ? NS_PER_S : 1000000;

	if (!t->clock.hz || t->clock.hz == unit)
		return ticks;
	return t->clock.hz % unit == 0 ? ticks / (t->clock.hz / unit)
	                               : (uint64_t)((double)ticks * (double)unit / (double)t->clock.hz);
}

static int put_ticks(const struct functions_view *t, uint64_t ticks, struct buf *out)
{
	return buf_printf(out, "%llu", (unsigned long long)functions_shown(t, ticks));
}

/* Of one call, which may be shorter than a us. */
static int put_short(const struct functions_view *t, uint64_t ticks, struct buf *out)
{
	if (t->csv || t->clock.hz <= 1000000)
		return put_ticks(t, ticks, out);
	return buf_printf(out, "%.3f", (double)ticks * 1e6 / (double)t->clock.hz);
}

static int put_text(const struct functions_view *t, const char *text, struct buf *out)
{
	return t->csv ? cell_csv(out, text, strlen(text)) : cell_text(out, text, strlen(text));
}

static int put_percent(const struct functions_view *t, uint64_t ticks, struct buf *out)
{
	return buf_printf(out, t->csv ? "%.4f" : "%.2f", t->total ? 100.0 * (double)ticks / (double)t->total : 0.0);
}

static int print_name(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];
	int rc;

	if (row->special || t->by == FUNCTIONS_BY_MODULE)
		return put_text(t, row->name, out);
	if (t->by == FUNCTIONS_BY_CPU)
		return buf_printf(out, "CPU %u", row->pid);
	rc = put_text(t, t->by == FUNCTIONS_BY_TASK && !*row->name ? "task" : row->name, out);
	if (!rc && t->by == FUNCTIONS_BY_TASK)
		rc = buf_printf(out, *row->name ? "-%u" : " %u", row->pid);
	if (!rc && t->twice[i])
		rc = buf_printf(out, "@%llx", (unsigned long long)row->address);
	return rc;
}

static int print_count(const struct functions_view *t, size_t i, struct buf *out)
{
	return buf_printf(out, "%llu", (unsigned long long)t->rows[i]->count);
}

/* A call that was not seen to end lasts at least so long. */
static int print_time(const struct functions_view *t, size_t i, struct buf *out)
{
	int rc = t->rows[i]->endless && !t->csv ? buf_putc(out, '~') : 0;

	return rc ? rc : put_ticks(t, t->rows[i]->time, out);
}

static int print_average(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];

	return put_short(t, row->count ? row->time / row->count : 0, out);
}

static int print_range(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct call_stats *each = &t->rows[i]->each;
	int rc = buf_putc(out, '(');

	if (!rc)
		rc = put_short(t, each->min, out);
	if (!rc)
		rc = buf_putc(out, '-');
	if (!rc)
		rc = put_short(t, each->max, out);
	return rc ? rc : buf_putc(out, ')');
}

static int print_min(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_short(t, t->rows[i]->each.min, out);
}

static int print_max(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_short(t, t->rows[i]->each.max, out);
}

static int print_p99(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_short(t, call_stats_permille(&t->rows[i]->each, 990), out);
}

static int print_inner(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_ticks(t, t->rows[i]->inner, out);
}

static int print_self(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_ticks(t, t->rows[i]->self, out);
}

static int print_time_share(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_percent(t, t->rows[i]->time, out);
}

static int print_self_share(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_percent(t, t->rows[i]->self, out);
}

static int print_max_callee(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];

	return row->n_callees ? put_text(t, row->callees[0].name, out) : 0;
}

static int print_max_count(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];

	return buf_printf(out, "%llu", row->n_callees ? (unsigned long long)row->callees[0].count : 0ull);
}

static int print_callees(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];
	size_t before = out->len;
	int rc = 0;

	for (size_t c = 0; c < row->n_callees && !rc; c++) {
		if (!t->csv && out->len - before > CALLEES)
			return buf_printf(out, " (%zu more)", row->n_callees - c);
		rc = c ? buf_putc(out, ' ') : 0;
		if (!rc)
			rc = cell_text(out, row->callees[c].name, strlen(row->callees[c].name));
	}
	return rc;
}

static int print_module(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_text(t, t->rows[i]->module, out);
}

static int print_endless(const struct functions_view *t, size_t i, struct buf *out)
{
	return buf_printf(out, "%llu", (unsigned long long)t->rows[i]->endless);
}

static const struct column columns[] = {
	{'F', true, "Function", "function", 25, print_name},
	{'c', false, "Count", "count", 5, print_count},
	{'t', false, "Time", "time", 8, print_time},
	{'a', false, "Average", "average", 8, print_average},
	{'r', false, "Range", "range", 12, print_range},
	{'s', false, "Sub-time", "sub_time", 8, print_inner},
	{'l', false, "Local", "local", 8, print_self},
	{'m', true, "Max-sub", "max_sub", 25, print_max_callee},
	{'n', false, "Ms count", "max_sub_count", 8, print_max_count},
	{'u', true, "Sub list", "sub_list", 20, print_callees},
	{'p', false, "%Time", "time_percent", 6, print_time_share},
	{'q', false, "%Local", "local_percent", 6, print_self_share},
	{'i', false, "Min", "min", 6, print_min},
	{'x', false, "Max", "max", 6, print_max},
	{'z', false, "P99", "p99", 6, print_p99},
	{'o', true, "Module", "module", 10, print_module},
	{'e', false, "No end", "no_end", 6, print_endless},
};

const struct column *functions_column(char letter)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (columns[i].letter == letter)
			return &columns[i];
	return NULL;
}

const char *functions_bad_column(const char *letters)
{
	const char *at = letters;

	while (*at && functions_column(*at) && !strchr(at + 1, *at))
		at++;
	return *at || at == letters ? at : NULL;
}

bool functions_sort_by(char letter, enum functions_sort *sort)
{
	static const char letters[] = "tlcasixzF"; /* in the order of enum functions_sort */
	const char *at = letter == 'p'   ? letters
	                 : letter == 'q' ? letters + FUNCTIONS_SORT_SELF
	                 : letter        ? strchr(letters, letter)
	                                 : NULL;

	if (at)
		*sort = (enum functions_sort)(at - letters);
	return at != NULL;
}
