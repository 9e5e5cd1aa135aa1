/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of all call paths of a recording, whatever it is of: for `graph`, `diff` and the graphs of `report`. */
#ifndef EXECTRACE_ANSWER_VIEW_CALL_TREE_H
#define EXECTRACE_ANSWER_VIEW_CALL_TREE_H

#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/view/guest.h>
#include <exectrace/answer/view/several.h>

struct call_tree {
	struct analysis *analysis; /* which calls, */
	struct guest_select *guest;
	struct several *several;                    /* recordings that are added to the first one; NULL: none */
	bool interrupted;                           /* in: see functions_options */
	bool elapsed;                               /* in: totals are to have what calls waited in them; ... */
						    /* out: they have, since the clock counts time */
	struct calltree *tree;                      /* made by call_tree_open, freed by the caller */
	struct replay_clock clock;                  /* of its ticks */
	bool sampled;                               /* it is made of samples, not of calls; ... */
	bool called;                                /* ... of system calls */
	struct table_column columns[TABLE_COLUMNS]; /* private */
};

/* The columns of a table of it: what they count. They stay as long as *c does. */
const struct table_column *call_tree_columns(struct call_tree *c, const struct table_column *columns);

/* Opens the recording at `path` into *r and makes its tree. 0; -EINVAL with a line in err; as recording_open. */
int call_tree_open(struct call_tree *c, struct recording **r, const char *path, struct buf *err);

/* Makes the tree of the guests of a recording, of which the first is file number `file`. The same. */
int call_tree_guests(struct call_tree *c, struct recording *r, size_t file, struct buf *err);

/* Makes the tree of the system calls, or of the samples, of a recording opened with names. The same. */
int call_tree_calls(struct call_tree *c, struct recording *r, struct buf *err);

/*
 * Adds the path to a node: for people from the function outwards ("f < g < main"), for machines from the outermost one
 * on ("main;g;f"). 0 or -ENOMEM.
 */
int call_tree_path(struct buf *out, const struct calltree *tree, uint32_t node, bool people);

#endif
