/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An execve that a signal has interrupted. By itself it never returns EINTR, but it waits interruptibly for who
 * receives its notification (seccomp_unotify(2)), and would do so when the signal's handler lacks SA_RESTART.
 */
#ifndef EXECTRACE_TARGET_TRACEE_RESTART_H
#define EXECTRACE_TARGET_TRACEE_RESTART_H

#include <stdbool.h>
#include <sys/types.h>

/* True when a stopped thread was interrupted in an execve, and a handler that it may come to has not begun. */
bool restart_is_due(pid_t tid);

/*
 * When a stopped thread, about to get a signal or to be let go, was interrupted in an execve that could return EINTR,
 * restarts that instead. Else false, and nothing has changed.
 */
bool restart_exec(pid_t tid);

#endif
