/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in front of the lines of a trace: whose call it is, and when. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_PREFIXES_H
#define EXECTRACE_SRC_RECORD_TRACE_PREFIXES_H

#include <exectrace/base/buf.h>
#include <exectrace/record/trace/form.h>
#include <stdint.h>
#include <sys/types.h>

/* What begins all lines of a thread within a second. */
struct prefix_head {
	pid_t pid; /* 0: none */
	uint64_t second;
	char text[48]; /* to its end */
	const char *begin;
	size_t n;
};

/* Begins as zeroes. */
struct prefixes {
	struct prefix_head head;
	uint64_t before; /* the time of the last line; 0: there was none */
	pid_t first;     /* --format=strace: whose lines came first, and whether others had any */
	bool several;
};

/* Appends what begins a line of thread pid, at CLOCK_REALTIME wall (ns), as form has it. 0 or -ENOMEM. */
int prefixes_put(struct prefixes *p, const struct trace_form *form, pid_t pid, uint64_t wall, struct buf *out);

/* Writes ns as "SECONDS.MICROS", without a NUL, so that it ends at end; 28 bytes at most. Returns where it begins. */
char *prefixes_seconds(char *end, uint64_t ns);

#endif
