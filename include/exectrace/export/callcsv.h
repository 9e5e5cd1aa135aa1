/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of a guest as comma-separated values (RFC 4180), as `calls --csv` shows them. 0 or -ENOMEM. */
#ifndef EXECTRACE_EXPORT_CALLCSV_H
#define EXECTRACE_EXPORT_CALLCSV_H

#include <exectrace/analyze/calltrace.h>

/* The first row. Times are ns, or ticks of a clock that does not count time. */
int call_csv_titles(struct buf *out, const struct replay *p);

/* The row of a call: a line of kind CALL_LINE_CALL. */
int call_csv_line(struct buf *out, const struct replay *p, const struct call_line *line);

#endif
