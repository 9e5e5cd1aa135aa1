/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What functions of Linux mean for a waiter. */
#ifndef EXECTRACE_SRC_ANSWER_WAITS_MEANINGS_H
#define EXECTRACE_SRC_ANSWER_WAITS_MEANINGS_H

#include <exectrace/answer/replay/replay.h>

/* What a function means. */
enum meaning {
	MEANS_KNOWN = 1 << 0,
	MEANS_SCHEDULE = 1 << 1,  /* a task gives its processor away to wait */
	MEANS_SCHEDULER = 1 << 2, /* it is around that, or within */
	MEANS_SWITCH = 1 << 3,    /* another task gets the processor */
	MEANS_KTHREAD = 1 << 4,   /* below it everything is of a thread of the kernel */
	MEANS_PREEMPTED =
		1 << 5,       /* who gives its processor away here itself does not wait; a signal may stop it there */
	MEANS_END = 1 << 6,   /* the task ends */
	MEANS_CALL = 1 << 7,  /* a system call */
	MEANS_TIMER = 1 << 8, /* timers that are due are run */
	MEANS_MODULE = 1 << 9,
	MEANS_IDLE = 1 << 10,
	MEANS_CHILD = 1 << 11, /* a parent waits for a child */
	MEANS_WORK = 1 << 12,  /* a thread of the kernel waits for work */
	MEANS_MEANS = 1 << 13, /* one waits there, for what others say */
};

struct meanings {
	struct replay *replay;
	uint16_t *known; /* by number of a function */
	size_t n;
};

/* What the function of a number means: bits of enum meaning. 0: no memory. */
unsigned meanings_learn(struct meanings *m, uint32_t number);

static inline unsigned meanings_of(struct meanings *m, uint32_t number)
{
	return number < m->n && m->known[number] ? m->known[number] : meanings_learn(m, number);
}

void meanings_release(struct meanings *m);

#endif
