/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to begin a process once more. */
#ifndef EXECTRACE_ANSWER_WHY_PAGE_AGAIN_H
#define EXECTRACE_ANSWER_WHY_PAGE_AGAIN_H

#include <exectrace/answer/why/page/page.h>

/* Adds a line with a command that begins the process again as it was: directory, environment, umask, limits, signals.
 */
void page_command_to_copy(const struct why *why, const struct tree_node *node, struct buf *out);

#endif
