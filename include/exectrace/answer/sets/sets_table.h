/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between two sets of recordings, for people and for programs. */
#ifndef EXECTRACE_ANSWER_SETS_SETS_TABLE_H
#define EXECTRACE_ANSWER_SETS_SETS_TABLE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/sets/measures.h>

struct sets_table {
	struct measures *measures;
	struct replay_clock clock; /* of the functions' own time */
	const char *sides[SIDES];  /* what the first recording of each is called */
	bool functions, paths;     /* which tables of those */
	double percent;            /* of all own time: functions with less are not looked at */
	size_t limit;              /* rows of each table */
	enum table_format format;
};

/*
 * Shows how the runs ended, which processes failed, commands and errors that are on one side alone or beyond noise, and
 * then times. 0; -ENOMEM; -errno of a write.
 */
int sets_table_show(const struct sets_table *t, struct page *page);

#endif
