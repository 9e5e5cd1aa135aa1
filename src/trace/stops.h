/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source of calls that exists today: ptrace stops at entry and exit of system calls (PTRACE_SYSCALL), one
 * PTRACE_GET_SYSCALL_INFO each.
 */
#ifndef EXECTRACE_SRC_TRACE_STOPS_H
#define EXECTRACE_SRC_TRACE_STOPS_H

#include "call.h"
#include <exectrace/syscalls/filter.h>
#include <signal.h>

struct stops_config {
	pid_t pid;                           /* the process to attach to; it has one thread */
	bool follow;                         /* its children too */
	const struct syscall_filter *filter; /* calls that sinks want to see; NULL: all */
};

/*
 * Attaches, and gives the sink what happens until the last thread has ended, the sink fails, or one of the signals that
 * the caller made *stop tell of has come: then it lets go of all. 0 or -errno: of the attaching (-EPERM: traced
 * already, or not allowed), or the sink's.
 */
int stops_run(const struct stops_config *config, struct call_sink *sink, const volatile sig_atomic_t *stop);

#endif
