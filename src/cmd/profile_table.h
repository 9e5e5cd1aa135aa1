/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table that `report` shows. */
#ifndef EXECTRACE_SRC_CMD_PROFILE_TABLE_H
#define EXECTRACE_SRC_CMD_PROFILE_TABLE_H

#include <exectrace/analyze/profile.h>
#include <exectrace/analyze/select.h>
#include <exectrace/cmd/page.h>

enum profile_graph_kind { GRAPH_NONE, GRAPH_CALLER, GRAPH_CALLEE };

struct profile_table {
	unsigned keys; /* enum profile_key */
	enum profile_weight weight;
	bool self_only; /* --no-children */
	enum profile_graph_kind graph;
	double percent; /* entries and branches below are left out */
	size_t limit;   /* entries; 0: all */
	bool csv;
};

/* Sums the selected calls up and shows the table. 0, -ENOMEM, -errno of a write. */
int profile_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                       struct page *page);

#endif
