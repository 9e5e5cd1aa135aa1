/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tracer's end of <exectrace/record/trace/told.h>. */
#ifndef EXECTRACE_SRC_RECORD_CALLS_TOLD_H
#define EXECTRACE_SRC_RECORD_CALLS_TOLD_H

#include "threads.h"
#include <exectrace/target/tracee/wait.h>

struct told {
	int fd;        /* the socket; 0: there is none */
	bool on;       /* execs are told */
	uint64_t last; /* CLOCK_MONOTONIC of the last look, ns */
};

/* Asks to be told from now on. 0 or -errno. From then on told_wait() has to be used instead of wait_any(). */
int told_begin(struct told *told);

/* Takes that back. */
void told_off(struct told *told);

/* Nothing is to be told any more, in either direction. */
void told_end(struct told *told);

/* Tells how a process has ended. It waits for nobody: where that cannot be said now it is lost. */
void told_ended(struct told *told, pid_t pid, int status);

/* What wait_any() does; -EAGAIN when there may be something to hear. */
int told_wait(struct wait_event *ev);

/*
 * Answers what has been told since. Threads that will stop because of it have exec_due set. To be called when
 * told_wait() says so, and at times while there is always a stop to look at (`busy`; then it looks once in a while
 * only). 0; -EPIPE when nobody will tell any more: then `on` is not set either.
 */
int told_hear(struct told *told, struct threads *threads, bool busy);

#endif
