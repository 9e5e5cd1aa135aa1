/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the guard does when the tracer dies: it inherits its threads. */
#ifndef EXECTRACE_SRC_RECORD_SECCOMP_TAKEOVER_H
#define EXECTRACE_SRC_RECORD_SECCOMP_TAKEOVER_H

#include "install.h"
#include "seize_attempt.h"
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GUARD_SLOTS 65536
#define GUARD_LINKS 4 /* the kernel looks for what else is to run between two of them (exit_robust_list) */

enum guard_ready { GUARD_STARTING, GUARD_READY, GUARD_FAILED };

/* A thread of the tracer's. */
struct guard_slot {
	pid_t tid; /* 0: free; written last */
	pid_t tgid;
	bool forking; /* about to make a process or a thread */
};

struct guard_link {
	struct robust_list list; /* first */
	uint32_t word;
};

/* Memory that tracer and guard share: written by the tracer, and by the guard when that is dead. */
struct guard_page {
	struct guard_link links[GUARD_LINKS];
	struct robust_list_head head; /* the tracer's */
	pid_t tracer;
	uint32_t ready;         /* of enum guard_ready: the guard is */
	pid_t watcher;          /* thread of the guard that must run where the tracer does */
	int done;               /* the guard is to end */
	struct install install; /* of the filter, in a thread that has a slot */
	int used;               /* slots from this one on are free */
	struct guard_slot slots[GUARD_SLOTS];
};

/* What the takeover knows of a thread. */
struct takeover_thread {
	cpu_set_t allowed; /* where it may run, when bound */
	bool bound;        /* to the processor of the takeover */
	bool settled;      /* attached to, or nobody could */
};

struct guard_takeover {
	struct guard_page *page;
	struct takeover_thread *threads; /* GUARD_SLOTS, by slot */
	cpu_set_t allowed;               /* where the takeover may run */
	int cpu;                         /* the processor that the watcher keeps busy */
	int own;                         /* the one that the takeover itself is on, meanwhile */
	struct seize_attempt attempt;
};

/* Gets ready, so that it can be quick. 0 or -errno; -EPERM: it may not have a real-time priority, or one processor. */
int takeover_prepare(struct guard_takeover *takeover, struct guard_page *page);

/*
 * The tracer is about to end; a thread with a real-time priority keeps processor `cpu`, the only one where the tracer
 * may run, busy. Attaches to all threads of the tracer. When it returns, the processor need not be busy any more.
 */
void takeover_take(struct guard_takeover *takeover, int cpu);

/* Gives the threads back what they had, and lets them run through their stops until the last one has ended. */
void takeover_run(struct guard_takeover *takeover);

#endif
