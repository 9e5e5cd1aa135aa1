/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that say how the text of a trace looks. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_FORM_OPTIONS_H
#define EXECTRACE_SRC_RECORD_TRACE_FORM_OPTIONS_H

#include <exectrace/record/trace/options.h>

/* Takes one; others change nothing. 0; -EINVAL with a line in err; -ENOMEM. */
int form_option(struct trace_options *options, const struct option_use *use, struct buf *err);

#endif
