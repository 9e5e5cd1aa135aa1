/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a guest as rows for machines, as `calls --csv`, `calls --json` and `export --format=csv` have them. */
#ifndef EXECTRACE_ANSWER_FORMAT_CALLCSV_H
#define EXECTRACE_ANSWER_FORMAT_CALLCSV_H

#include <exectrace/answer/report/calltrace.h>

#define CALL_CELLS 17

/* A column. */
struct call_column {
	const char *key;
	bool text; /* else a number, or JSON */
	bool time; /* a number of ns, or of ticks of a clock that does not count time */
};

/* What stands in one: a text, or, when that is NULL, the number. */
struct call_cell {
	const char *text;
	uint64_t number;
};

extern const struct call_column call_columns[CALL_CELLS];

/* The row of a call: a line of kind CALL_LINE_CALL. */
void call_cells(const struct replay *p, const struct call_line *line, struct call_cell cells[CALL_CELLS]);

/* The first row as comma-separated values (RFC 4180); times have "_ns" behind their keys. 0 or -ENOMEM. */
int call_csv_titles(struct buf *out, const struct replay *p);

/* The row of a call. 0 or -ENOMEM. */
int call_csv_line(struct buf *out, const struct replay *p, const struct call_line *line);

#endif
