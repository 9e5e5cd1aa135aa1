/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of `syscalls --summary`. */
#ifndef EXECTRACE_ANSWER_VIEW_CALLS_TABLE_H
#define EXECTRACE_ANSWER_VIEW_CALLS_TABLE_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/report/summary.h>
#include <exectrace/answer/view/several.h>

struct calls_table {
	enum summary_by by;
	enum summary_sort sort;
	size_t limit;   /* rows; 0: all */
	unsigned depth; /* of functions in a row; 0: all */
	bool relative;  /* files below the directory of a run get names relative to it */
	bool named;     /* stacks can be asked for: recordings are opened with names */
	enum table_format format;
	struct several *several; /* r is the one that it has given last; the others are added to it */
};

/* Sums the selected calls up and shows the table. 0, -ENOMEM, -errno of a write. */
int calls_table_show(const struct calls_table *table, struct call_select *select, struct recording *r,
                     struct page *page);

#endif
