/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical chain as far as the tree alone tells: from the end of each root backwards, to the child that ended last
 * before its parent went on, and from the beginning of that one on in the parent. (`why` knows what was waited for.)
 */
#ifndef EXECTRACE_SRC_ANSWER_PROCESSES_CHAIN_H
#define EXECTRACE_SRC_ANSWER_PROCESSES_CHAIN_H

#include <exectrace/answer/recording/tree.h>

/* Marks the processes of the chain, by their index; nodes: all by index. 0 or -ENOMEM. */
int chain_mark(const struct tree_node *const *nodes, size_t n, bool *marks);

#endif
