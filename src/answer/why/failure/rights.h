/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose mode denies what a process was refused. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_RIGHTS_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_RIGHTS_H

#include <exectrace/answer/why/page/page.h>

/* Adds of EACCES and EPERM whose mode denies it, as it is now: "; /root is drwx------ of root:root". */
void page_rights(const struct why *why, const struct process_history *p, const struct failure *f, struct buf *out);

#endif
