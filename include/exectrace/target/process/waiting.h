/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread that is not stopped waits. */
#ifndef EXECTRACE_TARGET_PROCESS_WAITING_H
#define EXECTRACE_TARGET_PROCESS_WAITING_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The number of the system call that a thread sleeps or is stopped in, -1 for none (proc_pid_syscall(5)), and where it
 * goes on: behind the call's instruction, if it is in one. 0 or -errno; -EAGAIN: it runs.
 */
int proc_syscall(pid_t tid, long *nr, uint64_t *pc);

/*
 * The stack pointer and the program counter of a thread that waits in the kernel (/proc/TID/syscall,
 * proc_pid_syscall(5)). 0; -EAGAIN: it runs; or -errno.
 */
int proc_waits_at(pid_t tid, uint64_t *sp, uint64_t *pc);

#endif
