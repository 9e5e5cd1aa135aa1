/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of calls that strace(1) prints with -c: which columns it has, in which order its rows stand. */
#ifndef EXECTRACE_RECORD_FORM_TABLE_H
#define EXECTRACE_RECORD_FORM_TABLE_H

#include <exectrace/base/buf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_column {
	COLUMN_PERCENT,
	COLUMN_TOTAL,
	COLUMN_MIN,
	COLUMN_MAX,
	COLUMN_AVERAGE,
	COLUMN_CALLS,
	COLUMN_ERRORS,
	COLUMN_NAME,
	COLUMN_COUNT, /* how many; as an order: that in which the rows are given */
};

/* Plain zeroes are the usual columns, by the time. */
struct table_form {
	enum table_column columns[COLUMN_COUNT];
	size_t n;                /* of them; 0: the usual ones */
	enum table_column order; /* names ascending, numbers descending */
};

/* The calls of one name; times in ns. */
struct table_row {
	const char *name;
	uint64_t calls, errors, total, min, max;
};

/* Takes names of columns with commas between them, as -U has them. False: one is not known, or there twice. */
bool table_take_columns(struct table_form *form, const char *words);

/* Takes the name of one column, or "none", as -S has it. False: it is not known. */
bool table_take_order(struct table_form *form, const char *word);

/* Sorts the rows and adds the table. 0 or -ENOMEM. */
int table_put(const struct table_form *form, struct table_row *rows, size_t n, struct buf *out);

#endif
