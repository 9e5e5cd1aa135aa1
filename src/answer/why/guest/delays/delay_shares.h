/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the time of each delay is shared out: among functions, callers, tasks. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_DELAY_SHARES_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_DELAYS_DELAY_SHARES_H

#include <exectrace/answer/recording/idmap.h>

/* All 0 at first. */
struct delay_shares {
	struct delay_share {
		uint64_t id, sub; /* whose, of what */
		uint64_t time;    /* ticks */
	} * list;
	size_t n, cap;
	struct idmap by_id; /* number + 1 */
};

/* Adds time, more than none, to a share, which is made when it is new. All of it now; 0: no memory. */
uint64_t delay_shares_add(struct delay_shares *s, uint64_t id, uint64_t sub, uint64_t time);

/* The time of a share; 0: there is none. */
uint64_t delay_shares_of(const struct delay_shares *s, uint64_t id, uint64_t sub);

void delay_shares_release(struct delay_shares *s);

#endif
