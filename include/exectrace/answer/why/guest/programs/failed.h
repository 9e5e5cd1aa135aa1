/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of a guest that failed, and what was behind that. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_PROGRAMS_FAILED_H
#define EXECTRACE_ANSWER_WHY_GUEST_PROGRAMS_FAILED_H

#include <exectrace/answer/why/guest/programs/tell.h>

/* The child whose status a process ended with, right behind it; NULL: none, or no memory (t->err). */
const struct recorded_process *failed_child(struct tell *t, const struct recorded_process *p);

/* What is known of a process that has ended. What fails is kept in t->err. */
void failed_fill(struct tell *t, struct guest_failed *f, const struct recorded_process *p);

/* Adds lines about one. result: the process whose end it is the reason for; NULL: none. */
void failed_print_one(struct buf *out, const struct guest_story *g, const struct guest_failed *f,
                      const struct guest_failed *result);

/* Adds ", sent by janitor [85]", or what else a signal that ended it has to do with others. */
void failed_print_reason(struct buf *out, const struct guest_failed *f);

/* Adds an object to a list. */
void failed_json_one(struct buf *all, const struct guest_failed *f);

#endif
