/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes of a profile are in which row. */
#ifndef EXECTRACE_SRC_ANSWER_PROCESSES_ROWS_H
#define EXECTRACE_SRC_ANSWER_PROCESSES_ROWS_H

#include <exectrace/answer/processes/profile.h>

/* kept: it, or one below it, is asked for. visible: it has a row. keys: what siblings are sorted by. */
struct profile {
	struct profile_options options;
	const struct tree_node **nodes; /* by index, as is all that follows */
	size_t n;
	bool *wanted, *kept, *visible, *chain;
	uint64_t *kinds;             /* of alike.h */
	uint64_t *keys;              /* to sort by */
	struct profile_row **row_of; /* of one that is not visible: that of the next ancestor that is */
	struct profile_row *rows;
	size_t n_rows;
	struct profile_row *first;
	size_t n_wanted;
	struct profile_use all;
};

/* Makes the rows, not linked yet, once it is known which processes are visible. 0 or -ENOMEM. */
int rows_make(struct profile *p);

#endif
