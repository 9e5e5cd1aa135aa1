/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waited when the recording of a guest ended, and what for. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STUCK_STUCK_H
#define EXECTRACE_ANSWER_WHY_GUEST_STUCK_STUCK_H

#include <exectrace/answer/waits/task_waits.h>
#include <exectrace/answer/why/guest/programs/tell.h>
#include <exectrace/answer/why/guest/stuck/holds.h>
#include <exectrace/answer/why/guest/stuck/where.h>

/* Fills story->stuck with what a replay has told. 0 or -ENOMEM. */
int stuck_find(struct guest_story *story, struct task_waits *waits, const struct where *where,
               const struct holds *holds);

/* Adds to them what their system calls tell. What fails is kept in t->err. */
void stuck_tell(struct tell *t);

/* Adds them to the page, and to an object; nothing when there are none. Failures stay in out->err. */
void stuck_print(struct buf *out, const struct guest_story *g);
void stuck_json(struct jsonl *j, const struct guest_story *g);

#endif
