/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink that counts calls and adds their times up, for a table at the end. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_SUMMARY_H
#define EXECTRACE_SRC_RECORD_TRACE_SUMMARY_H

#include <exectrace/record/calls/call.h>

/* A new sink that writes its table to fd at the end. failed: only calls that fail. NULL without memory. */
struct call_sink *summary_sink(int fd, bool failed);

#endif
