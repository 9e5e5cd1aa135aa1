/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that `report` shows of a guest's functions. The columns and their letters are those of KFT's kd. */
#ifndef EXECTRACE_ANSWER_VIEW_FUNCTIONS_TABLE_H
#define EXECTRACE_ANSWER_VIEW_FUNCTIONS_TABLE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/answer/view/several.h>

#define FUNCTIONS_COLUMNS "Fctalpq"
#define FUNCTIONS_COLUMNS_LONG "Fctalpqsmn"

/* Where ticks are the time of the host; without 'd' where it is not known who let whom run. */
#define FUNCTIONS_COLUMNS_TIMED "FcdEtwlo"
#define FUNCTIONS_COLUMNS_TIMED_ONLY "FcEtwlo"

struct functions_table {
	enum functions_by by;
	const char *columns;      /* letters; NULL: those that fit what is known */
	enum functions_sort sort; /* FUNCTIONS_SORT_BEST: likewise */
	const char *at_least;     /* only rows with this time: a duration, us without a unit, or ticks; NULL: all */
	double percent;           /* only rows with this share of the time, or more */
	size_t limit;             /* rows; 0: all */
	enum table_format format;
};

/* Whether letters are columns. NULL, or the first one that is none. */
const char *functions_bad_column(const char *columns);

/* What a letter of a column means for the order. False: it has none. */
bool functions_sort_by(char letter, enum functions_sort *sort);

/*
 * A time of the command line as ticks of a replay: a number with a unit, or of us, when its clock has hz; a plain
 * number when not. False when it is none of that.
 */
bool functions_ticks(const struct replay *p, const char *text, uint64_t *ticks);

/* What to count. */
struct functions_guests {
	struct recording *recording;
	size_t file; /* the first one */
	const struct guest_select *select;
	const struct analysis *analysis;
	struct several *several; /* recordings that are added; NULL: none */
};

/* Replays the guests and shows the table of them together. 0; -EINVAL with a line in err; -ENOMEM; -errno of a write.
 */
int functions_table_show(const struct functions_table *table, const struct functions_guests *guests, struct page *page,
                         struct buf *err);

#endif
