/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that `report` shows. */
#ifndef EXECTRACE_SRC_CMD_PROFILE_TABLE_H
#define EXECTRACE_SRC_CMD_PROFILE_TABLE_H

#include <exectrace/analyze/profile.h>
#include <exectrace/analyze/select.h>
#include <exectrace/cmd/table.h>

enum profile_graph_kind { GRAPH_NONE, GRAPH_CALLER, GRAPH_CALLEE };

struct profile_table {
	unsigned keys; /* enum profile_key */
	enum profile_weight weight;
	bool self_only; /* --no-children */
	enum profile_graph_kind graph;
	double percent; /* entries and branches below are left out */
	size_t limit;   /* entries; 0: all */
	enum table_format format;
};

/* Where entries are from. */
struct profile_source {
	void *ctx;
	uint64_t total;            /* weight that is 100 % */
	struct replay_clock clock; /* of weights that are time */
	/* The tree below (callers: around) an entry, freed with free_graph. 0 or -ENOMEM. */
	int (*graph)(void *ctx, const struct profile_entry *entry, bool callers, struct profile_node **root);
	void (*free_graph)(struct profile_node *root);
};

/* Shows entries, which are in order. 0, -ENOMEM, -errno of a write. */
int profile_entries_show(const struct profile_table *table, const struct profile_source *source,
                         const struct profile_entry *const *entries, size_t n, struct page *page);

/*
 * Sums the selected calls and samples up and shows a table of each. 0, -ENOMEM, -errno of a write; -EINVAL with a line
 * in err: there are both, and the format has one table only.
 */
int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page, struct buf *err);

/* Shows the table of what was summed up. 0, -ENOMEM, -errno of a write. */
int profile_table_print(const struct profile_table *table, struct profile *p, bool samples, struct page *page);

#endif
