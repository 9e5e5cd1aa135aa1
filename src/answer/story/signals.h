/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals that threads got, and where these were then. */
#ifndef EXECTRACE_SRC_ANSWER_STORY_SIGNALS_H
#define EXECTRACE_SRC_ANSWER_STORY_SIGNALS_H

#include <exectrace/answer/story/history.h>

/* A signal was delivered to a thread. Failures are kept in h->err, here and below. */
void signals_take(struct history *h, const struct recorded_event *event);

/* A thread was stopped by a signal. */
void signals_stop(struct history *h, const struct recorded_event *event);

/* A thread has ended, perhaps while it was stopped. */
void signals_exit(struct history *h, const struct recorded_event *event);

/* There are no more events behind that time: some may be stopped still. */
void signals_finish(struct history *h, uint64_t end);

/* The functions of an event's stack, as own_functions has them, for free(). NULL: there are none, or no memory. */
char *signals_stack(struct history *h, const struct recorded_event *event);

#endif
