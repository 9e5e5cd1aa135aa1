/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every program does before its main function: the loader's calls, those of the C library, the locale. */
#ifndef EXECTRACE_ANSWER_CALLS_STARTUP_H
#define EXECTRACE_ANSWER_CALLS_STARTUP_H

#include <exectrace/answer/recording/recording.h>

/* How far a process is; all 0 at first. */
struct startup {
	unsigned char *stages; /* by the number of the process */
	size_t n, cap;
};

/*
 * Whether a call is part of a start: it and all of its process since its last execve (which is none itself) are calls
 * as the loader, the C library and setlocale(3) make them. To be asked for every event, in their order. in_main: main
 * is among the functions that made the call. 1, 0 or -ENOMEM.
 */
int startup_has(struct startup *startup, const struct recorded_event *event, bool in_main);

/* Whether the process of the event is at its start, as far as is known: only then it matters what made the call. */
bool startup_is_open(const struct startup *startup, const struct recorded_event *event);

void startup_release(struct startup *startup);

#endif
