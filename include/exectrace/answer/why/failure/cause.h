/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was behind the failure of a process: its signal, its last wait, its calls, limits and descriptors. */
#ifndef EXECTRACE_ANSWER_WHY_FAILURE_CAUSE_H
#define EXECTRACE_ANSWER_WHY_FAILURE_CAUSE_H

#include <exectrace/answer/why/page/page.h>

/* Adds all of it. */
void page_cause(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds a line about the signal that ended a process, and who sent it. */
void page_killed(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds a line about what a process was waiting for when it ended, if it did. */
void page_last_wait(const struct why *why, const struct tree_node *node, struct buf *out);

/* Adds the limit behind an error of a call; nothing when there is none, or nobody has set it. */
void page_limit_behind(const struct why *why, const struct tree_node *node, const struct failure *f, struct buf *out);

#endif
