/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the lock that a thread of a guest waits for. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_GUEST_OWNERS_H
#define EXECTRACE_SRC_ANSWER_WHY_GUEST_OWNERS_H

#include "tell.h"

/* A thread waits in futex(2), in the wait that is its last: says for whom, where the memory there tells. */
void owner_tell(struct tell *t, struct guest_stuck *s, const struct thread_history *waiter, const struct wait *wait);

/* Once all owners are known: numbers those that wait for each other, from 1. */
void owners_find_deadlocks(struct guest_story *g);

/* Adds "; second [90] has the lock"; lines about deadlocks; members of an object. Nothing where nothing is known. */
void owner_print(struct buf *out, const struct guest_stuck *s);
void owners_print_deadlocks(struct buf *out, const struct guest_story *g);
void owner_json(struct jsonl *j, const struct guest_stuck *s);

#endif
