/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes began with, and how they were begun. */
#ifndef EXECTRACE_ANSWER_WHY_PAGE_BEGAN_H
#define EXECTRACE_ANSWER_WHY_PAGE_BEGAN_H

#include <exectrace/answer/why/page/page.h>

/* What stands behind the first word of a line of a state (target/process/state.h); NULL: it begins with another. Of the
 * first line that begins with a word. */
const char *page_state_behind(const char *line, const char *word);
const char *page_state(const struct strv *state, const char *word);

/* What page_began_with is for: a process that failed, or one of the critical chain. */
enum page_place { PAGE_FAILURE, PAGE_GROUP };

/*
 * Adds a line of what a process began with otherwise than exectrace, but for the environment, and which process above
 * it did not. Of a group signals, limits and the umask only.
 */
void page_began_with(const struct why *why, const struct tree_node *node, enum page_place place, struct buf *out);

/* Adds that the processes of a group ran one after the other, if they did, and who began them so. */
void page_one_by_one(const struct why *why, const struct critical_group *g, struct buf *out);

#endif
