/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the table of functions and its columns share. */
#ifndef EXECTRACE_SRC_ANSWER_VIEW_FUNCTIONS_COLUMNS_H
#define EXECTRACE_SRC_ANSWER_VIEW_FUNCTIONS_COLUMNS_H

#include <exectrace/answer/view/functions_table.h>

/* What is shown. */
struct functions_view {
	const struct functions_row *const *rows;
	bool *twice; /* by row: another one has the same name */
	size_t n;
	const struct functions_row *const *all; /* those that are not shown, too; n_all of them */
	size_t n_all;
	enum functions_by by;
	struct replay_clock clock;
	uint64_t total; /* ticks that are 100 % */
	bool plain;     /* for machines */
};

struct functions_column {
	char letter;
	struct table_column column; /* as kd has it */
	/* Adds the cell of a row. 0 or -ENOMEM. */
	int (*print)(const struct functions_view *t, size_t row, struct buf *out);
};

/* The column of a letter, or NULL. */
const struct functions_column *functions_column(char letter);

/* Ticks as they are shown: us when they are time, ns for machines. */
uint64_t functions_shown(const struct functions_view *t, uint64_t ticks);

#endif
