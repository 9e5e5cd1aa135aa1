/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A replay is made; what can be asked of it. */
#include "replay_gate.h"
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <stdlib.h>

int replay_new(struct replay **ret, struct recording *r, size_t file, const struct replay_options *options,
               struct buf *why)
{
	struct replay *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return -ENOMEM;
	p->recording = r;
	p->source = &r->sources[file];
	p->options = *options;
	p->notes_before = r->notes.n;
	rc = replay_names_init(p);
	if (!rc)
		rc = replay_clock_init(p, why);
	if (!rc)
		rc = replay_gate_init(p, why);
	if (rc)
		replay_free(p);
	else
		*ret = p;
	return rc;
}

struct replay_clock replay_clock(const struct replay *p)
{
	return p->clock;
}

/* Ticks of a CPU, once all is read. */
static uint64_t length_of(const struct rcpu *cpu)
{
	return cpu->any ? cpu->now - cpu->start : 0;
}

uint64_t replay_cpu_time(const struct replay *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_cpus; i++)
		sum += length_of(&p->cpus[i]);
	return sum;
}

uint64_t replay_length(const struct replay *p)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < p->n_cpus; i++)
		if (length_of(&p->cpus[i]) > longest)
			longest = length_of(&p->cpus[i]);
	return longest;
}

const struct recorded_file *replay_file(const struct replay *p)
{
	return &p->source->public;
}

uint64_t replay_start(const struct replay *p)
{
	const struct recorded_file *file = &p->source->public;

	return p->options.host_time && !file->guest_hz ? file->start : file->guest_start;
}

const struct control_config *replay_control(const struct replay *p)
{
	return p->gate ? p->options.control : NULL;
}

void replay_bounds(const struct replay *p, uint64_t *from, uint64_t *until)
{
	*from = p->bounded ? p->from : replay_start(p);
	*until = p->bounded ? p->until : UINT64_MAX;
}

size_t replay_stacks(const struct replay *p)
{
	return p->n_stacks;
}

struct replay_stack *replay_stack(const struct replay *p, uint32_t number)
{
	return number < p->n_stacks ? &p->stacks[number]->public : NULL;
}

const struct strv *replay_notes(const struct replay *p)
{
	return &p->notes;
}
