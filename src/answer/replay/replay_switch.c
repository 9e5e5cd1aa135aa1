/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stack runs where, and as which task. */
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

struct rcpu *replay_cpu(struct replay *p, uint32_t number)
{
	if (number >= REPLAY_CPUS)
		number = REPLAY_CPUS - 1;
	while (number >= p->n_cpus) {
		if (grow_array((void **)&p->cpus, p->n_cpus, &p->cap_cpus, sizeof(*p->cpus)))
			return NULL;
		p->cpus[p->n_cpus++] = (struct rcpu){0};
	}
	return &p->cpus[number];
}

static struct rstack *stack_of(struct replay *p, uint64_t id)
{
	struct rstack *s = idmap_get(&p->stacks_by_id, id, 0);

	if (s || p->n_stacks == REPLAY_STACKS)
		return s ? s : p->stacks[0];
	if (grow_array((void **)&p->stacks, p->n_stacks, &p->cap_stacks, sizeof(s)))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s || idmap_put(&p->stacks_by_id, id, 0, s)) {
		free(s);
		return NULL;
	}
	s->public = (struct replay_stack){.number = (uint32_t)p->n_stacks, .id = id, .task = ""};
	p->stacks[p->n_stacks++] = s;
	return s;
}

/* Tells the sink what a running stack has run since it was told last. */
static int tell_ran(struct replay *p, struct rstack *s, uint64_t now)
{
	uint64_t ticks = now - s->public.since;

	s->public.since = now;
	return ticks && p->sink->ran ? p->sink->ran(p->sink->ctx, &s->public, s->public.cpu, ticks) : 0;
}

int replay_sched_out(struct replay *p, struct rstack *s, uint64_t now)
{
	s->ran = now + s->offset;
	s->running = false;
	return tell_ran(p, s, now);
}

int replay_on_switch(struct replay *p, uint64_t clock, uint64_t id, uint32_t number)
{
	struct rcpu *cpu = replay_cpu(p, number), *other;
	struct rstack *s = cpu ? stack_of(p, id) : NULL;
	uint64_t now;
	int rc = 0;

	if (!s)
		return -ENOMEM;
	number = (uint32_t)(cpu - p->cpus);
	now = replay_go_on(p, cpu, clock);
	p->cpu = number;
	p->stack = s;
	if (cpu->stack == s)
		return 0;
	if (cpu->stack)
		rc = replay_sched_out(p, cpu->stack, now);
	if (!rc && s->running) {
		/* It has moved; what the other CPU does since then is not told yet. */
		other = &p->cpus[s->public.cpu];
		other->stack = NULL;
		rc = replay_sched_out(p, s, other->now);
	}
	s->offset = s->ran - now;
	s->public.since = now;
	s->public.cpu = number;
	s->running = true;
	cpu->stack = s;
	return rc;
}

static bool counts(const struct replay *p, struct rstack *s)
{
	return !p->sink->counts || p->sink->counts(p->sink->ctx, &s->public);
}

/* What the open calls ran until now is another task's. */
static void begin_anew(struct rstack *s)
{
	uint64_t ran = s->running ? s->public.since + s->offset : s->ran;

	for (uint32_t i = 0; i < s->public.depth; i++) {
		s->public.frames[i].before = ran;
		s->public.frames[i].inner = 0;
	}
}

int replay_on_task(struct replay *p, const struct data_event *event)
{
	struct rstack *s = stack_of(p, event->task.stack);
	struct rcpu *cpu;
	bool counted;
	int rc = 0;

	if (!s)
		return -ENOMEM;
	if (s->running) {
		cpu = &p->cpus[s->public.cpu];
		rc = tell_ran(p, s, cpu == &p->cpus[p->cpu] ? replay_go_on(p, cpu, event->clock) : cpu->now);
	}
	if (!rc && p->sink->task)
		rc = p->sink->task(p->sink->ctx, &s->public);
	if (rc)
		return rc;
	counted = counts(p, s);
	s->public.pid = event->task.pid;
	s->public.tgid = event->task.tgid;
	s->public.tasks++;
	rc = pool_text(&p->recording->texts, event->task.name.n ? event->task.name.bytes : "",
	               event->task.name.n ? strnlen(event->task.name.bytes, event->task.name.n) : 0, &s->public.task,
	               NULL);
	if (!rc && !counted && counts(p, s))
		begin_anew(s);
	return rc;
}

void replay_forget_stacks(struct replay *p)
{
	for (size_t i = 0; i < p->n_stacks; i++) {
		free(p->stacks[i]->public.frames);
		free(p->stacks[i]);
	}
	p->n_stacks = 0;
	idmap_release(&p->stacks_by_id);
	p->stacks_by_id = IDMAP_INIT;
	p->stack = NULL;
}
