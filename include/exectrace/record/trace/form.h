/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the text of a trace looks, by the letters of strace(1). */
#ifndef EXECTRACE_RECORD_TRACE_FORM_H
#define EXECTRACE_RECORD_TRACE_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* What stands in front of a line. */
enum trace_clock {
	CLOCK_UNIX,       /* -ttt, as without: 1700000000.123456 */
	CLOCK_DAY,        /* -t: 12:34:56, of the local time */
	CLOCK_DAY_MICROS, /* -tt: 12:34:56.123456 */
	CLOCK_RELATIVE,   /* -r: seconds since the line before */
};

/* How a call can end, for the set of those that are not shown. */
enum trace_outcome {
	OUTCOME_SUCCESSFUL = 1,
	OUTCOME_FAILED = 2,
	OUTCOME_UNFINISHED = 4, /* its thread was gone before it returned */
};

/* Plain zeroes are the usual form. */
struct trace_form {
	enum trace_clock clock;
	unsigned hex;    /* -x: 1: of strings that are not text, 2: of all strings the bytes in hexadecimal */
	unsigned names;  /* -X: enum decode_names */
	bool whole;      /* -v: structures and environments are not cut short */
	bool no_ends;    /* -qq: nothing of how processes end */
	bool strace;     /* --format=strace: of what follows only what was asked for */
	bool follows;    /* -f: pids before lines */
	bool timed;      /* -t, -tt, -ttt, -r: times before lines, as clock says */
	bool lasting;    /* -T: how long calls took */
	bool named;      /* -y: the paths of descriptors */
	bool to_file;    /* -o: the pid is before each line */
	unsigned column; /* -a: where results begin at the earliest */
	unsigned hidden; /* -z, --failed, -e status=: set of enum trace_outcome, calls with which are not shown */
	uint64_t hidden_signals; /* -e signal=: bit N - 1 is signal N, of which nothing is shown */
};

#endif
