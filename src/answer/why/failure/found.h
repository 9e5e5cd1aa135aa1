/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process found that others of the run had made. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_FAILURE_FOUND_H
#define EXECTRACE_SRC_ANSWER_WHY_FAILURE_FOUND_H

#include <exectrace/answer/why/page/page.h>

/* Adds lines about files that a process found, and that others of the run had made, but those below it. */
void page_found(const struct why *why, const struct tree_node *node, struct buf *out);

#endif
