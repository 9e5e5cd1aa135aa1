/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin tells exectrace of how a guest went, by a file beside its recording: the worst that has been. */
#ifndef EXECTRACE_FORMAT_GATE_OUTCOME_H
#define EXECTRACE_FORMAT_GATE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the best to the worst. */
enum guest_outcome {
	GUEST_RUNS, /* nothing is told */
	GUEST_POWERED_OFF,
	GUEST_HALTED,
	GUEST_RESET,
	GUEST_HUNG, /* its kernel has said so of a task or a processor */
	GUEST_OOPSED,
	GUEST_PANICKED,
};

/* The content of the file, by outcome: what the guest did; NULL: nothing. */
extern const char *const guest_outcomes[GUEST_PANICKED + 1];

/*
 * Whether a line of its kernel's log says that a task or a processor hangs (Linux 5.10 to 6.12: kernel/hung_task.c,
 * kernel/watchdog.c, kernel/rcu/tree_stall.h). *pid: of the task; 0: what ran where it was logged.
 */
bool guest_says_hung(const char *text, size_t n, uint32_t *pid);

/*
 * True of a line by which it says that it does what it must not, and goes on: no oops follows (kernel/sched/core.c,
 * kernel/workqueue.c, kernel/locking/spinlock_debug.c, mm/page_alloc.c).
 */
bool guest_says_bug(const char *text, size_t n);

#endif
