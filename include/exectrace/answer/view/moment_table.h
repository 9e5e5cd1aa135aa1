/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stacks of a guest at one moment. */
#ifndef EXECTRACE_ANSWER_VIEW_MOMENT_TABLE_H
#define EXECTRACE_ANSWER_VIEW_MOMENT_TABLE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/replay/task.h>

struct moment_table {
	const char *time;          /* seconds since the start, as the user gave it */
	struct task_select select; /* see moment_read */
	enum table_format format;
};

/* Replays the recording and shows them. 0; -EINVAL with a line in err; -ENOMEM; -errno of a write. */
int moment_table_show(const struct moment_table *table, struct replay *p, struct page *page, struct buf *err);

#endif
