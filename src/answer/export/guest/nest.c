/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/guest/nest.h>

#include <exectrace/base/grow.h>
#include <string.h>

static int find_stack(struct nest *nest, uint64_t id, struct nest_stack **stack)
{
	uint64_t *place;
	int rc = byte_map_find(&nest->stacks, &id, sizeof(id), &place);

	if (!rc && !*place) {
		rc = grow_array((void **)&nest->all, nest->n, &nest->cap, sizeof(*nest->all));
		if (!rc) {
			nest->all[nest->n++] = (struct nest_stack){0};
			*place = nest->n;
		}
	}
	if (!rc)
		*stack = &nest->all[*place - 1];
	return rc;
}

/* The task that makes a call, which may be another one than before on this stack. */
static int find_task(struct nest *nest, struct nest_stack *stack, const struct call_line *line)
{
	struct nest_task *task = stack->task;
	int rc = 0;

	/* Texts are kept once: equal names are equal pointers. */
	if (task && task->told == line->told && task->pid == line->pid && task->name == line->task)
		return 0;
	if (!task || (task->told && task->pid != line->pid)) {
		rc = grow_array((void **)&nest->tasks, nest->n_tasks, &nest->cap_tasks, sizeof(task));
		task = rc ? NULL : calloc(1, sizeof(*task));
		if (!task)
			return -ENOMEM;
		nest->tasks[nest->n_tasks++] = task;
		task->number = nest->n_tasks;
		task->stack = line->stack;
		stack->task = task;
	}
	task->told = line->told;
	task->pid = line->pid;
	task->tgid = line->tgid;
	task->name = line->task;
	return nest->sink->task ? nest->sink->task(nest->sink->ctx, task) : 0;
}

/* Ends the innermost call, not later than `now` where it is left for something else. */
static int close_call(struct nest *nest, struct nest_stack *stack, uint64_t now)
{
	struct nest_call *call = &stack->calls[stack->n - 1];
	int rc;

	if (call->end > now)
		call->end = now;
	if (call->end < stack->now)
		call->end = stack->now;
	stack->now = call->end;
	rc = nest->sink->close(nest->sink->ctx, stack);
	stack->n--;
	return rc;
}

/* How many of the open calls stay around one that begins. */
static size_t stay_around(const struct nest_stack *stack, const struct call_line *line)
{
	uint64_t end = line->entered + line->duration;
	size_t n = stack->n;

	for (size_t i = n; i; i--)
		if (stack->calls[i - 1].line.tree == line->tree) {
			while (n > i || (n && stack->calls[n - 1].line.tree == line->tree &&
			                 stack->calls[n - 1].line.depth >= line->depth))
				n--;
			return n;
		}
	/* A new tree: an interrupt, or the next one of this stack. */
	for (; n; n--) {
		const struct nest_call *call = &stack->calls[n - 1];

		if (call->end > line->entered || (call->end == line->entered && line->interrupt && end <= call->end))
			break;
	}
	return n;
}

int nest_line(struct nest *nest, const struct call_line *line)
{
	struct nest_stack *stack = NULL;
	struct nest_call *call;
	size_t around;
	int rc = find_stack(nest, line->stack, &stack);

	around = rc ? 0 : stay_around(stack, line);
	while (!rc && stack->n > around)
		rc = close_call(nest, stack, line->entered);
	if (!rc)
		rc = find_task(nest, stack, line);
	if (!rc)
		rc = grow_array((void **)&stack->calls, stack->n, &stack->cap, sizeof(*stack->calls));
	if (rc)
		return rc;
	call = &stack->calls[stack->n++];
	*call = (struct nest_call){.line = *line, .begin = line->entered, .task = stack->task};
	call->end = line->entered + line->duration;
	call->root = !around || call[-1].line.tree != line->tree;
	if (call->begin < stack->now)
		call->begin = stack->now;
	if (around && call->end > call[-1].end)
		call->end = call[-1].end;
	if (call->end < call->begin)
		call->end = call->begin;
	stack->now = call->begin;
	return nest->sink->open(nest->sink->ctx, stack);
}

int nest_finish(struct nest *nest)
{
	int rc = 0;

	for (size_t i = 0; i < nest->n && !rc; i++)
		while (!rc && nest->all[i].n)
			rc = close_call(nest, &nest->all[i], UINT64_MAX);
	return rc;
}

void nest_release(struct nest *nest)
{
	for (size_t i = 0; i < nest->n; i++)
		free(nest->all[i].calls);
	free(nest->all);
	for (size_t i = 0; i < nest->n_tasks; i++)
		free(nest->tasks[i]);
	free(nest->tasks);
	byte_map_release(&nest->stacks);
}
