/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that `report` shows. */
#ifndef EXECTRACE_ANSWER_VIEW_PROFILE_TABLE_H
#define EXECTRACE_ANSWER_VIEW_PROFILE_TABLE_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/output/table.h>
#include <exectrace/answer/view/several.h>

enum profile_weight { PROFILE_TIME, PROFILE_COUNT };

enum profile_graph_kind { GRAPH_NONE, GRAPH_CALLER, GRAPH_CALLEE };

struct profile_table {
	unsigned keys; /* enum calltree_key */
	enum profile_weight weight;
	bool self_only; /* --no-children */
	enum profile_graph_kind graph;
	double percent; /* entries and branches below are left out */
	size_t limit;   /* entries; 0: all */
	enum table_format format;
	struct several *several; /* of profile_table_show: the recordings that it adds; NULL: none */
};

/* What the entries are: the functions of a finished tree. */
struct profile_source {
	const struct calltree *tree;
	struct replay_clock clock;   /* of weights that are time */
	bool count;                  /* the weight is `count`, that of a function's calls; else `total` and `self` */
	enum calltree_graph callers; /* which ones a graph has */
};

/* Shows entries. 0, -ENOMEM, -errno of a write. */
int profile_entries_show(const struct profile_table *table, const struct profile_source *source, struct page *page);

/* System calls, or samples, that are summed up. */
struct profile {
	struct calltree *tree;
	struct calltree_stacks *stacks; /* of r, which outlives it */
	bool samples;
};

/* Begins one, of SELECT_CALLS or SELECT_SAMPLES: by table->keys. 0 or -ENOMEM. profile_release frees it. */
int profile_init(struct profile *p, struct recording *r, enum select_event event, unsigned keys,
                 enum profile_weight weight);
void profile_release(struct profile *p);

/*
 * Sums the selected calls and samples up and shows a table of each. 0, -ENOMEM, -errno of a write; -EINVAL with a line
 * in err: there are both, and the format has one table only.
 */
int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page, struct buf *err);

/* Shows the table of what was summed up, once. 0, -ENOMEM, -errno of a write. */
int profile_table_print(const struct profile_table *table, struct profile *p, struct page *page);

#endif
