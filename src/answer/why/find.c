/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "find.h"

#include <errno.h>
#include <exectrace/answer/recording/process_select.h>

int page_find(const struct tree_node **ret, const struct story *s, const struct why_options *options,
              struct buf *others, struct buf *err)
{
	struct process_select select = {.pids = &options->pid,
	                                .n_pids = options->pid != 0,
	                                .cmd = options->cmd,
	                                .under = options->under,
	                                .picked = options->picked};
	const struct tree_node *node = process_tree_first(s->tree);
	int rc;

	if (!process_select_any(&select))
		return 0;
	rc = process_select_begin(&select, s->tree, s->recording, err);
	while (!rc && node && !process_selected(&select, node))
		node = process_tree_next(node);
	*ret = node;
	if (!rc && !node) {
		buf_printf(err, "%s: there is no process in it that fits ", recording_path(s->recording));
		rc = process_select_print(err, &select) ? -ENOMEM : -ENOENT;
	}
	for (node = rc ? NULL : process_tree_next(node); node && !rc; node = process_tree_next(node))
		if (others && process_selected(&select, node) && buf_printf(others, " %u", node->pid))
			rc = -ENOMEM;
	process_select_release(&select);
	return rc;
}
