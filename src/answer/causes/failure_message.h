/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom a process that failed speaks of in what it wrote. */
#ifndef EXECTRACE_SRC_ANSWER_CAUSES_FAILURE_MESSAGE_H
#define EXECTRACE_SRC_ANSWER_CAUSES_FAILURE_MESSAGE_H

#include <exectrace/answer/story/story.h>

/* True when a line of it about a failure, as test runners write, has a word of the child's command line. */
bool failure_message_tells(const struct story *s, const struct tree_node *parent, const struct tree_node *child);

/*
 * True when it wrote to standard error after the child's end, and that is about something of its own: a call of its own
 * that failed, an exception that nobody caught, an error that a shell found in its script; and does not name the child.
 */
bool failure_message_is_own(const struct story *s, const struct tree_node *parent, const struct tree_node *child);

#endif
