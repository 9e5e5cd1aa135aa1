/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the lock that a thread of a guest waits for. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STUCK_OWNERS_H
#define EXECTRACE_ANSWER_WHY_GUEST_STUCK_OWNERS_H

#include <exectrace/answer/why/guest/programs/tell.h>

/* A thread waits in futex(2), in the wait that is its last: says for whom, where the memory there tells. */
void owner_tell(struct tell *t, struct guest_stuck *s, const struct thread_history *waiter, const struct wait *wait);

/* Numbers those that wait for each other, from 1, as far as owners are known. */
void owners_find_deadlocks(struct guest_story *g);

/*
 * Adds "; second [90] has the lock", with what stands before it; the same of a task by its number, as a line; lines
 * about deadlocks; members of an object. Nothing where nothing is known.
 */
void owner_print(struct buf *out, const struct guest_stuck *s, const char *before);
void owner_print_of(struct buf *out, const struct guest_story *g, uint32_t pid);
void owners_print_deadlocks(struct buf *out, const struct guest_story *g);
void owner_json(struct jsonl *j, const struct guest_stuck *s);

#endif
