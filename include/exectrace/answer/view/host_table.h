/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `report --host` shows. */
#ifndef EXECTRACE_ANSWER_VIEW_HOST_TABLE_H
#define EXECTRACE_ANSWER_VIEW_HOST_TABLE_H

#include <exectrace/answer/view/profile_table.h>

/*
 * Shows calls, threads and functions, of each at most table->limit rows (0: 20); as CSV and JSON calls and threads
 * alone (0: all). 0, -ENOMEM, -errno of a write.
 */
int host_table_show(const struct profile_table *table, struct call_select *select, struct recording *r,
                    struct page *page);

#endif
