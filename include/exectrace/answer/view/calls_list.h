/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of calls that `syscalls` shows. */
#ifndef EXECTRACE_ANSWER_VIEW_CALLS_LIST_H
#define EXECTRACE_ANSWER_VIEW_CALLS_LIST_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/output/table.h>

enum calls_order {
	CALLS_BY_RETURN,
	CALLS_BY_START,
	CALLS_BY_DURATION, /* the longest first */
};

struct calls_list {
	bool wall;                /* times are seconds since 1970, not since the run began; of text only */
	const char *dir;          /* descriptors of files below it get names relative to it, in text; NULL: none do */
	bool named;               /* stacks can be asked for: the recording was opened with names */
	bool stacks;              /* with the frames of each */
	enum table_format format; /* for machines: a row for each call, and nothing else */
	enum calls_order order;
	size_t limit; /* so many; 0: all */
};

/* Shows the selected calls. What has to be sorted is held in memory. 0, -ENOMEM, -errno of a write. */
int calls_list_show(const struct calls_list *list, struct call_select *select, struct recording *r, struct page *page);

#endif
