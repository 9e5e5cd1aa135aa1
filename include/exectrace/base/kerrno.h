/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors that no program gets to see but its tracer does (include/linux/errno.h of the kernel): those of a call that a
 * signal has interrupted, until its thread is back in its program. And what is an error at all.
 */
#ifndef EXECTRACE_BASE_KERRNO_H
#define EXECTRACE_BASE_KERRNO_H

#include <stdbool.h>
#include <stdint.h>

#define ERESTARTSYS 512    /* restarts if there is no handler, or one with SA_RESTART */
#define ERESTARTNOINTR 513 /* restarts */
#define ERESTARTNOHAND 514 /* restarts if there is no handler */
#define ENOIOCTLCMD 515
#define ERESTART_RESTARTBLOCK 516 /* goes on by restart_syscall(2) if there is no handler */

/* True for the result of a call that is -errno (syscall(2), the registers of x86-64). */
static inline bool is_errno(int64_t result)
{
	return result < 0 && result > -4096;
}

/* True for the result (-errno) of a call that may restart. */
static inline bool is_restart(int64_t result)
{
	return result <= -ERESTARTSYS && result >= -ERESTART_RESTARTBLOCK && result != -ENOIOCTLCMD;
}

/* True for a call that failed for its program; error: its result is -errno. One that restarts has not. */
static inline bool is_failure(bool error, int64_t result)
{
	return error && !is_restart(result);
}

#endif
