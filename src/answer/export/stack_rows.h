/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as rows of a database: each is a function and the stack that called it, so that equal beginnings are there
 * once. */
#ifndef EXECTRACE_SRC_ANSWER_EXPORT_STACK_ROWS_H
#define EXECTRACE_SRC_ANSWER_EXPORT_STACK_ROWS_H

#include <exectrace/answer/database/database.h>
#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/recording/recording.h>

struct stack_rows {
	struct database *db; /* the owner's */
	int64_t run;         /* number of its row */
	/* private */
	struct byte_map stacks;    /* by the address of their frames: the number in the database */
	struct byte_map frames;    /* by struct frame_key: likewise */
	struct byte_map functions; /* by their numbers in the recording: likewise */
};

/* The number of an event's stack, which is added when it is new; 0: it has none. 0, -ENOMEM or what the database
 * returned. */
int stack_row(struct stack_rows *s, struct recording *r, const struct recorded_event *event, int64_t *number);

/* Frees everything but the database. */
void stack_rows_release(struct stack_rows *s);

#endif
