/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a guest. A frame's mark is its path. What a stack does is told to the lanes when it begins to do
 * something of another kind, so most calls cost them nothing.
 */
#include "calltree.h"
#include "overview.h"
#include <exectrace/answer/replay/replay_state.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdio.h>
#include <string.h>

/* What a function means, beside its kind. */
enum meaning {
	MEANS_INITCALLS = 1 << 4, /* what it calls initialises something */
	MEANS_PHASE = 1 << 5,     /* a phase may begin */
	MEANS_KNOWN = 1 << 6,
};

/* A stack. */
struct gstack {
	uint32_t lane;  /* of its task; NO_LANE: not asked for yet */
	uint32_t path;  /* of its task; 0: not asked for since it is another one */
	uint32_t pid;   /* of the lane */
	unsigned kind;  /* of what it does ... */
	uint64_t since; /* ... from this tick on */
	uint64_t told;  /* until when that of this run was told of; 0: nothing yet. The next may be on a CPU whose clock
	                   is behind */
};

struct report_guest {
	struct overview *overview;
	struct replay *replay;
	unsigned side;
	uint32_t *functions; /* by the replay's numbers: those of the paths */
	uint8_t *means;      /* the same: enum meaning, and the kind */
	size_t n_functions;
	struct gstack *stacks; /* by number */
	size_t n_stacks;
	uint32_t *cpus; /* lanes */
	size_t n_cpus;
	uint32_t interrupts; /* the path that all of them are below; 0: there was none */
	struct phases phases;
	uint64_t began;   /* the first tick that something was told of */
	uint64_t ran;     /* all that the stacks ran */
	uint32_t unknown; /* the lane of stacks whose task is not known; NO_LANE: there was none */
	bool any;
};

/* --- What is known -------------------------------------------------------------------------------------------------
 */

/* An array that has n more elements that are 0. 0 or -ENOMEM. */
static int lengthen(void *array, size_t had, size_t n, size_t size)
{
	void *old, *longer;

	memcpy(&old, array, sizeof(old));
	longer = reallocarray(old, had + n, size);
	if (!longer)
		return -ENOMEM;
	memset((char *)longer + had * size, 0, n * size);
	memcpy(array, &longer, sizeof(longer));
	return 0;
}

static int learn_function(struct report_guest *g, uint32_t number)
{
	const struct replay_function *f = replay_function(g->replay, number);
	size_t more = replay_functions(g->replay) + 1024 - g->n_functions;
	char address[24];
	int rc = 0;

	if (number >= g->n_functions) {
		rc = lengthen(&g->functions, g->n_functions, more, sizeof(*g->functions));
		if (!rc)
			rc = lengthen(&g->means, g->n_functions, more, sizeof(*g->means));
		if (rc)
			return rc;
		g->n_functions += more;
	}
	g->means[number] = (uint8_t)(overview_kind_of(f) | MEANS_KNOWN);
	if (!strcmp(f->name, "do_one_initcall"))
		g->means[number] |= MEANS_INITCALLS;
	if (overview_begins_phase(f->name))
		g->means[number] |= MEANS_PHASE;
	snprintf(address, sizeof(address), "@%jx", (uintmax_t)f->address);
	g->functions[number] = calltree_function(g->overview->paths, *f->name ? f->name : address, f->module, "");
	return g->functions[number] == CALLTREE_NONE ? -ENOMEM : 0;
}

/* The path that goes on to a function. 0 or -ENOMEM. */
static inline int step(struct report_guest *g, uint32_t from, uint32_t function, uint32_t *path)
{
	*path = function == CALLTREE_NONE ? CALLTREE_NONE : child_of(g->overview->paths, from, function);
	return *path == CALLTREE_NONE ? -ENOMEM : 0;
}

/* Adds to a path. */
static inline void add(struct report_guest *g, uint32_t path, uint64_t self, uint64_t count)
{
	struct calltree_weight *weight = &g->overview->paths->nodes[path].sides[g->side];

	weight->self += self;
	weight->count += count;
}

static inline int know_function(struct report_guest *g, uint32_t number)
{
	return number < g->n_functions && g->means[number] ? 0 : learn_function(g, number);
}

static int know_cpu(struct report_guest *g, uint32_t cpu)
{
	struct lanes *a = g->overview->activity;
	char name[32];
	int rc = cpu < g->n_cpus ? 0 : lengthen(&g->cpus, g->n_cpus, cpu + 1 - g->n_cpus, sizeof(*g->cpus));

	if (rc)
		return rc;
	while (g->n_cpus <= cpu && !rc) {
		snprintf(name, sizeof(name), "CPU %zu", g->n_cpus);
		rc = lanes_lane(a, SURVEY_CPUS, (uint32_t)g->n_cpus, 0, &g->cpus[g->n_cpus]);
		if (!rc)
			rc = lanes_name(a, g->cpus[g->n_cpus++], lanes_start(a), name);
	}
	return rc;
}

/* Calls that are open go on below the new name of their task: kernel threads get theirs when they run already. */
static int rename_paths(struct report_guest *g, struct replay_stack *stack, uint32_t path)
{
	int rc = 0;

	for (uint32_t i = 0; i < stack->depth && !rc; i++) {
		struct replay_frame *frame = &stack->frames[i];

		if (frame->interrupt && g->interrupts)
			path = g->interrupts;
		rc = step(g, path, g->functions[frame->function], &path);
		frame->mark = path;
	}
	return rc;
}

/* The task of a stack. */
static int learn_task(struct report_guest *g, struct replay_stack *stack, struct gstack *gs)
{
	struct lanes *a = g->overview->activity;
	char unnamed[32];
	const char *task = *stack->task ? stack->task : stack->tasks ? unnamed : "[unknown]";
	int rc;

	snprintf(unnamed, sizeof(unnamed), "task %u", stack->pid);
	rc = step(g, CALLTREE_ROOT, calltree_function(g->overview->paths, task, SURVEY_TASK, ""), &gs->path);
	if (!rc)
		rc = rename_paths(g, stack, gs->path);
	if (rc || g->side)
		return rc;
	if (!stack->tasks && g->unknown != NO_LANE)
		gs->lane = g->unknown;
	else if (gs->lane == NO_LANE || gs->lane == g->unknown || gs->pid != stack->pid)
		rc = lanes_lane(a, SURVEY_TASKS, stack->pid, stack->number, &gs->lane);
	if (!stack->tasks)
		g->unknown = gs->lane;
	gs->pid = stack->pid;
	return rc ? rc : lanes_name(a, gs->lane, gs->since > lanes_start(a) ? gs->since : lanes_start(a), task);
}

static struct gstack *learn_stack(struct report_guest *g, struct replay_stack *stack)
{
	size_t had = g->n_stacks, n = (size_t)stack->number + 64;

	if (stack->number < had)
		return &g->stacks[stack->number];
	if (lengthen(&g->stacks, had, n - had, sizeof(*g->stacks)))
		return NULL;
	for (size_t i = had; i < n; i++)
		g->stacks[i] = (struct gstack){.lane = NO_LANE, .kind = SURVEY_NOWHERE};
	g->n_stacks = n;
	return &g->stacks[stack->number];
}

/* --- Lanes ---------------------------------------------------------------------------------------------------------
 */

/* Time in no known function, of a task or (the root) of nobody known. */
static int add_nowhere(struct report_guest *g, uint32_t path, uint64_t ticks)
{
	int rc = step(g, path, calltree_function(g->overview->paths, "[no function]", "", ""), &path);

	if (!rc)
		add(g, path, ticks, 0);
	return rc;
}

/* Tells of what the stack did until now. */
static int flush(struct report_guest *g, struct replay_stack *stack, struct gstack *gs, uint64_t from, uint64_t now)
{
	struct lanes *a = g->overview->activity;
	int rc = gs->path ? 0 : learn_task(g, stack, gs);

	if (rc)
		return rc;
	if (gs->kind == SURVEY_NOWHERE)
		rc = add_nowhere(g, gs->path, now - from);
	if (rc)
		return rc;
	if (g->side)
		return 0;
	if (!g->any || from < g->began)
		g->began = from;
	g->any = true;
	rc = know_cpu(g, stack->cpu);
	if (!rc)
		rc = lanes_add(a, g->cpus[stack->cpu], gs->kind, from, now);
	return rc ? rc : lanes_add(a, gs->lane, gs->kind, from, now);
}

/* The stack does something from now on. */
static inline int set_activity(struct report_guest *g, struct replay_stack *stack, unsigned kind, uint64_t now)
{
	struct gstack *gs = &g->stacks[stack->number];
	uint64_t from = gs->told > stack->since ? gs->told : stack->since;
	int rc = 0;

	if (__builtin_expect(kind == gs->kind, 1))
		return 0;
	if (g->replay->bounded && now > g->replay->until)
		now = g->replay->until;
	if (now > from) {
		rc = flush(g, stack, gs, from, now);
		gs->since = gs->told = now;
	}
	gs->kind = kind;
	return rc;
}

static inline unsigned kind_now(const struct report_guest *g, const struct replay_stack *stack)
{
	const struct replay_frame *top = stack->depth ? &stack->frames[stack->depth - 1] : NULL;

	if (!top)
		return SURVEY_NOWHERE;
	return top->in_interrupt ? SURVEY_INTERRUPT : g->means[top->function] & (MEANS_INITCALLS - 1);
}

/* --- Calls ---------------------------------------------------------------------------------------------------------
 */

/* The path above a call that begins. */
static int caller(struct report_guest *g, struct replay_stack *stack, struct gstack *gs, uint32_t *path)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	int rc = gs->path ? 0 : learn_task(g, stack, gs);

	if (rc || !frame->interrupt) {
		*path = stack->depth > 1 ? (uint32_t)frame[-1].mark : gs->path;
		return rc;
	}
	if (!g->interrupts)
		rc = step(g, CALLTREE_ROOT,
		          calltree_function(g->overview->paths, "[interrupts]", SURVEY_INTERRUPTS, ""), &g->interrupts);
	*path = g->interrupts;
	return rc;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct report_guest *g = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct gstack *gs = stack->number < g->n_stacks ? &g->stacks[stack->number] : learn_stack(g, stack);
	uint32_t path = CALLTREE_ROOT;
	int rc = gs ? know_function(g, frame->function) : -ENOMEM;

	if (rc)
		return rc;
	rc = frame->outside ? 0 : set_activity(g, stack, kind_now(g, stack), frame->entered);
	if (!rc)
		rc = caller(g, stack, gs, &path);
	if (!rc)
		rc = step(g, path, g->functions[frame->function], &path);
	frame->mark = path;
	if (__builtin_expect(g->means[frame->function] & MEANS_PHASE, 0) && !frame->outside && !g->side)
		overview_note_phase(&g->phases, replay_function(g->replay, frame->function)->name, frame->entered);
	return rc;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct report_guest *g = ctx;
	const struct replay_frame *frame = call->frame;
	const struct replay_function *f;

	if (!call->outside)
		add(g, (uint32_t)frame->mark, call->self, 1);
	/* At the end no stack runs any more. */
	if (!call->ended)
		return 0;
	if (stack->depth && __builtin_expect(g->means[stack->frames[stack->depth - 1].function] & MEANS_INITCALLS, 0) &&
	    !frame->interrupt && !call->outside && !g->side) {
		f = replay_function(g->replay, frame->function);
		return overview_add_span(g->overview, &(struct overview_span){.from = frame->entered,
		                                                              .to = call->left,
		                                                              .name = f->name,
		                                                              .module = f->module})
		               ? -ENOMEM
		               : set_activity(g, stack, kind_now(g, stack), call->left);
	}
	return set_activity(g, stack, kind_now(g, stack), call->left);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct report_guest *g = ctx;
	struct gstack *gs = learn_stack(g, stack);
	uint64_t from = stack->since - ticks;
	int rc = 0;

	(void)cpu;
	if (!gs)
		return -ENOMEM;
	from = gs->told > from ? gs->told : from;
	if (stack->since > from)
		rc = flush(g, stack, gs, from, stack->since);
	gs->since = stack->since;
	gs->told = 0;
	g->ran += ticks;
	return rc;
}

static int on_task(void *ctx, struct replay_stack *stack)
{
	struct report_guest *g = ctx;
	struct gstack *gs = learn_stack(g, stack);

	if (!gs)
		return -ENOMEM;
	gs->path = 0;
	return 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

int overview_guest(struct overview *s, struct replay *p, unsigned side)
{
	struct report_guest g = {.overview = s, .replay = p, .side = side, .unknown = NO_LANE};
	const struct replay_sink sink = {.ctx = &g,
	                                 .enter = on_enter,
	                                 .leave = on_leave,
	                                 .ran = on_ran,
	                                 .task = on_task};
	int rc = side ? 0 : overview_begin(s, replay_start(p));

	if (!rc)
		rc = replay_run(p, &sink);
	s->guest = true;
	/* On which stack a CPU is need not be known at all times. */
	if (!rc && replay_cpu_time(p) > g.ran)
		rc = add_nowhere(&g, CALLTREE_ROOT, replay_cpu_time(p) - g.ran);
	if (!rc && !side)
		rc = overview_add_phases(s, &g.phases, g.began);
	free(g.functions);
	free(g.means);
	free(g.stacks);
	free(g.cpus);
	return rc;
}
