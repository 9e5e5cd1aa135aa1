/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `-e NAME=VALUE` as strace(1) has it, beside the lists of calls that --filter takes. */
#ifndef EXECTRACE_SRC_RECORD_TRACE_QUALIFIER_H
#define EXECTRACE_SRC_RECORD_TRACE_QUALIFIER_H

#include <exectrace/record/trace/options.h>

/* True when text is such a one, and not a list of calls. */
bool qualifier_is(const char *text);

/* Does what it says. 0; -EINVAL with one line in err; -ENOMEM. */
int qualifier_apply(struct trace_options *options, const char *text, struct buf *err);

/* Sets *to to what a list of calls says; with a ! in front, and nowhere else, that is all others than those in it. As
 * syscall_filter_parse. */
int qualifier_calls(struct syscall_filter *to, const char *value, struct buf *err);
/* What is said of descriptors and of numbers of processes: a list of words, as the value of --decode-fds and
 * --decode-pids. The same. */
int qualifier_fds(struct trace_options *options, const char *value, struct buf *err);
int qualifier_pids(struct trace_options *options, const char *value, struct buf *err);
/* Likewise of contexts of SELinux: --secontext. */
int qualifier_contexts(struct trace_options *options, const char *value, struct buf *err);

#endif
