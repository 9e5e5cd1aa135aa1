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

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct report_functions *f = ctx;
	int rc;
	uint32_t row = row_of(f, stack, stack->cpu, &rc);
	bool only = f->options.irq == FUNCTIONS_IRQ_ONLY;

	if (rc || !task_wanted(&f->tasks_wanted, &((struct fstack *)stack->user)->match, stack))
		return rc;
	if (!call->outside && (!only || call->frame->in_interrupt)) {
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
		functions_count_interrupt(f, call->total);
	}
	return 0;
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
	return (struct replay_sink){.ctx = f, .leave = on_leave, .ran = on_ran, .task = on_task};
}
