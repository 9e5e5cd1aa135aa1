/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which calls the tasks of a guest were at one moment. An interrupt is shown on the stack of the task that it
 * interrupted, and the kernel on that of the program that called it.
 */
#ifndef EXECTRACE_ANSWER_REPORT_MOMENT_H
#define EXECTRACE_ANSWER_REPORT_MOMENT_H

#include <exectrace/answer/replay/replay.h>
#include <exectrace/answer/replay/task.h>

/* A call that was open. */
struct moment_frame {
	uint32_t function; /* number in the replay */
	bool interrupt;    /* it interrupted the one before */
	uint64_t entered;  /* tick */
};

struct moment_stack {
	bool told; /* which task it is of */
	uint32_t pid, tgid;
	const char *task;
	uint32_t cpu;                /* it ran there, or had run last */
	bool running;                /* it did */
	uint64_t since;              /* tick: so, or waiting, since then */
	struct moment_frame *frames; /* the outermost first */
	uint32_t n;                  /* at least one */
};

struct moment {
	struct moment_stack *stacks; /* those that ran first, by CPU; then those that waited, by pid */
	size_t n, cap;
	bool reached; /* false: the recording ended before that moment */
};

/*
 * Replays the recording up to a tick. Which tasks: those that ran then, unless `select` has some: all these. *m is
 * released by moment_release in any case. 0 or -ENOMEM.
 */
int moment_read(struct moment *m, struct replay *p, uint64_t tick, const struct task_select *select);
void moment_release(struct moment *m);

#endif
