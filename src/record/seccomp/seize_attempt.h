/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To attach to a thread within a bounded time. PTRACE_SEIZE waits while another thread of the process, or the thread
 * itself, executes a program (cred_guard_mutex, ptrace_attach in kernel/ptrace.c). A signal ends that wait only to
 * restart it; so the attempt is left by a jump out of the handler of a timer's signal.
 */
#ifndef EXECTRACE_SRC_RECORD_SECCOMP_SEIZE_ATTEMPT_H
#define EXECTRACE_SRC_RECORD_SECCOMP_SEIZE_ATTEMPT_H

#include <setjmp.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct seize_attempt {
	timer_t timer; /* of the calling thread */
	sigjmp_buf out;
	volatile int armed;
};

/* For the calling thread, which then has SIGALRM unblocked; the struct stays where it is. 0 or -errno. */
int seize_attempt_prepare(struct seize_attempt *attempt);

/*
 * As tracee_seize(), for `ns` nanoseconds at most: -ETIMEDOUT. At the very last moment it may have attached all the
 * same; proc_status() tells.
 */
int seize_attempt_seize(struct seize_attempt *attempt, pid_t tid, unsigned flags, uint64_t ns);

#endif
