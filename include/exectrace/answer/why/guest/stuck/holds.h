/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the locks of the kernel that tasks of a guest wait for. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STUCK_HOLDS_H
#define EXECTRACE_ANSWER_WHY_GUEST_STUCK_HOLDS_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/replay/replay.h>
#include <exectrace/answer/why/guest/story/story.h>

/* Filled while a replay goes on; all 0 at first. */
struct holds {
	struct idmap by_pid;  /* of who waits: number in the list + 1 */
	struct idmap changed; /* by lock: tick at which one of those who waited for it was woken last */
	struct hold *list;
	size_t n, cap;
};

/* A task is about to wait for what another one has. 0 or -ENOMEM. */
int holds_take(struct holds *holds, const struct replay_stack *waiter, const struct replay_stack *holder, uint64_t lock,
               uint64_t now);

/* A task may go on. 0 or -ENOMEM. */
int holds_woke(struct holds *holds, const struct replay_stack *woken, uint64_t now);

/* Who has the lock for which a task went to sleep last, and was not woken since. */
struct guest_owner holds_owner(const struct holds *holds, uint32_t pid);

void holds_release(struct holds *holds);

#endif
