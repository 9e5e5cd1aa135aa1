/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include "grow.h"
#include <errno.h>
#include <fnmatch.h>
#include <string.h>

enum flag {
	FRAME_AGAIN = 1 << 0,  /* a call of the same row is around it, on the same side of an interrupt */
	FRAME_INSIDE = 1 << 1, /* within the function that everything has to be under */
};

/* --- Tables by number ----------------------------------------------------------------------------------------------
 */

/* Room for the functions that were defined since. 0 or -ENOMEM. */
static int learn_functions(struct functions *f)
{
	size_t n = replay_functions(f->replay) + 1024;
	uint32_t *row_of = reallocarray(f->row_of, n, sizeof(*row_of));
	uint8_t *under;

	if (!row_of)
		return -ENOMEM;
	f->row_of = row_of;
	under = realloc(f->under, n);
	if (!under)
		return -ENOMEM;
	f->under = under;
	memset(row_of + f->n_known, 0, (n - f->n_known) * sizeof(*row_of));
	memset(under + f->n_known, 0, n - f->n_known);
	f->n_known = n;
	return 0;
}

static int learn_function(struct functions *f, uint32_t function)
{
	int rc = function < f->n_known ? 0 : learn_functions(f);

	if (rc)
		return rc;
	f->under[function] = f->scoped && fnmatch(f->options.under, replay_function(f->replay, function)->name, 0) == 0;
	f->row_of[function] = functions_find_row(f, function, &rc);
	return rc;
}

static struct fstack *learn_stack(struct functions *f, struct replay_stack *stack)
{
	struct fstack **stacks = f->stacks;

	if (stack->number >= f->n_stacks) {
		size_t n = (size_t)stack->number * 2 + 64;

		stacks = reallocarray(f->stacks, n, sizeof(struct fstack *));
		if (!stacks)
			return NULL;
		memset(stacks + f->n_stacks, 0, (n - f->n_stacks) * sizeof(struct fstack *));
		f->stacks = stacks;
		f->n_stacks = n;
	}
	stacks[stack->number] = calloc(1, sizeof(struct fstack));
	stack->user = stacks[stack->number];
	return stack->user;
}

static inline struct fstack *known(struct functions *f, struct replay_stack *stack)
{
	return __builtin_expect(stack->user != NULL, 1) ? stack->user : learn_stack(f, stack);
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

/* Whether a call of this row is open around the innermost one; what an interrupt interrupted does not count. */
static bool is_nested(const struct replay_stack *stack, uint32_t row)
{
	uint32_t at = stack->depth - 1;

	while (at && !stack->frames[at].interrupt)
		if (stack->frames[--at].mark == row)
			return true;
	return false;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct functions *f = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	uint32_t function = frame->function, row;
	struct fstack *fs = known(f, stack);
	int rc;

	if (__builtin_expect(function >= f->n_known || !f->row_of[function], 0)) {
		rc = learn_function(f, function);
		if (rc)
			return rc;
	}
	if (__builtin_expect(!fs, 0))
		return -ENOMEM;
	frame->mark = row = f->row_of[function];
	if (fs->nests[row % NESTS]++ && is_nested(stack, row))
		frame->flags = FRAME_AGAIN;
	if (__builtin_expect(f->scoped, 0) &&
	    (f->under[function] || (!frame->interrupt && stack->depth > 1 && frame[-1].flags & FRAME_INSIDE)))
		frame->flags |= FRAME_INSIDE;
	return 0;
}

/* Takes away from what is in no function. */
static void found(struct functions *f, const struct replay_stack *stack, const struct replay_call *call)
{
	if (call->frame->interrupt || !stack->depth)
		f->rows[ROW_OUTSIDE].self -= call->total;
}

static void count_interrupt(struct functions *f, uint64_t total)
{
	f->rows[ROW_INTERRUPTS].count++;
	f->rows[ROW_INTERRUPTS].time += total;
	f->rows[ROW_INTERRUPTS].self += total;
}

/* Whether a call is to be counted as such. */
static bool is_wanted(struct functions *f, const struct replay_call *call)
{
	const struct replay_frame *frame = call->frame;

	if (f->scoped && !(frame->flags & FRAME_INSIDE))
		return false;
	if (f->options.irq == FUNCTIONS_IRQ_ONLY && !frame->in_interrupt)
		return false;
	if (f->options.irq == FUNCTIONS_IRQ_NO && frame->in_interrupt) {
		if (frame->interrupt && !f->scoped)
			count_interrupt(f, call->total);
		return false;
	}
	if (call->total >= f->options.min && call->total <= f->options.max)
		return true;
	f->filtered++;
	f->rows[ROW_FILTERED].count++;
	f->rows[ROW_FILTERED].self += call->self;
	f->rows[ROW_FILTERED].time += call->self;
	return false;
}

static int add_edge(struct functions *f, uint32_t from, uint32_t to, uint64_t total)
{
	struct edge *e = idmap_get(&f->edges_by_rows, from, to);
	int rc = 0;

	if (!e) {
		rc = grow_array((void **)&f->edges, f->n_edges, &f->cap_edges, sizeof(e));
		e = rc ? NULL : calloc(1, sizeof(*e));
		if (!e)
			return -ENOMEM;
		*e = (struct edge){.from = from, .to = to};
		f->edges[f->n_edges++] = e;
		rc = idmap_put(&f->edges_by_rows, from, to, e);
	}
	e->time += total;
	e->count++;
	return rc;
}

/* A call that ended, in the row's extremes. */
static inline int add_duration(struct functions *f, struct functions_row *row, uint64_t total)
{
	struct call_stats *each = &row->each;

	if (f->options.distribution)
		return call_stats_add(each, total, false);
	if (total < each->min || !each->count)
		each->min = total;
	if (total > each->max)
		each->max = total;
	each->total += total;
	each->count++;
	return 0;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct functions *f = ctx;
	const struct replay_frame *frame = call->frame;
	uint32_t number = (uint32_t)frame->mark;
	struct fstack *fs = stack->user;
	struct functions_row *row;
	int rc = 0;

	fs->nests[number % NESTS]--;
	if (__builtin_expect(!task_wanted(&f->tasks_wanted, &fs->match, stack), 0))
		return 0;
	found(f, stack, call);
	if (call->outside || !is_wanted(f, call))
		return 0;
	row = &f->rows[number];
	f->calls++;
	row->count++;
	row->self += call->self;
	row->inner += frame->inner;
	if (!(frame->flags & FRAME_AGAIN))
		row->time += call->total;
	if (__builtin_expect(!call->seen, 0))
		row->endless++;
	else
		rc = add_duration(f, row, call->total);
	if (__builtin_expect(f->options.callees, 0) && !rc && stack->depth && !frame->interrupt)
		rc = add_edge(f, (uint32_t)stack->frames[stack->depth - 1].mark, number, call->total);
	return rc;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct functions *f = ctx;
	struct fstack *fs = known(f, stack);

	(void)cpu;
	if (!fs)
		return -ENOMEM;
	f->ran += ticks;
	if (task_wanted(&f->tasks_wanted, &fs->match, stack))
		f->rows[ROW_OUTSIDE].self += ticks;
	return 0;
}

/* --- Tasks and CPUs ------------------------------------------------------------------------------------------------
 */

static uint32_t row_of(struct functions *f, struct replay_stack *stack, uint32_t cpu, int *rc)
{
	struct fstack *fs = known(f, stack);

	*rc = fs ? 0 : -ENOMEM;
	if (!fs)
		return 0;
	if (f->options.by == FUNCTIONS_BY_CPU)
		return functions_cpu_row(f, cpu, rc);
	if (!fs->row)
		fs->row = functions_task_row(f, stack, rc);
	return fs->row;
}

static int on_others_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct functions *f = ctx;
	int rc;
	uint32_t row = row_of(f, stack, stack->cpu, &rc);
	bool only = f->options.irq == FUNCTIONS_IRQ_ONLY;

	if (rc || !task_wanted(&f->tasks_wanted, &((struct fstack *)stack->user)->match, stack))
		return rc;
	if (!call->outside && (!only || call->frame->in_interrupt)) {
		f->calls++;
		f->rows[row].count++;
		f->rows[row].endless += !call->seen;
	}
	if (!call->frame->interrupt)
		return 0;
	if (only) {
		f->rows[row].time += call->total;
	} else if (f->options.irq == FUNCTIONS_IRQ_NO || f->options.by == FUNCTIONS_BY_TASK) {
		f->rows[row].time -= call->total;
		count_interrupt(f, call->total);
	}
	return 0;
}

static int on_others_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct functions *f = ctx;
	int rc;
	uint32_t row = row_of(f, stack, cpu, &rc);

	if (!rc && f->options.irq != FUNCTIONS_IRQ_ONLY &&
	    task_wanted(&f->tasks_wanted, &((struct fstack *)stack->user)->match, stack))
		f->rows[row].time += ticks;
	return rc;
}

static int on_others_task(void *ctx, struct replay_stack *stack)
{
	struct fstack *fs = stack->user;

	(void)ctx;
	if (fs)
		fs->row = 0;
	return 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

/* A task may have lost more to interrupts than it ran itself as this task. */
static uint64_t not_negative(uint64_t ticks)
{
	return (int64_t)ticks < 0 ? 0 : ticks;
}

static void settle(struct functions *f)
{
	bool all = !f->scoped && f->options.irq != FUNCTIONS_IRQ_ONLY;
	struct functions_row *outside = &f->rows[ROW_OUTSIDE];

	/* On which stack a CPU is need not be known at all times. */
	if (f->options.by < FUNCTIONS_BY_TASK && !f->options.task && !f->options.n_pids)
		outside->self += replay_cpu_time(f->replay) - f->ran;
	outside->self = outside->time = all ? not_negative(outside->self) : 0;
	if (f->options.by < FUNCTIONS_BY_TASK)
		return;
	for (size_t i = ROW_SPECIAL; i < f->n; i++)
		f->rows[i].self = f->rows[i].time = not_negative(f->rows[i].time);
}

int functions_count(struct functions *f)
{
	const struct replay_sink functions = {f, on_enter, on_leave, on_ran, NULL};
	const struct replay_sink others = {f, NULL, on_others_leave, on_others_ran, on_others_task};
	int rc = replay_run(f->replay, f->options.by < FUNCTIONS_BY_TASK ? &functions : &others);

	settle(f);
	return rc;
}

struct functions *functions_new(struct replay *p, const struct functions_options *options)
{
	static const char *const names[] = {"[no function]", "[filtered]", "[interrupts]"};
	struct functions *f = calloc(1, sizeof(*f));
	int rc = 0;

	if (!f)
		return NULL;
	f->replay = p;
	f->options = *options;
	f->scoped = options->under != NULL;
	f->tasks_wanted = (struct task_select){options->task, options->pids, options->n_pids};
	if (!f->options.max)
		f->options.max = UINT64_MAX;
	for (unsigned i = 0; i < ROW_SPECIAL; i++)
		functions_add_row(f, &(struct functions_row){.name = names[i], .module = "", .special = true}, &rc);
	if (!rc)
		return f;
	functions_free(f);
	return NULL;
}

void functions_free(struct functions *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		call_stats_release(&f->rows[i].each);
		free(f->rows[i].callees);
	}
	for (size_t i = 0; i < f->n_edges; i++)
		free(f->edges[i]);
	for (size_t i = 0; i < f->n_stacks; i++)
		free(f->stacks[i]);
	free(f->rows);
	free(f->edges);
	free(f->stacks);
	free(f->row_of);
	free(f->under);
	free(f->sorted);
	idmap_release(&f->modules);
	idmap_release(&f->tasks);
	idmap_release(&f->edges_by_rows);
	free(f);
}

uint64_t functions_calls(const struct functions *f)
{
	return f->calls;
}

uint64_t functions_filtered(const struct functions *f)
{
	return f->filtered;
}

uint64_t functions_total(const struct functions *f)
{
	uint64_t total = 0;

	for (size_t i = 0; i < f->n; i++)
		total += f->rows[i].self;
	return total;
}
