/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What went wrong in processes beside the one that failed, or in a run that did not fail. A call that failed in a
 * process which then went on, or whose failure its parent passed over, may be what everything else came of: a file that
 * was cut off at a limit, a signal sent to a process that is gone.
 */
#ifndef EXECTRACE_ANSWER_WHY_FAILURE_ELSEWHERE_H
#define EXECTRACE_ANSWER_WHY_FAILURE_ELSEWHERE_H

#include <exectrace/answer/why/page/page.h>

/* Adds lines about calls of other processes than origin (NULL: none) that failed as calls seldom do. */
void page_elsewhere(const struct why *why, const struct tree_node *origin, struct buf *out);

#endif
