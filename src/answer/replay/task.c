/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/replay/task.h>

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static bool has_pid(const struct task_select *select, const struct replay_stack *stack)
{
	for (size_t i = 0; i < select->n_pids; i++)
		if (select->pids[i] == stack->pid || select->pids[i] == stack->tgid)
			return true;
	return false;
}

bool task_wanted_now(const struct task_select *select, const struct replay_stack *stack)
{
	char pid[16];

	/* A stack whose task was never told may be anybody's. */
	if (!stack->tasks || (select->n_pids && !has_pid(select, stack)))
		return false;
	if (!select->task)
		return true;
	snprintf(pid, sizeof(pid), "%u", stack->pid);
	return strcmp(pid, select->task) == 0 || fnmatch(select->task, stack->task, 0) == 0;
}

bool task_wanted_there(const struct task_select *select, const struct replay_stack *stack)
{
	return (!select->task && !select->n_pids) || (stack && task_wanted_now(select, stack));
}
