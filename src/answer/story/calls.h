/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which system call means what for a history. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_CALLS_H
#define EXECTRACE_SRC_ANSWER_STORY_CALLS_H

#include <exectrace/answer/story/history.h>

/* A call that has returned, or with unfinished never did. What fails is kept in h->err. */
void calls_take(struct history *h, const struct recorded_event *event, bool unfinished);

#endif
