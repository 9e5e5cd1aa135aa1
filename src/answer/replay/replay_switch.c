/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which stack runs where, and as which task. */
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

bool replay_deepen(struct rstack *s)
{
	uint32_t cap = s->cap ? s->cap * 2 : 32;
	struct replay_frame *frames;

	if (s->public.depth >= REPLAY_DEPTH_MAX)
		return false;
	frames = reallocarray(s->public.frames, cap, sizeof(*frames));
	if (!frames)
		return false;
	s->public.frames = frames;
	s->cap = cap;
	return true;
}

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

struct rstack *replay_stack_of(struct replay *p, uint64_t id)
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
	s->task = &s->own;
	p->stacks[p->n_stacks++] = s;
	return s;
}

/* --- Tasks -------------------------------------------------------------------------------------------------------- */

/*
 * The stack that an interrupt has where it does not use that of a task. Its handlers tell that it is one when they run
 * for the first time; before, it is one without a task where the stack that ran before has one.
 */
static bool is_of_interrupts(const struct rstack *s, const struct rstack *before)
{
	if (!s->public.tasks)
		return before && before->public.tasks;
	return !s->public.pid && strcmp(s->public.task, "[irq]") == 0;
}

static void task_leaves(struct rtask *task, uint64_t now)
{
	task->running = false;
	task->left = now;
}

/* A CPU goes over to a stack. */
static void task_runs(struct rcpu *cpu, struct rstack *s, uint64_t now)
{
	struct rtask *task = s->task;

	if (task == cpu->task)
		return;
	if (cpu->task)
		task_leaves(cpu->task, now);
	if (task->seen && !task->running && now > task->left)
		task->waited += now - task->left;
	task->seen = task->running = true;
	cpu->task = task;
}

/* The task of a process id, made when it is new. NULL: no memory. */
static struct rtask *task_of(struct replay *p, uint32_t pid)
{
	struct rtask *task = idmap_get(&p->tasks, pid, 0);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task || idmap_put(&p->tasks, pid, 0, task)) {
		free(task);
		return NULL;
	}
	return task;
}

/* A stack is of another task now; the idle ones all have the number 0. */
static int set_task(struct replay *p, struct rstack *s)
{
	struct rcpu *cpu = &p->cpus[s->public.cpu];
	struct rtask *before = s->task, *task = s->public.pid ? task_of(p, s->public.pid) : &s->own;

	if (!task)
		return -ENOMEM;
	s->task = task;
	if (task == before || !s->public.running || cpu->task != before)
		return 0;
	task_leaves(before, cpu->now);
	task->seen = task->running = true;
	cpu->task = task;
	return 0;
}

void replay_waits_end(struct rstack *s, uint64_t end)
{
	struct rtask *task = s->task;

	if (!task->seen || task->running || end <= task->left || is_of_interrupts(s, NULL))
		return;
	task->waited += end - task->left;
	task->left = end;
}

void replay_tasks_release(struct replay *p)
{
	for (size_t i = 0; i < p->tasks.cap; i++)
		free(p->tasks.slots[i].value);
	idmap_release(&p->tasks);
	p->tasks = IDMAP_INIT;
}

int replay_on_held(struct replay *p, const struct data_event *event)
{
	struct rcpu *cpu = &p->cpus[p->cpu];
	struct rstack *holder;
	uint64_t now;

	if (!p->sink->held || !cpu->stack)
		return 0;
	holder = replay_stack_of(p, event->held.stack);
	if (!holder)
		return -ENOMEM;
	now = replay_go_on(p, cpu, event->clock);
	return p->sink->held(p->sink->ctx, &cpu->stack->public, &holder->public, event->held.lock, now);
}

int replay_on_wake(struct replay *p, const struct data_event *event)
{
	struct rcpu *cpu = &p->cpus[p->cpu];
	struct rstack *woken;
	uint64_t now;

	if (!p->sink->woke)
		return 0;
	woken = replay_stack_of(p, event->wake.stack);
	if (!woken)
		return -ENOMEM;
	now = replay_go_on(p, cpu, event->clock);
	return p->sink->woke(p->sink->ctx, cpu->stack ? &cpu->stack->public : NULL, &woken->public,
	                     (event->wake.flags & DATA_WAKE_NEW) != 0, now);
}

/* --- Stacks ------------------------------------------------------------------------------------------------------- */

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
	s->public.running = false;
	return tell_ran(p, s, now);
}

/* True when the code there is a program's, not the kernel's. */
static bool is_program(const struct replay *p, const struct rstack *s)
{
	const char *module = s->public.depth ? replay_function(p, s->public.frames[0].function)->module : "";

	return *module && (*module != '[' || strcmp(module, "[vdso]") == 0);
}

/*
 * A CPU goes over to a stack: does it interrupt the one before? What has no task is a stack of interrupts, which its
 * handlers tell of later only; where no stack has one, nothing is known. A task's own stack in the kernel was empty
 * when its program called.
 */
static void lay_on(const struct replay *p, const struct rstack *before, struct rstack *s, bool interrupts)
{
	if (!before || before->public.below == &s->public)
		return; /* back */
	if (interrupts)
		s->public.below = &before->public;
	else if (s->public.pid && s->public.pid == before->public.pid && !s->public.depth && is_program(p, before))
		s->public.below = &before->public;
	else if (!s->public.depth)
		s->public.below = NULL;
}

size_t replay_whole(const struct replay_stack *s, const struct replay_stack *list[REPLAY_WHOLE])
{
	size_t n = 0;

	list[n++] = s;
	/* Those without open calls may lie on each other in a circle. */
	for (unsigned step = 0; step < REPLAY_WHOLE && n < REPLAY_WHOLE && s->below; step++) {
		const bool same = !s->pid || s->below->pid == s->pid;

		s = s->below;
		for (size_t i = 0; i < n; i++)
			if (list[i] == s)
				return n;
		if (!same)
			return n; /* it is another task's by now */
		if (s->depth)
			list[n++] = s;
	}
	return n;
}

const struct replay_stack *replay_bottom(const struct replay_stack *s)
{
	const struct replay_stack *list[REPLAY_WHOLE] = {s};

	return list[replay_whole(s, list) - 1];
}

int replay_on_switch(struct replay *p, uint64_t clock, uint64_t id, uint32_t number)
{
	struct rcpu *cpu = replay_cpu(p, number), *other;
	struct rstack *s = cpu ? replay_stack_of(p, id) : NULL;
	bool interrupts;
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
	interrupts = is_of_interrupts(s, cpu->stack);
	if (!interrupts)
		task_runs(cpu, s, now);
	lay_on(p, cpu->stack, s, interrupts);
	if (cpu->stack)
		rc = replay_sched_out(p, cpu->stack, now);
	if (!rc && s->public.running) {
		/* It has moved; what the other CPU does since then is not told yet. */
		other = &p->cpus[s->public.cpu];
		other->stack = NULL;
		other->task = other->task == s->task ? NULL : other->task;
		rc = replay_sched_out(p, s, other->now);
	}
	s->offset = s->ran - now;
	s->public.since = now;
	s->public.cpu = number;
	s->public.running = true;
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
	uint64_t ran = s->public.running ? s->public.since + s->offset : s->ran;

	for (uint32_t i = 0; i < s->public.depth; i++) {
		s->public.frames[i].before = ran;
		s->public.frames[i].inner = 0;
	}
}

int replay_on_task(struct replay *p, const struct data_event *event)
{
	struct rstack *s = replay_stack_of(p, event->task.stack);
	struct rcpu *cpu;
	bool counted;
	int rc = 0;

	if (!s)
		return -ENOMEM;
	if (s->public.running) {
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
	if (!rc)
		rc = set_task(p, s);
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
	replay_tasks_release(p);
	idmap_release(&p->stacks_by_id);
	p->stacks_by_id = IDMAP_INIT;
	p->stack = NULL;
}
