/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the table of options, and the words of those that are a choice. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_OPTION_TABLE_H
#define EXECTRACE_SRC_RECORD_TRACE_OPTION_TABLE_H

#include <exectrace/record/trace/options.h>

/* What a row of the table is. */
enum trace_option {
	OPT_PID,
	OPT_EXECS,
	OPT_DIRECTORY,
	OPT_ENDS,
	OPT_PARKED,
	OPT_VERBOSE,
	OPT_BELOW,
	OPT_FILTER,
	OPT_PATH,
	OPT_FAILED,
	OPT_FOR,
	OPT_NO_FOLLOW,
	OPT_UNTIL_EXEC,
	OPT_INJECT,
	OPT_FAULT,
	OPT_SOURCE,
	OPT_SUMMARY,
	OPT_SUMMARY_ONLY,
	OPT_SUMMARY_TOO,
	OPT_SORT,
	OPT_TABLE,
	OPT_WALL,
	OPT_OVERHEAD,
	OPT_STACK,
	OPT_STRING,
	OPT_FORMAT,
	OPT_OUTPUT,
	OPT_CLOCK,
	OPT_RELATIVE,
	OPT_HEX,
	OPT_WHOLE,
	OPT_QUIET,
	OPT_SUCCEEDED,
	OPT_FOLLOW,
	OPT_TIMES,
	OPT_NAMED,
	OPT_PIDS,
	OPT_PIDNS,
	OPT_CONTEXTS,
	OPT_COLUMNS,
	OPT_NAMES, /* done without it, too */
	OPT_QUALIFIER,
	OPT_NUMBERED,
	OPT_PLACED,
	OPT_IGNORED,
	OPT_SEPARATELY,
	OPT_APPEND,
	OPT_ENV,
	OPT_USER,
	OPT_BEHIND,
	OPT_VERSION,
	OPT_HELP,
};

extern const char *const trace_sources[], *const trace_formats[], *const trace_hex[];

/* Which of the names of a choice it is. */
unsigned trace_choice(const char *const *names, const char *name);

#endif
