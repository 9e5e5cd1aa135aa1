/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that move bytes, or change a file, as streams (answer/story/state/streams.h). */
#ifndef EXECTRACE_SRC_ANSWER_STORY_MOVES_H
#define EXECTRACE_SRC_ANSWER_STORY_MOVES_H

#include "taken.h"

/* Any call: those that belong to a stream are added. */
void moves_take(const struct taken *c);

/* The call opened a file. */
void moves_opened(const struct taken *c);

/* The call renamed the file that it is about. */
void moves_renamed(const struct taken *c, const char *to);

/* A process has ended, or executes another program: what grew is kept in the history. */
void moves_end(struct history *h, struct process_history *p);

/* Likewise at the end of the recording, also of what processes of one program did. */
void moves_finish(struct history *h);

#endif
