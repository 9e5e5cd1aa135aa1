/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of a guest that differ from the other calls of their function, and all shapes of calls of functions. */
#ifndef EXECTRACE_ANSWER_VIEW_ODD_TABLE_H
#define EXECTRACE_ANSWER_VIEW_ODD_TABLE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/report/shapes.h>

struct odd_table {
	const char *function; /* all shapes of functions with such a name (a pattern); NULL: the odd ones of all */
	size_t limit;         /* rows; 0: all */
	enum table_format format;
};

/* Replays the recording and shows them. 0; -ENOMEM; -errno of a write. */
int odd_table_show(const struct odd_table *table, struct replay *p, struct page *page);

/*
 * For people, below the calls of functions: a line for each whose name matches and whose calls cost more and more.
 * Replays the recording. 0 or -ENOMEM.
 */
int odd_table_growth(struct replay *p, const char *function, struct page *page);

/* A function whose calls cost more and more. */
struct growth_named {
	const char *name, *module;
	const char *often; /* the function that its late calls call several times each; "" none */
	const struct growth_fit *fit;
};

/* Adds "rule_find [rules] grows: 97 instructions at the 1st call, ...". Failures stay in out->err. */
void growth_line(struct buf *out, const struct replay_clock *clock, const struct growth_named *grows);

#endif
