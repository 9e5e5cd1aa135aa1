/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes are alike: the same program that ended well, with processes below it that are alike. */
#ifndef EXECTRACE_SRC_ANSWER_PROCESSES_ALIKE_H
#define EXECTRACE_SRC_ANSWER_PROCESSES_ALIKE_H

#include <exectrace/answer/recording/tree.h>

/*
 * Fills kinds, by index: siblings of the same number may be one row; 0: this one is not to be folded, as it or one
 * below it has failed, was picked, or is not known. visible: others do not count. 0 or -ENOMEM.
 */
int alike_find(const struct tree_node *const *nodes, size_t n, const bool *visible, uint64_t *kinds);

#endif
