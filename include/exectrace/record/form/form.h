/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the text of a trace looks, by the options of strace(1). */
#ifndef EXECTRACE_RECORD_FORM_FORM_H
#define EXECTRACE_RECORD_FORM_FORM_H

#include <stdbool.h>
#include <stdint.h>

/* The time that stands in front of a line. */
enum trace_clock {
	CLOCK_UNIX, /* seconds since 1970: 1700000000.123456 */
	CLOCK_DAY,  /* of the local time: 12:34:56 */
	CLOCK_NONE,
};

/* Which lines begin with the number of their thread. */
enum trace_pids {
	PIDS_OF_SEVERAL, /* while there are several, in brackets */
	PIDS_ALL,
	PIDS_NONE,
};

/* What times are cut to. */
enum trace_unit { UNIT_US, UNIT_S, UNIT_MS, UNIT_NS };

/* How a call can end, for the set of those that are not shown. */
enum trace_outcome {
	OUTCOME_SUCCESSFUL = 1,
	OUTCOME_FAILED = 2,
	OUTCOME_UNFINISHED = 4, /* its thread was gone before it returned */
	OUTCOME_DETACHED = 8,   /* its thread was let go of before it returned */
};

/* What is said of descriptors. */
enum form_fds {
	FORM_PATHS = 1,
	FORM_SOCKETS = 2, /* their protocol and addresses */
	FORM_DEVICES = 4, /* the numbers of devices */
	FORM_PIDFDS = 8,  /* the process that one refers to */
	FORM_FDS = 15,    /* all of it */
};

/* What is said of numbers of processes. */
enum form_pids {
	FORM_COMMS = 1, /* the names of processes */
	FORM_OURS = 2,  /* those of other namespaces by our numbers */
	FORM_PIDS = 3,  /* all of it */
};

/* What is said of contexts of SELinux. */
enum form_contexts {
	FORM_CONTEXTS = 1,         /* they are shown: their types */
	FORM_CONTEXT_FULL = 2,     /* ... as a whole */
	FORM_CONTEXT_MISMATCH = 4, /* ... and behind it what the policy says that it be, if it is something else */
};

/* A set of descriptors: those that are named are in it, or all but those. */
struct trace_descriptors {
	bool others;
	unsigned n;
	int *named; /* the options' */
};

/* Plain zeroes are the usual form. */
struct trace_form {
	enum trace_clock clock;        /* --absolute-timestamps */
	enum trace_unit clock_unit;    /* of that */
	enum trace_unit relative_unit; /* -r */
	enum trace_unit lasting_unit;  /* -T */
	unsigned hex;            /* -x: 1: of strings that are not text, 2: of all strings the bytes in hexadecimal */
	unsigned names;          /* -X: enum decode_names */
	bool whole;              /* -v: structures and environments are not cut short */
	bool no_ends;            /* -qq: nothing of how processes end */
	bool no_attaching;       /* -q: nothing of processes that are attached to, or let go of */
	bool no_superseded;      /* -qqq: nothing of threads that an execve ends */
	bool strace;             /* --format=strace: of what follows only what was asked for */
	bool follows;            /* -f: pids before lines */
	bool timed;              /* -t, -tt, -ttt, --absolute-timestamps: clock is what was asked for */
	bool relative;           /* -r: the time since the line before */
	bool lasting;            /* -T: how long calls took */
	unsigned fds;            /* -y, -yy: set of enum form_fds; unless `strace` is set the paths are always shown */
	unsigned pids;           /* -Y: set of enum form_pids */
	unsigned contexts;       /* --secontext: set of enum form_contexts */
	enum trace_pids numbers; /* with strace: which lines begin with a pid */
	bool numbered;           /* -n: the numbers of calls */
	bool placed;             /* -i: the instruction that comes next */
	unsigned column;         /* -a: where results begin at the earliest */
	unsigned hidden; /* -z, --failed, -e status=: set of enum trace_outcome, calls with which are not shown */
	uint64_t hidden_signals; /* -e signal=: bit N - 1 is signal N, of which nothing is shown */
	struct trace_descriptors reads,
		writes; /* -e read=, -e write=: all bytes that are read from them, and written */
};

#endif
