/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of calls as perf report draws them. */
#ifndef EXECTRACE_SRC_ANSWER_VIEW_CALL_GRAPH_H
#define EXECTRACE_SRC_ANSWER_VIEW_CALL_GRAPH_H

#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/base/buf.h>

struct call_graph {
	const struct calltree *tree; /* below the first child of the root */
	bool count;                  /* a branch's weight is `count`, not `total` */
	uint64_t total;              /* weight that is 100 % */
	uint64_t limit;              /* branches below are left out */
};

/* Adds the tree. 0 or -ENOMEM. */
int call_graph_print(struct buf *out, const struct call_graph *graph);

#endif
