/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines that `calls` shows, laid out as KFT's `kd -c` does. */
#ifndef EXECTRACE_ANSWER_VIEW_CALL_TRACE_H
#define EXECTRACE_ANSWER_VIEW_CALL_TRACE_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/report/calltrace.h>

#define CALL_TRACE_LONG "etlp"

struct call_trace {
	const char *columns; /* letters: e entry, t duration, l local, p process id, n task, c CPU */
	bool interlace;      /* trees are told apart */
	size_t name;         /* characters of a name at most; 0: all */
	size_t limit;        /* lines; 0: all */
	enum table_format format;
};

/* Whether letters are columns. NULL, or the first one that is none. */
const char *call_trace_bad_column(const char *columns);

/* Replays the recording and shows the calls. 0; -ENOMEM; -errno of a write. */
int call_trace_show(const struct call_trace *trace, struct replay *p, const struct calltrace_options *options,
                    struct page *page);

#endif
