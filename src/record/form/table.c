/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/record/form/table.h>

#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <stdlib.h>

/* What a column is called, and how wide it is at least. The names are those of enum table_column, with commas. */
static const struct {
	const char *title, *names;
	unsigned width;
} columns[COLUMN_COUNT] = {
	[COLUMN_PERCENT] = {"% time", ",time,time_percent,time-percent,", 6},
	[COLUMN_TOTAL] = {"seconds", ",time_total,time-total,total_time,total-time,", 11},
	[COLUMN_MIN] = {"shortest", ",min_time,min-time,time_min,time-min,shortest,", 8},
	[COLUMN_MAX] = {"longest", ",max_time,max-time,time_max,time-max,longest,", 8},
	[COLUMN_AVERAGE] = {"usecs/call", ",avg_time,avg-time,time_avg,time-avg,", 11},
	[COLUMN_CALLS] = {"calls", ",calls,count,", 9},
	[COLUMN_ERRORS] = {"errors", ",error,errors,", 9},
	[COLUMN_NAME] = {"syscall", ",name,syscall,syscall_name,syscall-name,", 16},
};

static const struct table_form usual = {
	{COLUMN_PERCENT, COLUMN_TOTAL, COLUMN_AVERAGE, COLUMN_CALLS, COLUMN_ERRORS, COLUMN_NAME},
	6,
	COLUMN_PERCENT,
};

/* COLUMN_COUNT: there is none of the name. */
static enum table_column find(const char *word, size_t n)
{
	unsigned i = 0;

	for (; i < COLUMN_COUNT && n; i++) {
		const char *at = columns[i].names;

		while ((at = strchr(at, ',')) && (strncmp(at + 1, word, n) != 0 || at[1 + n] != ','))
			at++;
		if (at)
			return (enum table_column)i;
	}
	return COLUMN_COUNT;
}

bool table_take_columns(struct table_form *form, const char *words)
{
	unsigned seen = 0;

	form->n = 0;
	for (;;) {
		size_t n = strcspn(words, ",");
		enum table_column column = find(words, n);

		if (column == COLUMN_COUNT || seen >> column & 1)
			return false;
		seen |= 1u << column;
		form->columns[form->n++] = column;
		if (!words[n])
			return true;
		words += n + 1;
	}
}

bool table_take_order(struct table_form *form, const char *word)
{
	form->order = find(word, strlen(word));
	return form->order < COLUMN_COUNT || strcmp(word, "none") == 0 || strcmp(word, "nothing") == 0;
}

static uint64_t average(const struct table_row *row)
{
	return row->calls ? row->total / row->calls : 0;
}

static uint64_t value(const struct table_row *row, enum table_column column)
{
	switch (column) {
	case COLUMN_MIN:
		return row->min;
	case COLUMN_MAX:
		return row->max;
	case COLUMN_AVERAGE:
		return average(row);
	case COLUMN_CALLS:
		return row->calls;
	case COLUMN_ERRORS:
		return row->errors;
	default:
		return row->total;
	}
}

static int compare(const void *a, const void *b, void *order)
{
	const struct table_row *one = a, *two = b;
	enum table_column column = *(const enum table_column *)order;
	uint64_t first, second;

	if (column == COLUMN_NAME)
		return strcmp(one->name, two->name);
	first = value(one, column);
	second = value(two, column);
	return first < second ? 1 : first > second ? -1 : 0;
}

static int put_seconds(struct buf *out, uint64_t ns)
{
	return buf_printf(out, "%llu.%06llu", (unsigned long long)(ns / NS_PER_S),
	                  (unsigned long long)(ns % NS_PER_S / NS_PER_US));
}

/* all: the sum of the rows. */
static int put_cell(struct buf *out, enum table_column column, const struct table_row *row, const struct table_row *all)
{
	switch (column) {
	case COLUMN_PERCENT:
		if (row == all)
			return buf_puts(out, "100.00");
		return buf_printf(out, "%.2f", all->total ? 100.0 * (double)row->total / (double)all->total : 0.0);
	case COLUMN_TOTAL:
	case COLUMN_MIN:
	case COLUMN_MAX:
		return put_seconds(out, value(row, column));
	case COLUMN_AVERAGE:
		return buf_printf(out, "%llu", (unsigned long long)(average(row) / NS_PER_US));
	case COLUMN_ERRORS:
		return row->errors ? buf_printf(out, "%llu", (unsigned long long)row->errors) : buf_puts(out, "");
	case COLUMN_CALLS:
		return buf_printf(out, "%llu", (unsigned long long)row->calls);
	default:
		return buf_puts(out, row->name);
	}
}

struct table {
	const struct table_form *form;
	unsigned widths[COLUMN_COUNT];
	struct table_row all;
	struct buf cell;
};

/* Makes the text of a cell. */
static int make_cell(struct table *table, size_t i, const struct table_row *row)
{
	buf_cut(&table->cell, 0);
	return put_cell(&table->cell, table->form->columns[i], row, &table->all);
}

static int put_padded(struct buf *out, const struct table *table, size_t i, const char *text)
{
	int width = (int)table->widths[i];
	bool last = i + 1 == table->form->n;

	if (table->form->columns[i] == COLUMN_NAME)
		width = last ? 0 : -width;
	return buf_printf(out, "%*s%c", width, text, last ? '\n' : ' ');
}

static int put_row(struct buf *out, struct table *table, const struct table_row *row)
{
	int err = 0;

	for (size_t i = 0; i < table->form->n && !err; i++) {
		err = make_cell(table, i, row);
		if (!err)
			err = put_padded(out, table, i, table->cell.data);
	}
	return err;
}

/* Dashes below the title and above the sums. */
static int put_line(struct buf *out, const struct table *table)
{
	int err = 0;

	for (size_t i = 0; i < table->form->n && !err; i++) {
		for (unsigned k = 0; k < table->widths[i] && !err; k++)
			err = buf_putc(out, '-');
		if (!err)
			err = buf_putc(out, i + 1 == table->form->n ? '\n' : ' ');
	}
	return err;
}

static int measure(struct table *table, const struct table_row *row)
{
	int err = 0;

	for (size_t i = 0; i < table->form->n && !err; i++) {
		bool name = table->form->columns[i] == COLUMN_NAME;

		err = make_cell(table, i, row);
		if (!err && table->cell.len + name > table->widths[i])
			table->widths[i] = (unsigned)(table->cell.len + name);
	}
	return err;
}

static void add_up(struct table_row *all, const struct table_row *row)
{
	if (!all->calls || row->min < all->min)
		all->min = row->min;
	if (row->max > all->max)
		all->max = row->max;
	all->calls += row->calls;
	all->errors += row->errors;
	all->total += row->total;
}

static int put_title(struct buf *out, const struct table *table)
{
	int err = 0;

	for (size_t i = 0; i < table->form->n && !err; i++)
		err = put_padded(out, table, i, columns[table->form->columns[i]].title);
	return err ? err : put_line(out, table);
}

static int put_table(struct table *table, const struct table_row *rows, size_t n, struct buf *out)
{
	int err = 0;

	for (size_t i = 0; i < table->form->n; i++)
		table->widths[i] = columns[table->form->columns[i]].width;
	for (size_t i = 0; i < n; i++)
		add_up(&table->all, &rows[i]);
	err = measure(table, &table->all);
	for (size_t i = 0; i < n && !err; i++)
		err = measure(table, &rows[i]);
	if (!err)
		err = put_title(out, table);
	for (size_t i = 0; i < n && !err; i++)
		err = put_row(out, table, &rows[i]);
	if (!err)
		err = put_line(out, table);
	return err ? err : put_row(out, table, &table->all);
}

int table_put(const struct table_form *form, struct table_row *rows, size_t n, struct buf *out)
{
	struct table table = {.form = form->n ? form : &usual, .all.name = "total"};
	enum table_column order = form->order;
	int err;

	if (order < COLUMN_COUNT)
		qsort_r(rows, n, sizeof(*rows), compare, &order);
	err = put_table(&table, rows, n, out);
	buf_release(&table.cell);
	return err;
}
