/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first calls of a guest, and what the names of some functions of Linux tell of its boot. */
#include "guest.h"
#include <exectrace/answer/replay/task.h>

#include <errno.h>
#include <string.h>

/* --- Functions and stacks ------------------------------------------------------------------------------------------
 */

/* What begins or ends behind the time that is wanted goes on until its end. */
static uint64_t within(const struct adding *a, uint64_t tick)
{
	return tick < a->until ? tick : a->until;
}

/* The process that a stack is of. NULL: no memory. */
static inline struct timeline_process *process_of(struct adding *a, struct timeline_guest_gstack *gs,
                                                  const struct replay_stack *stack)
{
	if (__builtin_expect(gs->tasks != stack->tasks + 1, 0)) {
		gs->process = timeline_process(&a->programs, stack);
		gs->tasks = gs->process ? stack->tasks + 1 : 0;
	}
	return gs->process;
}

/* --- Phases and programs -------------------------------------------------------------------------------------------
 */

/* The name is the one that the task has got. */
static int begin_program(struct adding *a, const struct replay_stack *stack, const struct replay_call *call)
{
	const struct timeline_item item = {
		.kind = TIMELINE_PROGRAM,
		.name = stack->task,
		.module = "",
		.start = call->frame->entered,
		.pid = stack->pid,
		.stack = stack->number,
		.task = stack->task,
		.count = 1,
	};
	struct timeline_process *process = process_of(a, stack->user, stack);
	uint64_t ran = process ? timeline_process_ran(process, a->replay, stack) - call->total : 0;

	if (!process)
		return -ENOMEM;
	/* Older kernels have both functions, one after the other. */
	if (process->item && a->t->items[process->item].name == item.name && process->before == ran)
		return 0;
	timeline_program_end(a->t, process, item.start, ran);
	process->before = ran;
	process->item = timeline_add(a->t, &item);
	return process->item ? 0 : -ENOMEM;
}

/* A thread ends: as far as is known the last one of its process. */
static int exit_program(struct adding *a, struct timeline_guest_gstack *gs, const struct replay_stack *stack)
{
	struct timeline_process *process = process_of(a, gs, stack);

	if (!process)
		return -ENOMEM;
	timeline_program_end(a->t, process, stack->frames[stack->depth - 1].entered,
	                     timeline_process_ran(process, a->replay, stack));
	return 0;
}

static int on_role(struct adding *a, const struct known *known, struct timeline_guest_gstack *gs,
                   const struct replay_stack *stack)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];

	switch (known->role) {
	case ROLE_FIRMWARE:
		return timeline_phase_begin(&a->phases, PHASE_FIRMWARE, frame->entered);
	case ROLE_LOADER:
		return timeline_phase_begin(&a->phases, PHASE_LOADER, frame->entered);
	case ROLE_FILTERED:
		return 0;
	case ROLE_START:
		return timeline_phase_begin(&a->phases, PHASE_START, frame->entered);
	case ROLE_INITCALL:
		return a->phases.phase ? timeline_phase_begin(&a->phases, PHASE_INITCALLS, frame->entered) : 0;
	case ROLE_EXEC:
		if (!a->phases.phase || (stack->tasks && stack->pid != 1))
			return 0;
		return timeline_phase_begin(&a->phases, PHASE_PROGRAMS, frame->entered);
	case ROLE_EXIT:
		return exit_program(a, gs, stack);
	case ROLE_OFF:
		return a->phases.phase ? timeline_phase_begin(&a->phases, PHASE_OFF, frame->entered) : 0;
	default:
		return a->phases.phase == PHASE_FIRMWARE || a->phases.phase == PHASE_LOADER
		               ? timeline_phase_begin(&a->phases, PHASE_EARLY, frame->entered)
		               : 0;
	}
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

/* Whether the innermost call is one of those that are made for each initcall, or the initcall. */
static bool is_initcall(const struct adding *a, const struct replay_stack *stack)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];

	return stack->depth > 1 && !frame->interrupt && a->known[frame[-1].function].role == ROLE_INITCALL;
}

/* A module is there when it is loaded, not only initialized. The frame of the call that does all of it; NULL: none. */
static const struct replay_frame *loads(const struct adding *a, const struct replay_stack *stack)
{
	for (uint32_t i = 0; i + 1 < stack->depth; i++)
		if (a->known[stack->frames[i].function].role == ROLE_LOAD)
			return &stack->frames[i];
	return NULL;
}

static void begin_module(struct timeline_guest_gstack *gs, struct timeline_item *item, uint32_t number,
                         const struct replay_stack *stack, const struct replay_frame *load)
{
	item->start = load->entered;
	gs->module = number;
	gs->module_depth = (uint32_t)(load - stack->frames);
}

/* The first call of a function; the mark of its frame says so. */
static int begin_first(struct adding *a, struct known *known, const struct replay_stack *stack)
{
	const struct replay_frame *load = NULL;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	const struct replay_function *f = replay_function(a->replay, frame->function);
	struct timeline_item item = {
		.kind = TIMELINE_FUNCTION,
		.name = f->name,
		.module = f->module,
		.start = frame->entered,
		.pid = stack->pid,
		.stack = stack->number,
		.task = stack->task,
	};

	/* The code below the kernel has no functions: it is its phase. */
	if (known->role == ROLE_FIRMWARE || known->role == ROLE_LOADER || known->role == ROLE_FILTERED)
		return 0;
	if (is_initcall(a, stack))
		item.kind = known->kernel ? TIMELINE_INITCALL : TIMELINE_MODULE;
	if (item.kind == TIMELINE_MODULE)
		load = loads(a, stack);
	for (uint32_t i = stack->depth - 1; i && !stack->frames[i].interrupt && !item.parent; i--)
		item.parent = (uint32_t)stack->frames[i - 1].mark;
	frame->mark = known->item = timeline_add(a->t, &item);
	if (known->item && load)
		begin_module(stack->user, &a->t->items[known->item], known->item, stack, load);
	return known->item ? 0 : -ENOMEM;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct adding *a = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct known *known = frame->function < a->n ? &a->known[frame->function] : NULL;
	struct timeline_guest_gstack *gs = stack->user ? stack->user : timeline_guest_learn_stack(a, stack);
	int rc = 0;

	if (__builtin_expect(!known || !known->learned, 0))
		known = timeline_guest_learn(a, frame->function);
	if (!known || !gs)
		return -ENOMEM;
	if (frame->outside)
		return 0;
	known->count++;
	known->initcalls += is_initcall(a, stack);
	if (__builtin_expect(a->shapes && (known->role || (known->kernel && a->phases.phase < PHASE_EARLY)), 0))
		rc = on_role(a, known, gs, stack);
	if (rc || !a->calls || known->item || !task_wanted(&a->tasks_wanted, &gs->match, stack))
		return rc;
	if (!functions_irq_wants(a->irq, frame, frame->asked))
		return 0;
	return begin_first(a, known, stack);
}

static void end_item(struct adding *a, struct timeline_item *item, const struct replay_call *call)
{
	uint64_t left = within(a, call->left);

	item->ran = call->total;
	item->elapsed = left > item->start ? left - item->start : 0;
	if (item->elapsed < item->ran)
		item->elapsed = item->ran;
	item->ended = call->ended && call->left <= a->until;
}

/* A call that is no more than that. */
static int end_call(struct adding *a, struct replay_stack *stack, const struct replay_call *call, struct known *known)
{
	struct timeline_guest_gstack *gs = stack->user;
	const struct replay_frame *frame = call->frame;

	if (a->shapes && known->role == ROLE_EXEC && !call->outside && call->ended &&
	    task_wanted(&a->tasks_wanted, &gs->match, stack) && begin_program(a, stack, call))
		return -ENOMEM;
	if (frame->interrupt && !process_of(a, gs, stack))
		return -ENOMEM;
	if (frame->interrupt)
		gs->process->ran -= call->total;
	if (gs->module && gs->module_depth == stack->depth) {
		end_item(a, &a->t->items[gs->module], call);
		gs->module = 0;
	}
	return 0;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct adding *a = ctx;
	const struct replay_frame *frame = call->frame;
	struct known *known = &a->known[frame->function];
	uint64_t left = within(a, call->left);
	struct timeline_guest_gstack *gs = stack->user;
	int rc = 0;

	if (left > a->t->end)
		a->t->end = left;
	if (__builtin_expect(known->role == ROLE_EXEC || frame->interrupt || gs->module, 0))
		rc = end_call(a, stack, call, known);
	if (rc || !frame->mark)
		return rc;
	end_item(a, &a->t->items[frame->mark], call);
	if (call->outside) {
		/* Before the time that is wanted: a later one is the first. */
		a->t->items[frame->mark].dropped = true;
		known->item = 0;
		known->count--;
	}
	return 0;
}

/* An interrupt in which no function of a list was called is not the process's time. */
static int on_bare(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct timeline_guest_gstack *gs = stack->user ? stack->user : timeline_guest_learn_stack(ctx, stack);

	if (!gs || !process_of(ctx, gs, stack))
		return -ENOMEM;
	gs->process->ran -= call->total;
	return 0;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct timeline_guest_gstack *gs = stack->user ? stack->user : timeline_guest_learn_stack(ctx, stack);

	(void)cpu;
	if (!gs || !process_of(ctx, gs, stack))
		return -ENOMEM;
	gs->process->ran += ticks;
	return 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

/* An initcall is called once from where all are; what is called around each of them, often. */
static void find_initcalls(struct adding *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct known *known = &a->known[i];
		struct timeline_item *item = &a->t->items[known->item];

		if (!known->item)
			continue;
		item->count = known->count;
		if (item->kind != TIMELINE_MODULE && (known->initcalls != 1 || known->role != ROLE_NONE))
			item->kind = TIMELINE_FUNCTION;
	}
}

/* Once through the recording: all of it, or what triggers and filters want. */
static int go_through(struct adding *a, bool shapes, bool calls)
{
	const struct replay_sink sink =
		{.ctx = a, .enter = on_enter, .leave = on_leave, .ran = on_ran, .asked_only = true, .bare = on_bare};
	int rc;

	a->shapes = shapes;
	a->calls = calls;
	rc = calls ? replay_run(a->replay, &sink) : replay_run_all(a->replay, &sink);
	if (!rc && shapes) {
		timeline_phase_end(&a->phases, a->t->end);
		timeline_programs_end(&a->programs, a->t);
	}
	if (!rc && calls)
		find_initcalls(a);
	timeline_guest_forget(a);
	return rc;
}

/* What triggers and filters leave out is no reason to take one phase for another, or not to know what ran. */
static int add_all(struct adding *a)
{
	const struct control_config *control = replay_control(a->replay);
	int rc = control ? go_through(a, true, false) : 0;

	if (!rc)
		rc = go_through(a, !control, true);
	if (!rc && control)
		timeline_phases_keep(a->t, !control_has_lists(control),
		                     control->start.when || control->stop.when || control->entries);
	return rc;
}

int timeline_guest(struct timeline **ret, struct replay *p, const struct functions_options *which)
{
	struct adding a = {.t = timeline_new(), .replay = p, .irq = which->irq};
	int rc = -ENOMEM;

	a.tasks_wanted = (struct task_select){which->task, which->pids, which->n_pids};
	if (a.t) {
		a.t->start = a.t->end = replay_start(p);
		a.phases.t = a.t;
		replay_bounds(p, &a.t->from, &a.until);
		rc = add_all(&a);
	}
	if (rc)
		timeline_free(a.t);
	else
		*ret = a.t;
	return rc;
}
