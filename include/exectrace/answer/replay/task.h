/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tasks of a guest are wanted. */
#ifndef EXECTRACE_ANSWER_REPLAY_TASK_H
#define EXECTRACE_ANSWER_REPLAY_TASK_H

#include <exectrace/answer/replay/replay.h>

struct task_select {
	const char *task; /* a glob(7) pattern for the name, or a process id; NULL: any */
	const uint32_t *pids;
	size_t n_pids; /* 0: any */
};

/* The answer for a stack, which changes with its task. */
struct task_match {
	uint32_t tasks; /* as in replay_stack, plus 1; 0: not asked yet */
	bool wanted;
};

/* Asks again. */
bool task_wanted_now(const struct task_select *select, const struct replay_stack *stack);

/* Whether what happened on a stack, which may not be known (NULL), is wanted; for what happens seldom. */
bool task_wanted_there(const struct task_select *select, const struct replay_stack *stack);

/* Whether the task of a stack is wanted. */
static inline bool task_wanted(const struct task_select *select, struct task_match *match,
                               const struct replay_stack *stack)
{
	if (!select->task && !select->n_pids)
		return true;
	if (match->tasks != stack->tasks + 1) {
		match->tasks = stack->tasks + 1;
		match->wanted = task_wanted_now(select, stack);
	}
	return match->wanted;
}

#endif
