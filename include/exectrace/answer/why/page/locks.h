/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the locks that threads of one process wait for. */
#ifndef EXECTRACE_ANSWER_WHY_PAGE_LOCKS_H
#define EXECTRACE_ANSWER_WHY_PAGE_LOCKS_H

#include <exectrace/answer/why/page/page.h>

/*
 * Adds of a wait for another thread ", for the lock of thread 12, which waits for that of thread 13, which waits for
 * that of thread 12: a deadlock", or ", for thread 12 to end". True when it is known for whom.
 */
bool page_locks(const struct why *why, const struct tree_node *node, const struct wait *wait, struct buf *out);

#endif
