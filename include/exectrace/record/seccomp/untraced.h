/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CLONE_UNTRACED (clone(2)): a child that no tracer is to have. It inherits a filter that says SECCOMP_RET_TRACE all
 * the same, and without a tracer its filtered calls fail with ENOSYS (seccomp(2)). So the flag is taken away at the
 * beginning of the call, and what the program sees of it, a register or memory, is put back before it runs on.
 */
#ifndef EXECTRACE_RECORD_SECCOMP_UNTRACED_H
#define EXECTRACE_RECORD_SECCOMP_UNTRACED_H

#include <exectrace/record/calls/call.h>

/* The thread is stopped at the beginning of its call: clears the flag if it has it. */
void untraced_clear(struct thread *thread);

/* Likewise, when only the number of a thread is known. */
void untraced_clear_stopped(pid_t tid);

/* The thread was made by that call of its maker's (NULL: not known). */
void untraced_inherit(struct thread *thread, const struct thread *maker);

/* Puts back what untraced_clear() has changed: in a thread whose call is over, and in one that was made by it. */
void untraced_restore(struct thread *thread);

#endif
