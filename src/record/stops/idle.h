/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sink holds back is shown when nothing happens for a while: a timer's signal (SIGALRM) ends the wait. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_IDLE_H
#define EXECTRACE_SRC_RECORD_STOPS_IDLE_H

#include <exectrace/record/calls/call.h>

/* Begins as zeroes. */
struct idle {
	bool armed;     /* a timer will end the wait */
	uint64_t shown; /* when idle_is_due() last said so; clock_now() */
};

/* To be called before each wait. due: clock_now() when something else is to end it; 0: nothing. */
void idle_arm(struct idle *idle, const struct call_sink *sink, uint64_t due);

/* For a wait that has other uses for the timer: whether what is held back is to be shown by now, whatever happens. */
bool idle_is_due(struct idle *idle, const struct call_sink *sink);

/* A signal has ended the wait, or it is due. 0 or the sink's -errno. */
int idle_over(struct idle *idle, struct call_sink *sink);

#endif
