/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who waited when the recording of a guest ended. */
#include "delays.h"
#include "place.h"
#include "text.h"

#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 6u /* at most */

/*
 * A thread of the kernel waits for work most of the time. It is stuck where it waits for what somebody else has (Linux:
 * kernel/locking, kernel/sched/completion.c), or in a module.
 */
static bool is_of_interest(const struct waits_task *task, const struct task_wait *wait, const char *function)
{
	static const char *const locks[] = {"__mutex_lock", "rwsem_down_", "__down", "__wait_for_common",
	                                    "__wait_rcu_gp"};

	if (!task->pid || task->ended || wait->preempted)
		return false;
	if (!task->kernel || wait->caller != REPLAY_UNKNOWN)
		return true;
	for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++)
		if (strncmp(function, locks[i], strlen(locks[i])) == 0)
			return true;
	return false;
}

static int longest_first(const void *a, const void *b)
{
	const struct guest_stuck *one = a, *two = b;

	return (one->since > two->since) - (one->since < two->since);
}

int stuck_find(struct guest_story *g, struct task_waits *waits)
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
			.since = wait->from > start ? wait->from - start : 0,
		};
	}
	if (g->n_stuck)
		qsort(g->stuck, g->n_stuck, sizeof(*g->stuck), longest_first);
	return rc;
}

/* A guest that ended otherwise did not end because of who waited, but where its kernel panicked for that. */
static bool is_wanted(const struct guest_story *g)
{
	for (size_t i = 0; i < g->n_troubles; i++)
		if (g->troubles[i].kind >= GUEST_OOPS && strcmp(g->troubles[i].task, "khungtaskd") != 0)
			return false;
	return !g->off;
}

void stuck_print(struct buf *out, const struct guest_story *g)
{
	if (!g->n_stuck || !is_wanted(g))
		return;
	buf_puts(out, "  who waited when the recording ended, and since when:\n");
	for (size_t i = 0; i < g->n_stuck && i < SHOWN; i++) {
		const struct guest_stuck *s = &g->stuck[i];

		text_padded(out, g, s->since);
		buf_puts(out, "  ");
		text_task(out, s->task, s->pid);
		buf_puts(out, " in ");
		place_print(out, &s->place);
		place_print_caller(out, &s->place);
		buf_putc(out, '\n');
	}
	if (g->n_stuck > SHOWN)
		buf_printf(out, "            and %zu more\n", g->n_stuck - SHOWN);
}

void stuck_json(struct jsonl *j, const struct guest_story *g)
{
	struct buf all = BUF_INIT, text = BUF_INIT;
	struct jsonl one = {.out = &text};

	for (size_t i = 0; i < g->n_stuck; i++) {
		const struct guest_stuck *s = &g->stuck[i];

		jsonl_begin(&one);
		jsonl_string(&one, "task", s->task);
		jsonl_unsigned(&one, "pid", s->pid);
		jsonl_unsigned(&one, "since", s->since);
		place_json(&one, &s->place);
		jsonl_end(&one);
		jsonl_object(&all, &one);
	}
	jsonl_objects(j, "waiting", &all);
	buf_release(&text);
}
