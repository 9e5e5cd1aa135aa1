/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What made one of two runs of the same command take longer than the other one. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_SLOWER_H
#define EXECTRACE_SRC_ANSWER_WHY_SLOWER_H

#include <exectrace/answer/story/story.h>

/*
 * Adds where the critical chain of the process `bad` spends more time than that of `good`, what made most of it first,
 * when it took longer by a tenth at least. 0 or -ENOMEM.
 */
int page_slower(struct story *good_run, const struct tree_node *good, struct story *bad_run,
                const struct tree_node *bad, struct buf *out);

#endif
