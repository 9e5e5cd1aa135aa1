/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether /proc shows the processes that we mean: without it nothing can be looked at. */
#ifndef EXECTRACE_TARGET_PROCESS_PROCSELF_H
#define EXECTRACE_TARGET_PROCESS_PROCSELF_H

#include <exectrace/base/buf.h>
#include <sys/types.h>

/*
 * 0 when /proc belongs to the pid namespace of this process: then /proc/self is its pid (pid_namespaces(7), "/proc and
 * PID namespaces"). -ENOENT, -ESRCH or -EXDEV, with one clause in `why` on what is to be done.
 */
int proc_is_ours(struct buf *why);

/*
 * Mounts our own /proc, where only this process and what it forks from now on see it: it is in a mount namespace of its
 * own behind that. 0 or -errno: it may not.
 */
int proc_make_ours(void);

/* The state of a process as in /proc/PID/stat (proc_pid_stat(5)): 'T' is stopped; 0 when it is gone. */
char proc_state(pid_t pid);

#endif
