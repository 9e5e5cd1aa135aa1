/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the open calls of a kernel stack that was left say of its task: what it waits in, and for. */
#ifndef EXECTRACE_SRC_ANSWER_WAITS_LEFT_H
#define EXECTRACE_SRC_ANSWER_WAITS_LEFT_H

#include "meanings.h"

/* Functions are numbers; REPLAY_UNKNOWN where there is none. */
struct left {
	bool switched, scheduled; /* another task gets the processor; because this one waits */
	bool preempted, ended, kernel, idle, work;
	uint32_t function, purpose, caller, call; /* as in struct task_wait */
};

/* 0 or -ENOMEM. */
int left_look(struct meanings *m, const struct replay_stack *stack, struct left *left);

#endif
