/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waited when the recording of a guest ended. */
#include <exectrace/answer/why/guest/stuck/stuck.h>

#include <exectrace/answer/why/guest/story/place.h>
#include <exectrace/answer/why/guest/stuck/owners.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/*
 * A thread of the kernel waits for work most of the time. It is stuck where it waits for what somebody else has (Linux:
 * kernel/locking, kernel/sched/completion.c), or in a module.
 */
static bool is_of_interest(const struct waits_task *task, const struct task_wait *wait, const char *function)
{
	if (!task->pid || task->ended || wait->preempted)
		return false;
	if (!task->kernel || wait->caller != REPLAY_UNKNOWN)
		return true;
	return place_is_lock(function) || strncmp(function, "__wait_rcu_gp", strlen("__wait_rcu_gp")) == 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct guest_stuck *one = a, *two = b;

	return (one->since > two->since) - (one->since < two->since);
}

int stuck_find(struct guest_story *g, struct task_waits *waits, const struct where *where, const struct holds *holds)
{
	const uint64_t start = replay_start(g->replay);
	int rc = 0;

	for (uint32_t i = 0; i < task_waits_count(waits) && !rc; i++) {
		const struct waits_task *task = task_waits_at(waits, i);
		const struct task_wait *wait = task->n ? &task->waits[task->n - 1] : NULL;

		if (!wait || wait->to != UINT64_MAX || wait->end != WAIT_NOT_ENDED ||
		    !is_of_interest(task, wait, place_name(g->replay, wait->function)))
			continue;
		rc = grow_array((void **)&g->stuck, g->n_stuck, &g->cap_stuck, sizeof(*g->stuck));
		if (rc)
			break;
		g->stuck[g->n_stuck++] = (struct guest_stuck){
			.task = wait->task,
			.pid = task->pid,
			.place = place_of(g->replay, wait),
			.where = where_of(where, task->pid),
			.since = wait->from > start ? wait->from - start : 0,
			.call = "",
			.text = "",
			.what = "",
			.server = "",
			.process = {.pid = task->pid},
		};
		if (place_is_lock(g->stuck[g->n_stuck - 1].place.function))
			g->stuck[g->n_stuck - 1].owner = holds_owner(holds, task->pid);
	}
	if (g->n_stuck)
		qsort(g->stuck, g->n_stuck, sizeof(*g->stuck), longest_first);
	owners_find_deadlocks(g);
	return rc;
}
