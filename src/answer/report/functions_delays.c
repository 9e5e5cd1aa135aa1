/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows waited, and what they delayed. */
#include "functions.h"

#include <errno.h>
#include <exectrace/base/grow.h>

/* How long the chain has been at the task of a stack. */
static uint64_t on_chain(const struct report_functions *f, struct fstack *fs, const struct replay_stack *stack)
{
	return chain_window_at(&f->chain, &fs->window, stack->pid, stack->number, replay_now(f->replay, stack->cpu));
}

int functions_delay_begins(struct report_functions *f, struct fstack *fs, const struct replay_stack *stack)
{
	if (stack->depth > fs->n_delays &&
	    widen_array((void **)&fs->delays, &fs->n_delays, stack->depth, sizeof(*fs->delays)))
		return -ENOMEM;
	fs->delays[stack->depth - 1] = on_chain(f, fs, stack);
	return 0;
}

void functions_add_waits(struct report_functions *f, uint32_t row, const struct replay_stack *stack,
                         const struct replay_call *call)
{
	struct tally_waits *waits = &f->waits[row];
	struct fstack *fs = stack->user;

	waits->elapsed += call->elapsed;
	waits->waited += call->waited;
	/* What waits there is who called the scheduler. */
	if (f->chain.n && !task_waits_is_scheduler(f->tasks_waited, call->frame->function) &&
	    stack->depth < fs->n_delays)
		waits->delay += on_chain(f, fs, stack) - fs->delays[stack->depth];
}

/* What was waited for is looked for in all that was recorded. */
int functions_find_chain(struct report_functions *f)
{
	int rc;

	wait_chain_release(&f->chain);
	task_waits_free(f->tasks_waited);
	f->tasks_waited = NULL;
	rc = wait_chain_read(&f->chain, &f->tasks_waited, f->replay);
	f->delays |= !rc && f->chain.n;
	return rc;
}

bool functions_has_delays(const struct report_functions *f)
{
	return f->delays;
}
