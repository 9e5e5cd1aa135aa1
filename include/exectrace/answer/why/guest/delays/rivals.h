/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks of a guest that had the processor while others could have run. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_DELAYS_RIVALS_H
#define EXECTRACE_ANSWER_WHY_GUEST_DELAYS_RIVALS_H

#include <exectrace/answer/why/guest/programs/tell.h>

/* Those that one task kept from the processor become one delay, that of the one that it kept longest. */
void rivals_merge(struct guest_story *g);

/* A system call that may have made a task a real-time one (sched(7)). What fails is kept in t->err. */
void rivals_see(struct tell *t, const struct recorded_event *event);

/* Tells the delays which of those tasks are real-time ones. */
void rivals_tell(struct tell *t);

#endif
