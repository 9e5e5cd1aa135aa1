/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of the table of functions. */
#include "functions_columns.h"

#include <exectrace/base/clock.h>
#include <string.h>

#define CALLEES 400 /* bytes of the names in the last column, about */

/* Ticks as they are shown: us when they are time, for machines ns. */
uint64_t functions_shown(const struct functions_view *t, uint64_t ticks)
{
	uint64_t unit = t->plain ? NS_PER_S : 1000000;

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
	if (t->plain || t->clock.hz <= 1000000)
		return put_ticks(t, ticks, out);
	return buf_printf(out, "%.3f", (double)ticks * 1e6 / (double)t->clock.hz);
}

static int put_percent(const struct functions_view *t, uint64_t ticks, struct buf *out)
{
	return buf_printf(out, t->plain ? "%.4f" : "%.2f", t->total ? 100.0 * (double)ticks / (double)t->total : 0.0);
}

static int print_name(const struct functions_view *t, size_t i, struct buf *out)
{
	const struct functions_row *row = t->rows[i];
	int rc;

	if (row->special || t->by == FUNCTIONS_BY_MODULE)
		return buf_puts(out, row->name);
	if (t->by == FUNCTIONS_BY_CPU)
		return buf_printf(out, "CPU %u", row->pid);
	rc = buf_puts(out, t->by != FUNCTIONS_BY_FUNCTION && !*row->name ? "task" : row->name);
	if (!rc && t->by != FUNCTIONS_BY_FUNCTION)
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
	int rc = t->rows[i]->endless && !t->plain ? buf_putc(out, '~') : 0;

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

	return row->n_callees ? buf_puts(out, row->callees[0].name) : 0;
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
		if (!t->plain && out->len - before > CALLEES)
			return buf_printf(out, " (%zu more)", row->n_callees - c);
		rc = c ? buf_putc(out, ' ') : 0;
		if (!rc)
			rc = buf_puts(out, row->callees[c].name);
	}
	return rc;
}

static int print_module(const struct functions_view *t, size_t i, struct buf *out)
{
	return buf_puts(out, t->rows[i]->module);
}

static int print_endless(const struct functions_view *t, size_t i, struct buf *out)
{
	return buf_printf(out, "%llu", (unsigned long long)t->rows[i]->endless);
}

static int print_elapsed(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_ticks(t, t->rows[i]->elapsed, out);
}

static int print_waited(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_ticks(t, t->rows[i]->waited, out);
}

static int print_delay(const struct functions_view *t, size_t i, struct buf *out)
{
	return put_ticks(t, t->rows[i]->delay, out);
}

static int print_growth(const struct functions_view *t, size_t i, struct buf *out)
{
	enum growth_trend trend = t->rows[i]->growth.trend;

	return trend ? buf_puts(out, growth_name(trend)) : 0;
}

/* What the first and the last call took, of rows that grow. */
static int print_first(const struct functions_view *t, size_t i, struct buf *out)
{
	return t->rows[i]->growth.trend ? put_short(t, t->rows[i]->growth.first, out) : 0;
}

static int print_last(const struct functions_view *t, size_t i, struct buf *out)
{
	return t->rows[i]->growth.trend ? put_short(t, t->rows[i]->growth.last, out) : 0;
}

static const struct functions_column columns[] = {
	{'F', {"Function", "function", .left = true, .text = true, .cut = true, .width = 25}, print_name},
	{'c', {"Count", "count", .width = 5}, print_count},
	{'t', {"Time", "time", .time = true, .width = 8}, print_time},
	{'a', {"Average", "average", .time = true, .width = 8}, print_average},
	{'r', {"Range", "range", .text = true, .time = true, .width = 12}, print_range},
	{'s', {"Sub-time", "sub_time", .time = true, .spare = 1, .width = 8}, print_inner},
	{'l', {"Local", "local", .time = true, .width = 8}, print_self},
	{'m', {"Max-sub", "max_sub", .left = true, .text = true, .cut = true, .width = 25}, print_max_callee},
	{'n', {"Ms count", "max_sub_count", .spare = 2, .width = 8}, print_max_count},
	{'u', {"Sub list", "sub_list", .left = true, .text = true, .cut = true, .width = 20}, print_callees},
	{'p', {"%Time", "time_percent", .width = 6}, print_time_share},
	{'q', {"%Local", "local_percent", .width = 6}, print_self_share},
	{'i', {"Min", "min", .time = true, .width = 6}, print_min},
	{'x', {"Max", "max", .time = true, .width = 6}, print_max},
	{'z', {"P99", "p99", .time = true, .width = 6}, print_p99},
	{'o', {"Module", "module", .left = true, .text = true, .width = 10}, print_module},
	{'g', {"Growth", "growth", .left = true, .text = true, .width = 6}, print_growth},
	{'b', {"First", "first", .time = true, .width = 6}, print_first},
	{'y', {"Last", "last", .time = true, .width = 6}, print_last},
	{'e', {"No end", "no_end", .width = 6}, print_endless},
	{'E', {"Elapsed", "elapsed", .time = true, .width = 8}, print_elapsed},
	{'w', {"Waited", "waited", .time = true, .width = 8}, print_waited},
	{'d', {"Delay", "delay", .time = true, .width = 8}, print_delay},
};

const struct functions_column *functions_column(char letter)
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
	static const char letters[] = ".tlcasixzFdEwg"; /* in the order of enum functions_sort */
	const char *at = letter == 'p'   ? letters + FUNCTIONS_SORT_TIME
	                 : letter == 'q' ? letters + FUNCTIONS_SORT_SELF
	                 : letter        ? strchr(letters + 1, letter)
	                                 : NULL;

	if (at)
		*sort = (enum functions_sort)(at - letters);
	return at != NULL;
}
