/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks and CPUs: what ran, not what was called. */
#include "functions.h"

#include <errno.h>

static uint32_t row_of(struct report_functions *f, struct replay_stack *stack, uint32_t cpu, int *rc)
{
	struct fstack *fs = functions_stack(f, stack);

	*rc = fs ? 0 : -ENOMEM;
	if (!fs)
		return 0;
	if (f->options.by == FUNCTIONS_BY_CPU)
		return functions_cpu_row(f, cpu, rc);
	if (!fs->row)
		fs->row = f->options.by == FUNCTIONS_BY_PROCESS ? functions_process_row(f, stack, rc)
		                                                : functions_task_row(f, stack, rc);
	return fs->row;
}

/* A call is over, of which the sink was told or not. */
static int add_call(struct report_functions *f, struct replay_stack *stack, const struct replay_call *call, bool told)
{
	int rc;
	uint32_t row = row_of(f, stack, stack->cpu, &rc);
	bool only = f->options.irq == FUNCTIONS_IRQ_ONLY;

	if (rc || !task_wanted(&f->tasks_wanted, &((struct fstack *)stack->user)->match, stack))
		return rc;
	if (told && !call->outside && (!only || call->frame->in_interrupt)) {
		f->calls++;
		f->rows[row].count++;
		f->rows[row].endless += !call->seen;
	}
	if (!call->frame->interrupt)
		return 0;
	if (only) {
		f->rows[row].time += call->total;
	} else if (f->options.irq == FUNCTIONS_IRQ_NO || f->options.by != FUNCTIONS_BY_CPU) {
		f->rows[row].time -= call->total;
		functions_count_interrupt(f, true, call->total);
	}
	return 0;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return add_call(ctx, stack, call, true);
}

/* It is no call of a list, but its time is not the task's. */
static int on_bare(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	return add_call(ctx, stack, call, false);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct report_functions *f = ctx;
	int rc;
	uint32_t row = row_of(f, stack, cpu, &rc);

	if (!rc && f->options.irq != FUNCTIONS_IRQ_ONLY &&
	    task_wanted(&f->tasks_wanted, &((struct fstack *)stack->user)->match, stack))
		f->rows[row].time += ticks;
	return rc;
}

static int on_task(void *ctx, struct replay_stack *stack)
{
	struct fstack *fs = stack->user;

	(void)ctx;
	if (fs)
		fs->row = 0;
	return 0;
}

struct replay_sink functions_task_sink(struct report_functions *f)
{
	return (struct replay_sink){.ctx = f,
	                            .leave = on_leave,
	                            .ran = on_ran,
	                            .task = on_task,
	                            .asked_only = true,
	                            .bare = on_bare};
}

/* --- What tasks waited -------------------------------------------------------------------------------------------- */

/* The row of a task under the name that it had; NULL: none. */
static struct functions_row *row_at(struct report_functions *f, const struct waits_task *task, const char *name)
{
	bool process = f->options.by == FUNCTIONS_BY_PROCESS;
	uint64_t sub = process ? 1 : (uintptr_t)name;
	uintptr_t row = (uintptr_t)idmap_get(&f->tasks, process ? task->tgid : task->pid, sub);

	return row ? &f->rows[row] : NULL;
}

void functions_task_waits(struct report_functions *f)
{
	uint64_t end = replay_start(f->replay) + replay_length(f->replay);
	struct functions_row *row;

	if (!f->tasks_waited || f->options.by == FUNCTIONS_BY_CPU)
		return;
	for (size_t i = 0; i < f->chain.n; i++) {
		const struct chain_link *link = &f->chain.links[i];

		row = row_at(f, task_waits_at(f->tasks_waited, link->task), wait_chain_name(&f->chain, link));
		if (row)
			row->delay += link->to - link->from;
	}
	for (uint32_t i = 0; i < task_waits_count(f->tasks_waited); i++) {
		const struct waits_task *task = task_waits_at(f->tasks_waited, i);

		for (size_t k = 0; k < task->n; k++) {
			row = row_at(f, task, task->waits[k].task);
			if (row)
				row->waited +=
					(task->waits[k].to < end ? task->waits[k].to : end) - task->waits[k].from;
		}
	}
}
