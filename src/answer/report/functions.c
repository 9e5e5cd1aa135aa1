/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "functions.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <fnmatch.h>
#include <string.h>

enum flag {
	FRAME_AGAIN = 1 << 0,  /* a call of the same row is around it, on the same side of an interrupt */
	FRAME_INSIDE = 1 << 1, /* within the function that everything has to be under */
	FRAME_ASKED = 1 << 2,  /* the same in an interrupt, which is not within it */
};

/* --- Tables by number ----------------------------------------------------------------------------------------------
 */

/* Room for the functions that were defined since. 0 or -ENOMEM. */
static int learn_functions(struct report_functions *f)
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

static int learn_function(struct report_functions *f, uint32_t function)
{
	int rc = function < f->n_known ? 0 : learn_functions(f);

	if (rc)
		return rc;
	f->under[function] = f->scoped && fnmatch(f->options.under, replay_function(f->replay, function)->name, 0) == 0;
	f->row_of[function] = functions_find_row(f, function, &rc);
	return rc;
}

struct fstack *functions_learn_stack(struct report_functions *f, struct replay_stack *stack)
{
	if (widen_array((void **)&f->stacks, &f->n_stacks, stack->number, sizeof(struct fstack *)))
		return NULL;
	f->stacks[stack->number] = calloc(1, sizeof(struct fstack));
	stack->user = f->stacks[stack->number];
	return stack->user;
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
	struct report_functions *f = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	uint32_t function = frame->function, row;
	struct fstack *fs = functions_stack(f, stack);
	bool below;
	int rc;

	if (__builtin_expect(function >= f->n_known || !f->row_of[function], 0)) {
		rc = learn_function(f, function);
		if (rc)
			return rc;
	}
	if (__builtin_expect(!fs, 0))
		return -ENOMEM;
	frame->mark = row = f->row_of[function];
	__builtin_prefetch(&f->tallies[row], 1); /* for its end */
	if (fs->nests[row % NESTS]++ && is_nested(stack, row))
		frame->flags = FRAME_AGAIN;
	below = stack->depth > 1 && !frame->interrupt;
	if (__builtin_expect(f->scoped, 0) && (f->under[function] || (below && frame[-1].flags & FRAME_INSIDE))) {
		frame->flags |= FRAME_INSIDE;
		if (functions_irq_ran(frame, below, FRAME_INSIDE, FRAME_ASKED))
			frame->flags |= FRAME_ASKED;
	}
	if (f->chain.n && functions_delay_begins(f, fs, stack))
		return -ENOMEM;
	return f->shapes ? shapes_enter(f->shapes, stack) : 0;
}

/* Takes away from what is in no function. */
static void found(struct report_functions *f, const struct replay_stack *stack, const struct replay_call *call)
{
	if (call->frame->interrupt || !stack->depth)
		f->rows[ROW_OUTSIDE].self -= call->total;
}

/* Whether a call is to be counted as such. */
static bool is_wanted(struct report_functions *f, const struct replay_call *call)
{
	const struct replay_frame *frame = call->frame;

	if (f->scoped && !(frame->flags & FRAME_INSIDE))
		return false;
	if (!functions_irq_wants(f->options.irq, frame, frame->asked || frame->flags & FRAME_ASKED)) {
		if (frame->in_interrupt && !f->scoped)
			functions_count_interrupt(f, frame->interrupt, call->self);
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

static int add_edge(struct report_functions *f, uint32_t from, uint32_t to, uint64_t total)
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

static inline void add_duration(struct tally *tally, uint64_t total)
{
	tally->ended++;
	tally->total += total;
	tally->min = total < tally->min ? total : tally->min;
	tally->max = total > tally->max ? total : tally->max;
}

/* Whether a call that is over is one of a function that has a row: not of an interrupt that has none. */
static bool has_caller(const struct report_functions *f, const struct replay_stack *stack,
                       const struct replay_frame *frame)
{
	if (!stack->depth || frame->interrupt)
		return false;
	return f->options.irq != FUNCTIONS_IRQ_NO || !stack->frames[stack->depth - 1].interrupt;
}

/* An interrupt in which no function of a list was called: what is left out is one row. */
static int on_bare(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct report_functions *f = ctx;
	struct fstack *fs = functions_stack(f, stack);
	const uint32_t function = call->frame->function;
	struct tally *tally;
	int rc;

	if (!fs)
		return -ENOMEM;
	if (!task_wanted(&f->tasks_wanted, &fs->match, stack))
		return 0;
	found(f, stack, call);
	if (call->outside || f->scoped)
		return 0;
	if (f->options.irq == FUNCTIONS_IRQ_NO) {
		functions_count_interrupt(f, true, call->total);
		return 0;
	}
	rc = function < f->n_known && f->row_of[function] ? 0 : learn_function(f, function);
	if (rc)
		return rc;
	tally = &f->tallies[f->row_of[function]];
	tally->count++;
	tally->self += call->total;
	tally->time += call->total;
	if (call->seen)
		add_duration(tally, call->total);
	return 0;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct report_functions *f = ctx;
	const struct replay_frame *frame = call->frame;
	uint32_t number = (uint32_t)frame->mark;
	struct fstack *fs = stack->user;
	struct tally *tally;
	int rc = 0;

	fs->nests[number % NESTS]--;
	if (__builtin_expect(!task_wanted(&f->tasks_wanted, &fs->match, stack), 0))
		return 0;
	found(f, stack, call);
	if (call->outside || !is_wanted(f, call))
		return 0;
	tally = &f->tallies[number];
	tally->count++;
	tally->self += call->self;
	tally->inner += frame->inner;
	if (!(frame->flags & FRAME_AGAIN)) {
		tally->time += call->total;
		functions_add_waits(f, number, stack, call);
	}
	if (__builtin_expect(call->seen, 1)) {
		add_duration(tally, call->total);
		if (__builtin_expect(f->options.distribution, 0))
			rc = call_stats_add(&f->rows[number].each, call->total, false);
	}
	if (__builtin_expect(f->options.callees, 0) && !rc && has_caller(f, stack, frame))
		rc = add_edge(f, (uint32_t)stack->frames[stack->depth - 1].mark, number, call->total);
	return rc || !f->shapes ? rc : shapes_leave(f->shapes, stack, call);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct report_functions *f = ctx;
	struct fstack *fs = functions_stack(f, stack);

	(void)cpu;
	if (!fs)
		return -ENOMEM;
	f->ran += ticks;
	if (task_wanted(&f->tasks_wanted, &fs->match, stack))
		f->rows[ROW_OUTSIDE].self += ticks;
	return 0;
}

static bool counts(void *ctx, struct replay_stack *stack)
{
	struct report_functions *f = ctx;
	struct fstack *fs = functions_stack(f, stack);

	return fs && task_wanted(&f->tasks_wanted, &fs->match, stack);
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

int functions_count(struct report_functions *f)
{
	static const struct shapes_options growth = {.growth = true};
	const struct replay_sink functions = {.ctx = f,
	                                      .enter = on_enter,
	                                      .leave = on_leave,
	                                      .ran = on_ran,
	                                      .counts = counts,
	                                      .unattributed = true,
	                                      .asked_only = true,
	                                      .bare = on_bare};
	const struct replay_sink others = functions_task_sink(f);
	bool grows = f->options.growth && f->options.by == FUNCTIONS_BY_FUNCTION && !f->options.several;
	int rc = f->options.delays ? functions_find_chain(f) : 0;

	f->shapes = grows && !rc ? shapes_new(f->replay, &growth) : NULL;
	if (grows && !rc && !f->shapes)
		rc = -ENOMEM;
	if (!rc)
		rc = replay_run(f->replay, f->options.by < FUNCTIONS_BY_TASK ? &functions : &others);
	if (!rc && f->options.by >= FUNCTIONS_BY_TASK)
		functions_task_waits(f);
	functions_settle(f);
	if (!rc && grows)
		rc = functions_fill_growth(f);
	shapes_free(f->shapes);
	f->shapes = NULL;
	return rc;
}

static void forget_stacks(struct report_functions *f)
{
	for (size_t i = 0; i < f->n_stacks; i++) {
		if (f->stacks[i])
			free(f->stacks[i]->delays);
		free(f->stacks[i]);
		f->stacks[i] = NULL;
	}
}

int functions_count_more(struct report_functions *f, struct replay *p)
{
	forget_stacks(f);
	if (f->n_known) {
		memset(f->row_of, 0, f->n_known * sizeof(*f->row_of));
		memset(f->under, 0, f->n_known);
	}
	f->ran = 0;
	f->replay = p;
	return functions_count(f);
}

struct report_functions *functions_new(struct replay *p, const struct functions_options *options)
{
	static const char *const names[] = {"[no function]", "[filtered]", "[interrupts]"};
	struct report_functions *f = calloc(1, sizeof(*f));
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

void functions_free(struct report_functions *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		call_stats_release(&f->rows[i].each);
		free(f->rows[i].callees);
	}
	for (size_t i = 0; i < f->n_edges; i++)
		free(f->edges[i]);
	forget_stacks(f);
	free(f->rows);
	free(f->tallies);
	free(f->waits);
	wait_chain_release(&f->chain);
	task_waits_free(f->tasks_waited);
	free(f->edges);
	free(f->stacks);
	free(f->row_of);
	free(f->under);
	free(f->sorted);
	idmap_release(&f->modules);
	pool_release(&f->texts);
	idmap_release(&f->tasks);
	idmap_release(&f->edges_by_rows);
	free(f);
}

uint64_t functions_calls(const struct report_functions *f)
{
	return f->calls;
}

uint64_t functions_filtered(const struct report_functions *f)
{
	return f->filtered;
}

uint64_t functions_total(const struct report_functions *f)
{
	uint64_t total = 0;

	for (size_t i = 0; i < f->n; i++)
		total += f->rows[i].self;
	return total;
}
