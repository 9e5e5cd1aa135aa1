/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built-in tracer: a program of its own, exectrace-trace, that attaches to a process as strace(1) -p does. */
#ifndef EXECTRACE_RECORD_TRACE_TRACE_H
#define EXECTRACE_RECORD_TRACE_TRACE_H

#include <exectrace/record/trace/options.h>

#define TRACE_PROGRAM "exectrace-trace" /* what it is called: argv[0] makes it that */

/*
 * Attaches to options->pid and shows its calls until it and, unless told otherwise, its children have ended, or SIGINT,
 * SIGTERM or SIGHUP asks to let go. *why_all gets the reason if every call had to stop the process although there is a
 * filter, and stays as it is otherwise. 0; -errno with one line in err.
 */
int trace_run(const struct trace_options *options, const char **why_all, struct buf *err);

#endif
