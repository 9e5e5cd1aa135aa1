/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * On which processor the tracer runs. A stop is two switches between tracee and tracer; on one processor they cost half
 * of what waking the other's processor does. So while the stops are all of one thread, the tracer runs where that one
 * does; when several threads have stops, it runs anywhere.
 */
#ifndef EXECTRACE_TARGET_TRACEE_AFFINITY_H
#define EXECTRACE_TARGET_TRACEE_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct affinity {
	cpu_set_t allowed; /* where the tracer may run */
	bool known;        /* `allowed` is */
	bool free;         /* it does not follow the tracee now */
	int cpu;           /* the only one that it runs on now; -1: all allowed */
	pid_t companion;   /* has to be where the tracer is; 0: none */
	bool alone;        /* the stops lately were all of one thread, or nearly */
	bool due;          /* the next stop is one to look at */
	pid_t tid;         /* of the stops lately */
	unsigned stops;    /* of that one, since the last look */
	unsigned others;   /* of others, since then */
};

/* Remembers where the caller may run. tid: the first thread; the tracer goes to it at its first stop. */
void affinity_init(struct affinity *affinity, pid_t tid);

/* Thread tid has stopped. Looks at /proc now and then only. */
void affinity_stop(struct affinity *affinity, pid_t tid);

/* How many processors the tracer may run on; 1 when that is not known. */
unsigned affinity_processors(const struct affinity *affinity);

/* Whether the tracer follows the tracee: not while it waits without sleeping, when each needs a processor. */
void affinity_follow(struct affinity *affinity, bool follow);

/* From now on the tracer runs on one processor at any time, and thread tid is bound to the same. 0: no longer. */
void affinity_share(struct affinity *affinity, pid_t tid);

#endif
