/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What other processes have to do with a call that failed. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_OTHERS_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_OTHERS_H

#include <exectrace/answer/why/page/page.h>

/* Adds who made, has, closed, reads or was what the call was about: "; made by mkdir lock [12] at 3.1s". */
void page_others(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out);

#endif
