/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sink in front of another one: takes the stack of each call, and where a signal meets a thread, before that one sees
 * it. */
#ifndef EXECTRACE_RECORD_TRACE_STACKS_WITHSTACKS_H
#define EXECTRACE_RECORD_TRACE_STACKS_WITHSTACKS_H

#include <exectrace/record/trace/stacks/stacks.h>
#include <exectrace/target/syscalls/filter.h>

/*
 * A new sink; `next` and `stacks` are freed with it. Its source has to give it the calls of *calls: those of `filter`
 * (NULL: all) and those that change what is mapped, which `next` does not see. failed: only stacks of calls that fail
 * are wanted, and of signals that end a process as a rule. NULL without memory.
 */
struct call_sink *stacks_sink(struct trace_stacks *stacks, const struct syscall_filter *filter, struct call_sink *next,
                              bool failed, struct syscall_filter *calls);

#endif
