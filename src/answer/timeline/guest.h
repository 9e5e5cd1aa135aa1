/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept of a guest's functions and stacks while its timeline is made. */
#ifndef EXECTRACE_SRC_ANSWER_TIMELINE_GUEST_H
#define EXECTRACE_SRC_ANSWER_TIMELINE_GUEST_H

#include "phases.h"
#include "programs.h"
#include <exectrace/answer/replay/task.h>

/* What is known of a function. */
struct known {
	bool learned;
	bool kernel;
	enum role role;
	uint32_t item; /* its first call; 0: none */
	uint64_t count;
	uint64_t initcalls; /* calls as an initcall, or around one */
};

/* What is known of a stack. */
struct timeline_guest_gstack {
	struct task_match match;
	struct timeline_process *process; /* as the task that it was when ... */
	uint32_t tasks;                   /* ... this was its count of tasks, plus 1; 0: not known */
	uint32_t module;                  /* item of one that is being loaded; 0: none ... */
	uint32_t module_depth;            /* ... by the call below which there are so many */
};

struct adding {
	struct timeline *t;
	struct replay *replay;
	struct task_select tasks_wanted;
	enum functions_irq irq;
	struct known *known; /* by number */
	size_t n;
	struct timeline_guest_gstack **stacks;
	size_t n_stacks, cap_stacks;
	struct timeline_programs programs;
	uint64_t until; /* the end of the time that is wanted */
	bool shapes;    /* phases and programs are looked for ... */
	bool calls;     /* ... and calls */
	struct timeline_phases phases;
};

/* Of a function that is seen for the first time. NULL: no memory. */
struct known *timeline_guest_learn(struct adding *a, uint32_t number);

/* Of a stack that is; it hangs at the stack and is freed by timeline_guest_forget. NULL: no memory. */
struct timeline_guest_gstack *timeline_guest_learn_stack(struct adding *a, struct replay_stack *stack);

/* Frees all of it, and what is kept of programs. */
void timeline_guest_forget(struct adding *a);

#endif
