/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "left.h"
#include "meanings.h"
#include <exectrace/answer/waits/task_waits.h>

#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

struct wstack {
	uint32_t task;  /* its number + 1; 0: none yet */
	bool away;      /* a wait of it has no end yet */
	bool seen;      /* it has run, ... */
	uint64_t first; /* ... at this tick first */
	uint64_t since; /* tick at which it was told to have left */
};

struct task_waits {
	struct meanings meanings;
	struct wstack *stacks; /* by number */
	size_t n_stacks;
	struct waits_task *tasks;
	size_t n_tasks, cap_tasks;
	struct idmap by_pid; /* number + 1 of the task that has it */
	size_t n;            /* waits of all */
	uint32_t last;
	uint64_t end;
	bool wakes;
};

/* --- Tasks -------------------------------------------------------------------------------------------------------- */

static struct wstack *stack_of(struct task_waits *w, uint32_t number)
{
	if (__builtin_expect(number >= w->n_stacks, 0) &&
	    widen_array((void **)&w->stacks, &w->n_stacks, number, sizeof(*w->stacks)))
		return NULL;
	return &w->stacks[number];
}

static struct waits_task *add_task(struct task_waits *w, const struct replay_stack *stack, uint64_t began)
{
	const uintptr_t had = stack->pid ? (uintptr_t)idmap_get(&w->by_pid, stack->pid, 0) : 0;
	const uint32_t previous = had ? (uint32_t)had - 1 : WAITS_NOBODY;
	struct waits_task *task;

	if (grow_array((void **)&w->tasks, w->n_tasks, &w->cap_tasks, sizeof(*task)))
		return NULL;
	task = &w->tasks[w->n_tasks++];
	*task = (struct waits_task){.pid = stack->pid,
	                            .tgid = stack->tgid,
	                            .stack = stack->number,
	                            .name = stack->task,
	                            .parent = WAITS_NOBODY,
	                            .previous = previous,
	                            .began = began};
	w->stacks[stack->number].task = (uint32_t)w->n_tasks;
	w->stacks[stack->number].away = false;
	if (stack->pid && idmap_put(&w->by_pid, stack->pid, 0, (char *)(uintptr_t)w->n_tasks))
		return NULL;
	return task;
}

/*
 * The task of a stack, made when it is another one than before. The stack of a program is not the first that has its
 * process id: it is of the task that has the kernel's. NULL: no memory.
 */
static struct waits_task *task_of(struct task_waits *w, const struct replay_stack *stack)
{
	struct wstack *ws = stack_of(w, stack->number);
	struct waits_task *task = ws && ws->task ? &w->tasks[ws->task - 1] : NULL;
	uintptr_t other;

	if (!ws || (task && task->pid == stack->pid && !task->ended))
		return task;
	other = stack->pid ? (uintptr_t)idmap_get(&w->by_pid, stack->pid, 0) : 0;
	if (other && !w->tasks[other - 1].ended) {
		/* The stack was another task's meanwhile. */
		if (w->tasks[other - 1].stack == stack->number) {
			ws->task = (uint32_t)other;
			ws->away = false;
		}
		return &w->tasks[other - 1];
	}
	return add_task(w, stack, ws->seen ? ws->first : stack->since);
}

/* --- Waits -------------------------------------------------------------------------------------------------------- */

static int add_wait(struct task_waits *w, struct waits_task *task, const struct replay_stack *stack,
                    const struct left *left)
{
	const struct task_wait *last;

	if (w->n == WAITS_MAX)
		return 0;
	if (grow_array((void **)&task->waits, task->n, &task->cap, sizeof(*task->waits)))
		return -ENOMEM;
	last = task->n ? &task->waits[task->n - 1] : NULL;
	task->waits[task->n++] = (struct task_wait){
		.from = stack->since,
		.before = last ? last->before + (last->to - last->from) : 0,
		.to = UINT64_MAX,
		.waker = WAITS_NOBODY,
		.function = left->function,
		.purpose = left->purpose,
		.caller = left->caller,
		.call = left->call,
		.task = stack->task,
		.preempted = left->preempted || !left->scheduled,
		.for_child = (meanings_of(&w->meanings, left->function) & MEANS_CHILD) != 0,
		.idle = left->work,
	};
	w->n++;
	w->stacks[stack->number].away = true;
	return 0;
}

static void ends(struct task_waits *w, struct wstack *ws, uint64_t at, uint32_t cpu)
{
	struct waits_task *task = &w->tasks[ws->task - 1];

	ws->away = false;
	task->waits[task->n - 1].to = at;
	task->waits[task->n - 1].cpu = (uint16_t)cpu;
}

void task_waits_goes_on(struct task_waits *w, const struct replay_stack *stack)
{
	struct wstack *ws = stack->number < w->n_stacks ? &w->stacks[stack->number] : NULL;

	if (__builtin_expect(ws && ws->away && stack->since > ws->since, 0))
		ends(w, ws, stack->since, stack->cpu);
}

int task_waits_ran(struct task_waits *w, const struct replay_stack *stack, uint64_t ticks)
{
	struct wstack *ws = stack_of(w, stack->number);
	uint64_t since = stack->since - ticks;
	struct waits_task *task;
	struct left left;
	int rc = ws ? left_look(&w->meanings, stack, &left) : -ENOMEM;

	if (rc)
		return rc;
	if (ws->away && since >= ws->since)
		ends(w, ws, since, stack->cpu);
	ws->first = ws->seen ? ws->first : since;
	ws->seen = true;
	ws->since = stack->since;
	w->end = stack->since > w->end ? stack->since : w->end;
	if (!stack->tasks || left.idle || (!stack->pid && !ws->task))
		return 0;
	task = task_of(w, stack);
	if (!task)
		return -ENOMEM;
	w->last = (uint32_t)(task - w->tasks);
	task->name = stack->task;
	task->kernel |= left.kernel;
	task->ended |= left.ended;
	return left.switched && !left.ended && task->stack == stack->number ? add_wait(w, task, stack, &left) : 0;
}

/* What ends a wait: what runs on a stack in its innermost interrupt, or the task that it is. */
static int ended_by(struct task_waits *w, const struct replay_stack *stack, enum wait_end *end)
{
	*end = WAIT_BY_INTERRUPT;
	if (!stack)
		return 0;
	for (uint32_t i = stack->depth; i-- > 0;) {
		unsigned means = meanings_of(&w->meanings, stack->frames[i].function);

		if (!means)
			return -ENOMEM;
		if (means & MEANS_TIMER) {
			*end = WAIT_BY_TIMER;
			return 0;
		}
		if (stack->frames[i].interrupt)
			return 0;
	}
	if (stack->tasks && (stack->pid || strcmp(stack->task, "[irq]") != 0))
		*end = WAIT_BY_TASK;
	return 0;
}

/* A task is made. */
static int begins(struct task_waits *w, const struct replay_stack *woken, const struct waits_task *maker, uint64_t now)
{
	const uint32_t parent = maker ? (uint32_t)(maker - w->tasks) : WAITS_NOBODY;
	struct wstack *ws = stack_of(w, woken->number);
	struct waits_task *task;

	if (!ws)
		return -ENOMEM;
	if (ws->task)
		w->tasks[ws->task - 1].ended = true;
	task = add_task(w, woken, now);
	if (!task)
		return -ENOMEM;
	task->parent = parent;
	return 0;
}

int task_waits_woke(struct task_waits *w, const struct replay_stack *stack, const struct replay_stack *woken,
                    bool is_new, uint64_t now)
{
	struct waits_task *waker = NULL, *task;
	const struct wstack *ws;
	struct task_wait *wait;
	enum wait_end end;
	int rc = ended_by(w, stack, &end);

	w->wakes = true;
	if (!rc && stack && end == WAIT_BY_TASK) {
		waker = task_of(w, stack);
		rc = waker ? 0 : -ENOMEM;
	}
	if (rc || is_new)
		return rc ? rc : begins(w, woken, waker, now);
	/* Behind the waker, whose stack may have moved all of them. */
	ws = woken->number < w->n_stacks ? &w->stacks[woken->number] : NULL;
	if (!ws || !ws->away || woken->running)
		return 0;
	task = &w->tasks[ws->task - 1];
	wait = &task->waits[task->n - 1];
	if (wait->end != WAIT_NOT_ENDED || wait->preempted)
		return 0;
	wait->woken = now > wait->from ? now : wait->from;
	wait->waker = waker ? (uint32_t)(waker - w->tasks) : WAITS_NOBODY;
	wait->end = end;
	return 0;
}

/* --- A sink ------------------------------------------------------------------------------------------------------- */

static int on_enter(void *ctx, struct replay_stack *stack)
{
	task_waits_goes_on(ctx, stack);
	return 0;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	if (call->ended)
		task_waits_goes_on(ctx, stack);
	return 0;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	(void)cpu;
	return task_waits_ran(ctx, stack, ticks);
}

static int on_woke(void *ctx, struct replay_stack *stack, struct replay_stack *woken, bool is_new, uint64_t now)
{
	return task_waits_woke(ctx, stack, woken, is_new, now);
}

struct replay_sink task_waits_sink(struct task_waits *w)
{
	return (struct replay_sink){.ctx = w, .enter = on_enter, .leave = on_leave, .ran = on_ran, .woke = on_woke};
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

int task_waits_new(struct task_waits **ret, struct replay *p)
{
	struct task_waits *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->meanings.replay = p;
	w->last = WAITS_NOBODY;
	*ret = w;
	return 0;
}

void task_waits_free(struct task_waits *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_tasks; i++)
		free(w->tasks[i].waits);
	free(w->tasks);
	idmap_release(&w->by_pid);
	free(w->stacks);
	meanings_release(&w->meanings);
	free(w);
}

size_t task_waits_count(const struct task_waits *w)
{
	return w->n_tasks;
}

const struct waits_task *task_waits_at(const struct task_waits *w, uint32_t number)
{
	return &w->tasks[number];
}

uint32_t task_waits_on(const struct task_waits *w, uint32_t stack)
{
	return stack < w->n_stacks && w->stacks[stack].task ? w->stacks[stack].task - 1 : WAITS_NOBODY;
}

const struct task_wait *waits_task_before(const struct waits_task *task, uint64_t tick)
{
	size_t from = 0, to = task->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (task->waits[middle].from < tick)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? &task->waits[from - 1] : NULL;
}

uint64_t task_waits_until(const struct task_waits *w, uint32_t pid, uint32_t stack, uint64_t tick)
{
	uint32_t number = pid ? (uint32_t)(uintptr_t)idmap_get(&w->by_pid, pid, 0) - 1 : task_waits_on(w, stack);
	const struct task_wait *wait;

	while (number != WAITS_NOBODY && w->tasks[number].began > tick)
		number = w->tasks[number].previous;
	wait = number == WAITS_NOBODY ? NULL : waits_task_before(&w->tasks[number], tick);
	return wait ? wait->before + (wait->to < tick ? wait->to : tick) - wait->from : 0;
}

uint32_t task_waits_last(const struct task_waits *w)
{
	return w->last;
}

uint64_t task_waits_end(const struct task_waits *w)
{
	return w->end;
}

bool task_waits_has_wakes(const struct task_waits *w)
{
	return w->wakes;
}

bool task_waits_is_scheduler(struct task_waits *w, uint32_t function)
{
	return (meanings_of(&w->meanings, function) & (MEANS_SCHEDULE | MEANS_SCHEDULER)) != 0;
}
