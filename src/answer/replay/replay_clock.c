/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ticks are. The recorded clock may count instructions; the time of the host is known now and then, for each CPU,
 * and between two such moments taken to go on evenly.
 */
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/grow.h>

/* Notes a moment, when neither clock goes back. Time that passes while nothing is counted, as when a CPU is idle, is
 * two of one clock. */
static int add_moment(struct replay *p, const struct data_event *event)
{
	struct rcpu *cpu = replay_cpu(p, event->sync.cpu);
	const struct moment moment = {event->clock, event->sync.clock};
	struct moment *last;
	int rc;

	if (!cpu)
		return -ENOMEM;
	last = cpu->n ? &cpu->moments[cpu->n - 1] : NULL;
	if (last && (moment.clock < last->clock || moment.ns < last->ns))
		return 0;
	if (cpu->n >= 2 && moment.clock == last->clock && moment.clock == last[-1].clock) {
		last->ns = moment.ns;
		return 0;
	}
	rc = grow_array((void **)&cpu->moments, cpu->n, &cpu->cap, sizeof(moment));
	if (!rc)
		cpu->moments[cpu->n++] = moment;
	return rc;
}

/* ns a tick between a moment and the next one of another clock; of the last one, as before it. */
static double rate_at(const struct rcpu *cpu, size_t at)
{
	const struct moment *m = cpu->moments;
	size_t next = at + 1;

	if (cpu->n < 2)
		return 0;
	next += next < cpu->n && m[next].clock == m[at].clock;
	if (next >= cpu->n) {
		next = cpu->n - 1;
		next -= m[next - 1].clock == m[next].clock;
	}
	return next ? (double)(m[next].ns - m[next - 1].ns) / (double)(m[next].clock - m[next - 1].clock) : 0;
}

void replay_clock_rewind(struct rcpu *cpu)
{
	cpu->here = cpu->gate = (struct moment_cursor){0, rate_at(cpu, 0)};
}

uint64_t replay_host_time(const struct rcpu *cpu, struct moment_cursor *cursor, uint64_t clock)
{
	const struct moment *m;
	double ns;

	if (!cpu->n)
		return 0;
	while (cursor->at + 1 < cpu->n && clock >= cpu->moments[cursor->at + 1].clock)
		cursor->rate = rate_at(cpu, ++cursor->at);
	m = &cpu->moments[cursor->at];
	ns = ((double)clock - (double)m->clock) * cursor->rate;
	return ns < -(double)m->ns ? 0 : m->ns + (uint64_t)(int64_t)ns;
}

/* Goes through the file for the moments; the notes are made by the replay itself. */
static int find_moments(struct replay *p)
{
	struct source *s = p->source;
	int rc;

	replay_rewind(p);
	rc = source_begin_alone(p->recording, s);
	while (rc == 1) {
		rc = s->event.type == DATA_SYNC ? add_moment(p, &s->event) : 0;
		if (!rc)
			rc = source_step(p->recording, s);
	}
	for (size_t i = 0; i < p->n_cpus; i++)
		replay_clock_rewind(&p->cpus[i]);
	return rc;
}

static int refuse(struct buf *why, const char *what)
{
	return buf_puts(why, what) ? -ENOMEM : -EINVAL;
}

/* The times of the options as ticks of a clock that has hz and begins at `start`. */
static void bound(struct replay *p, uint64_t start)
{
	double scale = (double)p->clock.hz / (double)NS_PER_S;

	p->bounded = true;
	p->from = start + (uint64_t)((double)p->options.from * scale);
	p->until =
		p->options.until >= UINT64_MAX / 2 ? UINT64_MAX : start + (uint64_t)((double)p->options.until * scale);
}

bool replay_knows_host_time(const struct replay *p)
{
	for (size_t i = 0; i < p->n_cpus; i++)
		if (p->cpus[i].n >= 2 && p->cpus[i].moments[p->cpus[i].n - 1].clock > p->cpus[i].moments[0].clock)
			return true;
	return false;
}

/* Triggers and filters may be about time, too. */
static bool has_times(const struct replay *p)
{
	return p->options.control && control_has_times(p->options.control);
}

int replay_clock_init(struct replay *p, struct buf *why)
{
	const struct recorded_file *file = &p->source->public;
	uint64_t start = file->guest_start;
	bool counts = !file->guest_hz;
	int rc;

	p->clock = (struct replay_clock){file->guest_clock, file->guest_hz};
	if (counts && (p->options.host_time || has_times(p)) && (rc = find_moments(p)) != 0)
		return rc;
	if (p->options.host_time && counts) {
		p->clock = (struct replay_clock){DATA_CLOCK_MONOTONIC, NS_PER_S};
		start = file->start;
		if (!replay_knows_host_time(p))
			return refuse(why, "the recording does not tell how its clock goes with time");
	}
	if (!p->options.timed)
		return 0;
	if (!p->clock.hz)
		return refuse(why, "--time: its clock does not count time: add --clock=host");
	bound(p, start);
	return 0;
}

uint64_t replay_host_at(const struct replay *p, uint32_t cpu, uint64_t clock)
{
	const struct rcpu *c = p->options.host_time && cpu < p->n_cpus ? &p->cpus[cpu] : NULL;
	size_t from = 0, to = c ? c->n : 0;
	struct moment_cursor cursor;

	if (!to)
		return clock;
	while (from + 1 < to) {
		size_t middle = from + (to - from) / 2;

		if (c->moments[middle].clock <= clock)
			from = middle;
		else
			to = middle;
	}
	cursor = (struct moment_cursor){from, rate_at(c, from)};
	return replay_host_time(c, &cursor, clock);
}

uint64_t replay_now(const struct replay *p, uint32_t cpu)
{
	return cpu < p->n_cpus ? p->cpus[cpu].now : 0;
}
