/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who called into modules of a guest's kernel. */
#include "watch.h"

#include <errno.h>
#include <string.h>

int trouble_talk(struct watch *w, const struct replay_stack *stack, const struct watched_function *f)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct watched_module *module = &w->modules[f->module - 1];
	const bool called = stack->depth > 1 && !frame->interrupt;
	const struct watched_function *by = called ? watch_function(w, frame[-1].function) : NULL;
	const struct replay_stack *task = stack;
	struct guest_talk talk = {.at = frame->entered > w->start ? frame->entered - w->start : 0,
	                          .count = 1,
	                          .interrupt = frame->in_interrupt,
	                          .caller = ""};

	if (called && !by)
		return -ENOMEM;
	if (by && by->module == f->module)
		return 0;
	if (!stack->pid) { /* a stack of interrupts, or an idle task's */
		task = replay_bottom(stack);
		talk.interrupt |= task != stack;
	}
	talk.task = task->task;
	talk.pid = task->pid;
	talk.function = replay_function(w->replay, frame->function)->name;
	if (called)
		talk.caller = replay_function(w->replay, frame[-1].function)->name;
	if (module->n_talks && module->talks[0].pid == talk.pid && module->talks[0].interrupt == talk.interrupt &&
	    module->talks[0].function == talk.function && module->talks[0].caller == talk.caller) {
		talk.count += module->talks[0].count;
		module->talks[0] = talk;
		return 0;
	}
	module->n_talks += module->n_talks < GUEST_TALKS;
	memmove(&module->talks[1], &module->talks[0], (module->n_talks - 1) * sizeof(talk));
	module->talks[0] = talk;
	return 0;
}
