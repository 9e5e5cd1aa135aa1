/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `report` shows of a tree of call paths: functions with children and self as perf(1) has them, or the paths. */
#ifndef EXECTRACE_ANSWER_VIEW_CHILDREN_TABLE_H
#define EXECTRACE_ANSWER_VIEW_CHILDREN_TABLE_H

#include <exectrace/answer/view/call_tree.h>
#include <exectrace/answer/view/profile_table.h>

/* The functions, with graphs when the table has them. 0, -ENOMEM, -errno of a write. */
int children_table_show(const struct profile_table *table, struct call_tree *made, struct page *page);

/* The paths by their own time, of percent and limit of the table. The same. */
int paths_table_show(const struct profile_table *table, struct call_tree *made, struct page *page);

#endif
