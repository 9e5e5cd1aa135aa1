/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `-e NAME=VALUE` as strace(1) has it, beside the lists of calls that --filter takes. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_QUALIFIER_H
#define EXECTRACE_SRC_RECORD_TRACE_QUALIFIER_H

#include <exectrace/record/trace/options.h>

/* True when text is such a one, and not a list of calls. */
bool qualifier_is(const char *text);

/* Does what it says. 0; -EINVAL with one line in err; -ENOMEM. */
int qualifier_apply(struct trace_options *options, const char *text, struct buf *err);

#endif
