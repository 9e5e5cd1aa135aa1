/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the processes of a guest ran since their last exec. A process has several stacks: each of its threads has one in
 * the kernel and one outside, and what runs on any of them is what its program runs.
 */
#ifndef EXECTRACE_SRC_ANSWER_TIMELINE_PROGRAMS_H
#define EXECTRACE_SRC_ANSWER_TIMELINE_PROGRAMS_H

#include "timeline.h"
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/replay/replay.h>

struct timeline_process {
	uint64_t ran;    /* ticks, without interrupts that are over; modulo 2^64 */
	uint64_t before; /* of them: before its program began */
	uint32_t item;   /* its program; 0: none */
};

struct timeline_programs {
	struct idmap by_id;
	struct timeline_process **all;
	size_t n, cap;
};

/* The process that a stack is of now; of one whose task is not known, one of its own. NULL: no memory. */
struct timeline_process *timeline_process(struct timeline_programs *programs, const struct replay_stack *stack);

/* What a process ran until now; a stack of it is running. */
uint64_t timeline_process_ran(const struct timeline_process *process, const struct replay *replay,
                              const struct replay_stack *stack);

/* The program of a process, if there is one, ends at a tick, when the process has run so long. */
void timeline_program_end(struct timeline *t, const struct timeline_process *process, uint64_t tick, uint64_t ran);

/* At the end of a recording: programs go on until then, those that were over before the time that is wanted are
 * dropped. */
void timeline_programs_end(struct timeline_programs *programs, struct timeline *t);

void timeline_programs_release(struct timeline_programs *programs);

#endif
