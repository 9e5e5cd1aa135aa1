/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls and samples. */
#include "overview.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What only waits, whatever else it may be said to be about. */
static const char *const waits[] = {
	"clock_nanosleep",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"futex",
	"futex_time64",
	"futex_wait",
	"io_getevents",
	"nanosleep",
	"pause",
	"poll",
	"ppoll",
	"ppoll_time64",
	"pselect6",
	"restart_syscall",
	"rt_sigsuspend",
	"rt_sigtimedwait",
	"select",
	"sched_yield",
	"wait4",
	"waitid",
	"waitpid",
	"_newselect",
	"pselect6_time64",
	"clock_nanosleep_time64",
};

static unsigned kind_of(const struct data_syscall *call)
{
	const struct arch *arch = arch_by_call(call->arch, call->nr);
	const struct syscall_desc *desc = arch ? syscall_by_nr(arch, call->nr) : NULL;

	if (!desc)
		return SURVEY_OTHER;
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (!strcmp(desc->name, waits[i]))
			return SURVEY_WAIT;
	if (desc->classes & SYSCALL_NETWORK)
		return SURVEY_NETWORK;
	if (desc->classes & SYSCALL_MEMORY)
		return SURVEY_MEMORY;
	if (desc->classes & SYSCALL_PROCESS)
		return SURVEY_PROCESS;
	return desc->classes & (SYSCALL_FILE | SYSCALL_DESC) ? SURVEY_FILE : SURVEY_OTHER;
}

/* What the innermost function of a sample belongs to. */
static unsigned kind_of_code(const struct recorded_frame *frames, size_t n)
{
	if (!n)
		return SURVEY_IN_PROGRAM;
	if (frames[0].function->kernel)
		return SURVEY_IN_KERNEL;
	return strstr(frames[0].function->file, ".so") ? SURVEY_IN_LIBRARY : SURVEY_IN_PROGRAM;
}

/* --- Lanes ---------------------------------------------------------------------------------------------------------
 */

static int learn_lanes(struct overview *s, uint32_t number)
{
	size_t n = (size_t)number * 2 + 64;
	uint32_t *lanes = reallocarray(s->lanes, n, sizeof(*lanes));

	if (!lanes)
		return -ENOMEM;
	for (size_t i = s->n_lanes; i < n; i++)
		lanes[i] = NO_LANE;
	s->lanes = lanes;
	s->n_lanes = n;
	return 0;
}

static int lane_of(struct overview *s, const struct recorded_event *event, uint32_t *lane)
{
	const struct recorded_thread *thread = event->thread;
	int rc = thread->number < s->n_lanes ? 0 : learn_lanes(s, thread->number);

	if (rc)
		return rc;
	if (s->lanes[thread->number] == NO_LANE)
		rc = lanes_lane(s->activity, SURVEY_THREADS, thread->process->pid, thread->tid,
		                &s->lanes[thread->number]);
	*lane = s->lanes[thread->number];
	return rc ? rc : lanes_name(s->activity, *lane, event->time, thread->comm);
}

/* --- Paths ---------------------------------------------------------------------------------------------------------
 */

/* A path is the name of the thread, the stack, and the call itself. */
static int add_path(struct overview *s, struct recording *r, const struct recorded_event *event, unsigned side)
{
	const struct calltree_stacks_options options = {
		.keys = CALLTREE_MODULE | CALLTREE_NAME,
		.side = side,
		.threads = SURVEY_TASK,
		.calls = "[kernel]",
		.unknown = "",
		.count = true,
	};

	if (!s->stacks[side])
		s->stacks[side] = calltree_stacks_new(s->paths, r, &options);
	s->sampled |= event->record->type == DATA_SAMPLE;
	return s->stacks[side] ? calltree_stacks_add(s->stacks[side], event) : -ENOMEM;
}

/* What an event tells of what its thread did. */
static int add_activity(struct overview *s, struct recording *r, const struct recorded_event *event, uint32_t lane)
{
	const struct data_event *record = event->record;
	const struct recorded_frame *frames = NULL;
	uint64_t weight = record->sample.weight;
	size_t n = 0;
	int rc;

	switch (record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return lanes_add(s->activity, lane, kind_of(&record->syscall), record->syscall.enter, event->time);
	case DATA_SAMPLE:
		rc = recording_stack(r, event, &frames, &n);
		return rc ? rc
		          : lanes_add(s->activity, lane, kind_of_code(frames, n),
		                      event->time > weight ? event->time - weight : 0, event->time);
	default:
		return 0;
	}
}

int overview_event(struct overview *s, struct recording *r, const struct recorded_event *event, unsigned side)
{
	uint32_t lane;
	int rc = event->thread ? add_path(s, r, event, side) : 0;

	if (!event->thread || side || rc)
		return rc;
	rc = overview_begin(s, recording_start(r));
	if (!rc)
		rc = lane_of(s, event, &lane);
	if (rc)
		return rc;
	lanes_span(s->activity, lane, event->time, event->time);
	return add_activity(s, r, event, lane);
}
