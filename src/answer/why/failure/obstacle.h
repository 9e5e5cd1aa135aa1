/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was in the way of a call that failed. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_OBSTACLE_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_OBSTACLE_H

#include <exectrace/answer/why/page/page.h>

/*
 * Adds what was in the way of a failing call of p, as far as the error tells what to look for: "; made by ./gen [12] at
 * 3.1s". What the file system is asked for is as it is now.
 */
void page_obstacle(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out);

#endif
