/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the programs of a guest were when its recording ended. */
#ifndef EXECTRACE_ANSWER_WHY_GUEST_STUCK_WHERE_H
#define EXECTRACE_ANSWER_WHY_GUEST_STUCK_WHERE_H

#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/why/guest/story/story.h>

/* Filled while a replay goes on; all 0 at first. */
struct where {
	struct idmap by_pid; /* number + 1 */
	struct guest_where *list;
	size_t n, cap;
};

/* A call that was still open is told of: those of a stack from the innermost on. 0 or -ENOMEM. */
int where_open(struct where *where, const struct replay *p, const struct replay_stack *stack, uint32_t function);

/* Where the program of a task was; none of its functions when that is not known. */
struct guest_where where_of(const struct where *where, uint32_t pid);

void where_release(struct where *where);

/* Adds ", from read_limit < rotate_log of confd"; a member to an object. Nothing when it is not known. */
void where_print(struct buf *out, const struct guest_where *where);
void where_json(struct jsonl *j, const struct guest_where *where);

#endif
