/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that records into a file of exectrace-data(5), for the analysis commands. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_RECORDER_H
#define EXECTRACE_SRC_RECORD_TRACE_RECORDER_H

#include "writer.h"
#include <exectrace/record/trace/stacks/stacks.h>

/*
 * A new sink; config.paths and stacks must stay. The file begins with the first event: a failure to write even its
 * header is that event's. stacks: whose identifiers the calls have, so that they are defined in the file; NULL without.
 * NULL without memory.
 */
struct call_sink *recorder_sink(const struct writer_config *config, struct trace_stacks *stacks);

#endif
