/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What directories of /proc list of a process (proc(5)). */
#ifndef EXECTRACE_TARGET_PROCESS_PROCDIR_H
#define EXECTRACE_TARGET_PROCESS_PROCDIR_H

#include <sys/types.h>

/*
 * Calls `see` for each thread of a process (/proc/PID/task) until it returns other than 0. That, 0, or -errno (-ESRCH:
 * the process is gone).
 */
int proc_threads(pid_t pid, int (*see)(void *user, pid_t tid), void *user);

/* Likewise for each descriptor of tid (/proc/TID/fd). */
int proc_fds(pid_t tid, int (*see)(void *user, pid_t tid, int fd), void *user);

#endif
