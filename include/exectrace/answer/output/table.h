/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables: for people (columns aligned, cut to the width of the terminal), as CSV (RFC 4180, a line of keys first), or
 * as JSON (an array of objects, one a line). A failure stays in `err`, and nothing is added after it.
 */
#ifndef EXECTRACE_ANSWER_OUTPUT_TABLE_H
#define EXECTRACE_ANSWER_OUTPUT_TABLE_H

#include <exectrace/answer/output/page.h>
#include <exectrace/answer/replay/replay.h>

#define TABLE_COLUMNS 32 /* at most */

enum table_format { TABLE_TEXT, TABLE_CSV, TABLE_JSON };

struct table_column {
	const char *title; /* for people; "" not for them; NULL ends the columns */
	const char *key;   /* for machines; NULL: not for them */
	bool left;         /* aligned to the left */
	bool text;         /* what is in it is no number */
	bool cut;          /* may be cut when the terminal is too narrow */
	bool time;         /* in ticks: the key gets "_ns" when those are time */
	int spare;         /* on a narrow terminal columns are left out, the highest first; 0: never */
	int width;         /* at least */
};

/* What to make tables of; its members are the caller's to read only. */
struct table {
	struct page *page;
	enum table_format format;
	const struct table_column *columns;
	struct replay_clock clock; /* of ticks */
	size_t n;
	bool rule; /* for people: a line below the titles, and ... */
	int gap;   /* ... blanks between columns (2); the caller may set both */
	int err;   /* 0; -ENOMEM; -errno of a write */
	/* private */
	size_t at; /* column of the next cell */
	size_t rows;
	struct buf cells; /* text: all cells, each ended by a NUL */
};

/* Begins one. The columns have to stay. Ended by table_end in any case. */
void table_begin(struct table *t, struct page *page, enum table_format format, const struct table_column *columns,
                 struct replay_clock clock);

/* Whether a column is one of this format; its cell is passed over when not. */
bool table_has(const struct table *t, const struct table_column *column);

/* Adds the next cell: a text of any bytes, or what printf makes, which has to be plain. */
void table_text(struct table *t, const char *text);
void table_printf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_number(struct table *t, uint64_t value);

/* Ticks: for people with a unit, for machines as ns, or as ticks when they are no time. */
void table_ticks(struct table *t, uint64_t ticks);

/* Ends the table: people get it now. 0 or err. */
int table_end(struct table *t);

/* Ticks for people: "1.52ms", "812", "3.07M". 0 or -ENOMEM. */
int ticks_print(struct buf *out, const struct replay_clock *clock, uint64_t ticks);

/* For machines: ns when they are time. */
uint64_t ticks_plain(const struct replay_clock *clock, uint64_t ticks);

/* What they are: "", "instructions", "blocks". */
const char *ticks_unit(const struct replay_clock *clock);

#endif
