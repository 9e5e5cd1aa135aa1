/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built-in tracer: a program of its own, exectrace-trace, that attaches to a process as strace(1) -p does. */
#ifndef EXECTRACE_RECORD_TRACE_TRACE_H
#define EXECTRACE_RECORD_TRACE_TRACE_H

#include <exectrace/record/stops/stops.h>
#include <exectrace/record/trace/options.h>

#define TRACE_PROGRAM "exectrace-trace" /* what it is called: argv[0] makes it that */

/*
 * Attaches to options->pid and shows its calls until it and, unless told otherwise, its children have ended, or SIGINT,
 * SIGTERM or SIGHUP asks to let go. *why gets what did not go as it could have. 0; -errno with one line in err.
 */
int trace_run(const struct trace_options *options, struct stops_why *why, struct buf *err);

#endif
