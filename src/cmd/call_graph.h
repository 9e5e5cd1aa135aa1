/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees of calls as perf report draws them. */
#ifndef EXECTRACE_SRC_CMD_CALL_GRAPH_H
#define EXECTRACE_SRC_CMD_CALL_GRAPH_H

#include <exectrace/analyze/profile.h>
#include <exectrace/base/buf.h>

/* Adds the tree; branches below `limit` (a weight) are left out. total: what is 100 %. 0 or -ENOMEM. */
int call_graph_print(struct buf *out, const struct profile_node *root, uint64_t total, uint64_t limit);

#endif
