/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/report/moment.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define DONE (-ECANCELED) /* all CPUs are behind the moment */

/* What is known of a stack beside the replay. */
struct past {
	uint64_t since, left; /* ticks: it ran last from, and until then */
	bool taken;           /* it is in the result, or of no interest */
	bool beneath;         /* at the end: another one is on top of it */
};

struct moment_cpu {
	bool seen, behind; /* behind the moment */
	uint32_t last;     /* number of the stack that was the last to end to run there, plus 1 */
};

struct moment_reading {
	struct moment *moment;
	struct replay *replay;
	uint64_t tick;
	const struct task_select *select;
	struct past *pasts; /* by number of the stack */
	size_t n_pasts;
	struct moment_cpu *cpus; /* by number */
	size_t n_cpus, seen, behind;
	const struct replay_stack *ending; /* the stack of a call that is over now, ... */
	const struct replay_frame *ended;  /* ... and that call, which was open until now */
	bool over;                         /* all that was left has been taken */
};

static struct past *past_of(struct moment_reading *m, const struct replay_stack *stack)
{
	if (widen_array((void **)&m->pasts, &m->n_pasts, stack->number, sizeof(*m->pasts)))
		return NULL;
	return &m->pasts[stack->number];
}

/* --- Taking ------------------------------------------------------------------------------------------------------- */

/* A stack as it was; its last call may have begun behind the moment. */
struct as_it_was {
	const struct replay_stack *stack;
	bool begun;
	bool running;
	uint64_t since;
};

static void copy(struct moment_stack *to, const struct replay_frame *frame)
{
	to->frames[to->n++] = (struct moment_frame){frame->function, frame->interrupt, frame->entered};
}

/* Adds it, whole. 0 or -ENOMEM. */
static int add(struct moment_reading *m, const struct as_it_was *was, const struct replay_stack *const *list, size_t n)
{
	struct moment *moment = m->moment;
	const struct replay_stack *bottom = list[n - 1];
	struct moment_stack *to;
	size_t depth = 1;

	for (size_t i = 0; i < n; i++)
		depth += list[i]->depth;
	if (grow_array((void **)&moment->stacks, moment->n, &moment->cap, sizeof(*moment->stacks)))
		return -ENOMEM;
	to = &moment->stacks[moment->n];
	*to = (struct moment_stack){.told = bottom->tasks != 0,
	                            .pid = bottom->pid,
	                            .tgid = bottom->tgid,
	                            .task = bottom->task,
	                            .cpu = was->stack->cpu,
	                            .running = was->running,
	                            .since = was->since,
	                            .frames = calloc(depth, sizeof(*to->frames))};
	if (!to->frames)
		return -ENOMEM;
	while (n-- > 0) {
		for (uint32_t i = 0; i + (!n && was->begun) < list[n]->depth; i++)
			copy(to, &list[n]->frames[i]);
		if (list[n] == m->ending)
			copy(to, m->ended);
	}
	if (to->n)
		moment->n++;
	else
		free(to->frames);
	return 0;
}

/*
 * Takes it with what is below it, unless that was done or is not wanted: what is on top of one that was taken already
 * is so only since then.
 */
static int take(struct moment_reading *m, const struct as_it_was *was)
{
	const struct replay_stack *list[REPLAY_WHOLE];
	size_t n = replay_whole(was->stack, list);
	const bool any = !m->select->task && !m->select->n_pids;
	bool taken = false;

	for (size_t i = 0; i < n; i++) {
		struct past *past = past_of(m, list[i]);

		if (!past)
			return -ENOMEM;
		taken |= past->taken;
		past->taken = true;
	}
	if (taken)
		return 0;
	if (any ? !was->running : !task_wanted_now(m->select, list[n - 1]))
		return 0;
	return add(m, was, list, n);
}

/* What has not run since then is as it was. */
static int take_left(struct moment_reading *m, const struct replay_stack *stack)
{
	const struct past *past = past_of(m, stack);
	struct as_it_was was = {.stack = stack};
	const struct moment_cpu *cpu = stack->cpu < m->n_cpus ? &m->cpus[stack->cpu] : NULL;

	if (!past)
		return -ENOMEM;
	if (stack->running) {
		was.running = stack->since <= m->tick;
		was.since = was.running ? stack->since : past->left;
	} else {
		/* Nothing is known of its CPU behind that. */
		was.running = cpu && !cpu->behind && cpu->last == stack->number + 1;
		was.since = was.running ? past->since : past->left;
	}
	return take(m, &was);
}

static bool is_open(const struct moment_reading *m, const struct replay_stack *stack)
{
	return stack->depth || stack == m->ending;
}

/* Marks those that are below another one. 0 or -ENOMEM. */
static int find_beneath(struct moment_reading *m)
{
	const struct replay_stack *list[REPLAY_WHOLE];

	for (uint32_t i = 0; i < replay_stacks(m->replay); i++) {
		const struct replay_stack *stack = replay_stack(m->replay, i);

		for (size_t n = is_open(m, stack) ? replay_whole(stack, list) : 0; n > 1; n--) {
			struct past *past = past_of(m, list[n - 1]);

			if (!past)
				return -ENOMEM;
			past->beneath = true;
		}
	}
	return 0;
}

static int take_all_left(struct moment_reading *m)
{
	int rc = find_beneath(m);

	m->over = true;
	for (unsigned beneath = 0; beneath < 2; beneath++)
		for (uint32_t i = 0; i < replay_stacks(m->replay) && !rc; i++) {
			const struct replay_stack *stack = replay_stack(m->replay, i);
			const struct past *past = past_of(m, stack);

			if (!past)
				return -ENOMEM;
			if (is_open(m, stack) && past->beneath == beneath)
				rc = take_left(m, stack);
		}
	return rc;
}

/* --- The replay --------------------------------------------------------------------------------------------------- */

/* 1: a stack that is to be taken is behind the moment by now; 0; -ENOMEM, or DONE. */
static int is_behind(struct moment_reading *m, const struct replay_stack *stack)
{
	const struct past *past = past_of(m, stack);
	struct moment_cpu *cpu;

	if (!past || widen_array((void **)&m->cpus, &m->n_cpus, stack->cpu, sizeof(*m->cpus)))
		return -ENOMEM;
	cpu = &m->cpus[stack->cpu];
	m->seen += !cpu->seen;
	cpu->seen = true;
	if (replay_now(m->replay, stack->cpu) <= m->tick)
		return 0;
	m->behind += !cpu->behind;
	cpu->behind = true;
	if (past->taken)
		return m->behind == m->seen ? DONE : 0;
	return 1;
}

/* Something happens on a stack that runs since then. */
static int see(struct moment_reading *m, const struct replay_stack *stack, uint64_t since, bool begun)
{
	struct as_it_was was = {.stack = stack, .begun = begun, .running = since <= m->tick};
	int rc = is_behind(m, stack);
	const struct past *past = past_of(m, stack);

	if (rc <= 0 || !past)
		return rc <= 0 ? rc : -ENOMEM;
	was.since = was.running ? since : past->left;
	return take(m, &was);
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	return see(ctx, stack, stack->since, true);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct moment_reading *m = ctx;
	int rc = 0;

	m->ending = stack;
	m->ended = call->frame;
	if (call->ended)
		rc = see(m, stack, stack->since, false);
	else if (!m->over) /* the recording is, and this its first open call */
		rc = take_all_left(m);
	m->ending = NULL;
	return rc;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct moment_reading *m = ctx;
	uint64_t now = replay_now(m->replay, cpu), since = now > ticks ? now - ticks : 0;
	int rc = see(m, stack, since, false);
	struct past *past = past_of(m, stack);

	if (rc || !past)
		return rc ? rc : -ENOMEM;
	past->since = since;
	past->left = now;
	m->cpus[cpu].last = stack->number + 1;
	return 0;
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct moment_stack *one = a, *two = b;

	if (one->running != two->running)
		return one->running ? -1 : 1;
	if (one->running && one->cpu != two->cpu)
		return one->cpu < two->cpu ? -1 : 1;
	return (one->pid > two->pid) - (one->pid < two->pid);
}

int moment_read(struct moment *m, struct replay *p, uint64_t tick, const struct task_select *select)
{
	struct moment_reading reading = {.moment = m, .replay = p, .tick = tick, .select = select};
	const struct replay_sink sink = {.ctx = &reading, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	int rc;

	*m = (struct moment){0};
	rc = replay_run(p, &sink);
	m->reached = reading.behind != 0;
	if (rc == DONE)
		rc = take_all_left(&reading);
	free(reading.pasts);
	free(reading.cpus);
	if (m->n)
		qsort(m->stacks, m->n, sizeof(*m->stacks), compare);
	return rc;
}

void moment_release(struct moment *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->stacks[i].frames);
	free(m->stacks);
	*m = (struct moment){0};
}
