/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The source of calls, as its files share it. */
#ifndef EXECTRACE_SRC_RECORD_STOPS_SOURCE_H
#define EXECTRACE_SRC_RECORD_STOPS_SOURCE_H

#include "idle.h"
#include "polling.h"
#include "tamper.h"
#include <exectrace/record/calls/threads.h>
#include <exectrace/record/inside/inside.h>
#include <exectrace/record/seccomp/seccomp_filter.h>
#include <exectrace/record/stops/stops.h>
#include <exectrace/target/tracee/affinity.h>

struct stops {
	const struct stops_config *config;
	struct call_sink *sink;
	struct threads threads;
	size_t shown;  /* of those, not hidden */
	pid_t refused; /* that could not be attached to; 0: none */
	struct stops_why *why;
	bool attaching; /* to a process that runs already */
	unsigned flags; /* that threads are attached with */
	struct seccomp_filter filter;
	struct affinity affinity;
	struct polling polling;
	uint64_t wall_read; /* CLOCK_MONOTONIC when CLOCK_REALTIME was last read */
	uint64_t wall_less; /* what the former is behind the latter */
	struct idle idle;
	struct delays delays;
	int error;             /* the sink's */
	struct inside *inside; /* calls without stops; NULL: there are none */
	const char *no_inside; /* why there are none */
	struct inside_config recording;
	size_t turns;      /* waits since each thread was looked at */
	unsigned ticks;    /* waits in a row in which nothing was in the rings */
	uint64_t entries;  /* that stopped */
	uint64_t calls;    /* of which the sink was given the entry */
	uint64_t recorded; /* those of them that came out of rings */
};

/* Keeps the first error of the sink. */
void stops_fail(struct stops *s, int err);

/* Gives the sink an event of now, with the memory behind its arguments. */
void stops_emit(struct stops *s, struct call_event *event);

/* Emits an event of another moment (CLOCK_MONOTONIC), with what is in thread->memory. */
void stops_emit_at(struct stops *s, struct call_event *event, uint64_t now);

/* A new thread, made by `maker` (NULL: not known). NULL without memory. */
struct thread *stops_begin(struct stops *s, pid_t tid, pid_t tgid, const struct thread *maker);

/* A thread is gone, or let go of. */
void stops_forget(struct stops *s, struct thread *thread);

/* Its maker is stopped at the event of a new thread, which may have been seen before, and have ended. */
void stops_child(struct stops *s, struct thread *maker);

/* Whether a thread is shown without `follow`: the first of config->pid, and all of the others. */
bool stops_asked_for(const struct stops_config *config, pid_t tid, pid_t tgid);

/* Attaches to the processes; where the first one is parked, waits until it may begin, or *stop. 0 or -errno, with
 * s->refused. */
int stops_attach(struct stops *s, const volatile sig_atomic_t *stop);

#endif
