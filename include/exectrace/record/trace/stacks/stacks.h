/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of traced threads: taken while they are stopped, as addresses; the same one always has the same number.
 * Names come later (stacks_name). Address spaces are followed through threads, forks and execs.
 */
#ifndef EXECTRACE_RECORD_TRACE_STACKS_STACKS_H
#define EXECTRACE_RECORD_TRACE_STACKS_STACKS_H

#include <exectrace/record/calls/call.h>
#include <exectrace/record/common/codemaps.h>
#include <exectrace/target/syscalls/filter.h>

#define STACKS_DEPTH_MAX 10000u /* frames that may be asked for */

struct trace_stacks;

/* How a stack is written. Between two frames is `between`; each text may need quoting. */
struct stack_form {
	const char *begin;
	const char *frame; /* before each frame */
	const char *between;
	const char *end;
	int (*put)(struct buf *out, const char *bytes, size_t n); /* the frame itself. 0 or -ENOMEM */
};

/*
 * depth: frames taken at most. lazy: no calls are followed that change what is mapped; that is read again where a frame
 * is in none of the maps that are known, so that code which took the place of other code is named wrongly (dlclose(3)
 * and dlopen(3) in between). 0 or -ENOMEM.
 */
int stacks_new(unsigned depth, bool lazy, struct trace_stacks **stacks);

/* Texts have the parameters of C++'s functions from now on. */
void stacks_show_parameters(struct trace_stacks *stacks);

/* Frees it. NULL is allowed. */
void stacks_free(struct trace_stacks *stacks);

/*
 * From now on stacks are defined, not printed: define is given whatever their numbers refer to. Frames are as
 * exectrace-data(5) has them.
 */
void stacks_define(struct trace_stacks *stacks, stack_define_fn *define, void *user);

/* What happens to threads: it has begun, has a new program, has ended. stacks_begin: 0 or -ENOMEM. */
int stacks_begin(struct trace_stacks *stacks, const struct thread *thread);
void stacks_exec(struct trace_stacks *stacks, const struct thread *thread);
void stacks_end(struct trace_stacks *stacks, const struct thread *thread);

/* A call of the stopped thread has ended that may have changed what is mapped. */
void stacks_returned(struct trace_stacks *stacks, const struct thread *thread);

/* The calls that stacks_returned is to be told of; other ones do no harm. */
const struct syscall_filter *stacks_calls(const struct trace_stacks *stacks);

/*
 * The stack of a thread: that of `copy`, or, when that is NULL, of the thread, which is stopped. 0 when there is none.
 * Sets thread->stack_end.
 */
uint64_t stacks_take(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy);

/*
 * The stack of a thread whose call has ended: thread->stack, or what takes its place when that was forgotten meanwhile
 * (in a call the stack stays as it is). copy: as in stacks_take, of its entry.
 */
uint64_t stacks_again(struct trace_stacks *stacks, struct thread *thread, const struct stack_copy *copy);

/* The number of the set of maps that a stopped thread has; 0 when that is not known. */
uint64_t stacks_mapset(struct trace_stacks *stacks, struct thread *thread);

/* Looks the names of all places up that have none yet. 0 or -ENOMEM. */
int stacks_name(struct trace_stacks *stacks);

/* Adds a stack whose places have names; nothing when it was forgotten. 0 or -ENOMEM. */
int stacks_print(const struct trace_stacks *stacks, uint64_t stack, const struct stack_form *form, struct buf *out);

/* When they take too much memory, forgets all stacks: numbers given so far cannot be printed any more. */
void stacks_trim(struct trace_stacks *stacks);

#endif
