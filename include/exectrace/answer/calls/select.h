/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the recorded calls are wanted. */
#ifndef EXECTRACE_ANSWER_CALLS_SELECT_H
#define EXECTRACE_ANSWER_CALLS_SELECT_H

#include <exectrace/answer/recording/recording.h>
#include <exectrace/target/syscalls/filter.h>

/* What is wanted of a recording that has several kinds of events. */
enum select_event {
	SELECT_ANY,
	SELECT_CALLS,     /* system calls */
	SELECT_SAMPLES,   /* of `profile` */
	SELECT_FUNCTIONS, /* the calls of a guest, which answer/replay/replay.h reads: neither of these */
};

/* All 0: every call. The strings are the caller's. */
struct call_select {
	enum select_event event; /* calls and samples that are another kind are not wanted */
	bool filtered;
	struct syscall_filter filter; /* when filtered */
	const char *path;             /* only calls that name this file; NULL: all */
	bool failed;                  /* only calls that failed */
	const char *errors;           /* only calls that failed with these, as call_select_errors has them; NULL: any */
	uint32_t *pids;               /* only these processes and threads; freed by call_select_release */
	size_t n_pids;
	bool *processes; /* only calls of these, by the processes' numbers; freed by call_select_release; NULL: all */
	size_t n_processes;
	const char *comm; /* only threads whose name matches this glob(7) pattern; NULL: all */
	bool timed;       /* only calls that were in progress in [from, until) */
	uint64_t from, until;
	uint64_t min;           /* only calls that took at least so many ns */
	bool no_startup;        /* not what every program does before main (answer/calls/startup.h), ... */
	bool in_startup;        /* ... of which the event is part: set by who reads (answer/calls/call_stream.h) */
	uint64_t calls, chosen; /* calls that call_selected was asked for, and that fitted */
	bool path_seen;         /* one of them named `path`, whatever else was asked for */
	/* private: the answer for the thread name that was asked for last */
	const char *comm_seen;
	bool comm_matched;
};

/*
 * Whether an event is wanted: a call that fits; another event (a sample, a signal, an end) when no option asks for
 * something that only calls have. Records that only define things are not.
 */
bool call_selected(struct call_select *select, const struct recorded_event *event);

/* Adds the numbers in "12,34". 0; -EINVAL when it is no such list; -ENOMEM. */
int call_select_pids(struct call_select *select, const char *list);

/*
 * "EMFILE,ENFILE": these errors; "!ENOENT,!EAGAIN": all but these. The list is kept, not copied. 0; -EINVAL when a name
 * is none, or both are mixed.
 */
int call_select_errors(struct call_select *select, const char *list);

/* Reads a moment, in seconds, as ns. 0 or -EINVAL. */
int call_select_moment(uint64_t *ns, const char *text);

/*
 * Sets the times from "A,B", "A," or ",B": seconds since the start of the recording, with a fraction. 0, or -EINVAL
 * when it is no such range.
 */
int call_select_time(struct call_select *select, const char *range, uint64_t start);

void call_select_release(struct call_select *select);

/* A duration: "15", "1.5ms", "20us", "3s", "100ns", "5min", "2h"; seconds without a unit. 0 or -EINVAL. */
int duration_parse(const char *text, uint64_t *ns);

#endif
