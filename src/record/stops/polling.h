/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for the next stop without sleeping. A tracer that sleeps has to be woken at every stop; when its processor
 * has nothing else to do that takes tens of microseconds, most of all in a virtual machine (a halted processor is the
 * host's), and looking again and again takes one or two. It is worth it only while stops follow each other closely,
 * nobody else wants the processor, and a stop takes less time with it: it is the tracee that sleeps then, and has to be
 * woken on another processor, while a tracer that sleeps can share one with it (affinity.h). So both are tried for some
 * stops and compared; when looking was no good it is tried again later, and each time later than before, and while it
 * is good it is found out now and then what a stop takes without.
 */
#ifndef EXECTRACE_SRC_RECORD_STOPS_POLLING_H
#define EXECTRACE_SRC_RECORD_STOPS_POLLING_H

#include <exectrace/target/tracee/wait.h>
#include <stdbool.h>
#include <stdint.h>

struct polling {
	bool on;         /* waits begin with looking */
	unsigned waits;  /* in the row of waits under way: those with looking, or those without */
	unsigned found;  /* of these, ended while looking */
	unsigned length; /* of the row; at its end it is judged. 0: never, there is one processor only */
	unsigned pause;  /* how long the next row without looking will be */
	unsigned row;    /* how long the next row with looking will be, when a trial has gone well */
	uint64_t wall;   /* CLOCK_MONOTONIC at the begin of the row, ns */
	uint64_t worked; /* CPU time of the thread then, ns */
	uint64_t last;   /* CLOCK_MONOTONIC at the end of the last wait, ns */
	uint64_t
		took; /* in the row, from the end of each wait to that of the next, ns; of a long time its begin only */
	uint64_t stops;  /* in the row */
	uint64_t asleep; /* what a stop took in the last row without looking, ns */
};

/*
 * Begins with a short row without looking, then tries it, if the caller may run on two processors or more. wall,
 * worked: the clocks now.
 */
void polling_init(struct polling *spin, unsigned processors, uint64_t wall, uint64_t worked);

/* Takes note of one more wait, and whether looking ended it. True: the row ends, polling_judge() is to be called. */
bool polling_waited(struct polling *spin, bool found, uint64_t wall);

/* Takes note of how many stops there were after the last wait: more than one where several threads had them. */
void polling_stops(struct polling *spin, size_t n);

/* The end of a row of waits: says whether the next one looks. */
void polling_judge(struct polling *spin, uint64_t wall, uint64_t worked);

/* What wait_any(), or what is to be called instead of it, does, with looking first while that pays. */
int polling_wait(struct polling *spin, int (*sleep)(struct wait_event *), struct wait_event *ev);

#endif
