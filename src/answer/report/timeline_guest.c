/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first calls of a guest, and what the names of some functions of Linux tell of its boot. */
#include "timeline.h"
#include <exectrace/answer/replay/task.h>
#include <exectrace/base/grow.h>

#include <errno.h>
#include <string.h>

enum role {
	ROLE_NONE,
	ROLE_FIRMWARE,
	ROLE_LOADER,
	ROLE_START,    /* the kernel as such begins */
	ROLE_INITCALL, /* calls each initcall, of modules too */
	ROLE_HELPER,   /* is called around initcalls */
	ROLE_EXEC,     /* makes the new program of a process; its name is told within */
	ROLE_EXIT,     /* a task ends */
	ROLE_OFF,      /* the machine ends */
};

/* Names that stay (fs/exec.c, init/main.c, kernel/exit.c, kernel/reboot.c); those of the plugin and of import. */
static const struct {
	const char *name;
	enum role role;
} roles[] = {
	{"[firmware]", ROLE_FIRMWARE},
	{"[below the kernel]", ROLE_FIRMWARE},
	{"[loader]", ROLE_LOADER},
	{"start_kernel", ROLE_START},
	{"do_one_initcall", ROLE_INITCALL},
	{"initcall_blacklisted", ROLE_HELPER},
	{"add_device_randomness", ROLE_HELPER},
	{"begin_new_exec", ROLE_EXEC},
	{"flush_old_exec", ROLE_EXEC},
	{"do_exit", ROLE_EXIT},
	{"kernel_restart", ROLE_OFF},
	{"kernel_halt", ROLE_OFF},
	{"kernel_power_off", ROLE_OFF},
};

/* In their order. */
enum phase {
	PHASE_NONE,
	PHASE_FIRMWARE,
	PHASE_LOADER,
	PHASE_EARLY,
	PHASE_START,
	PHASE_INITCALLS,
	PHASE_PROGRAMS,
	PHASE_OFF,
};

static const char *const phases[] = {
	"",
	"Firmware",
	"Boot loader and decompressor",
	"Kernel, before start_kernel",
	"Kernel start",
	"Initcalls",
	"User space",
	"Shutdown",
};

/* What is known of a function. */
struct known {
	bool learned;
	bool kernel;
	enum role role;
	uint32_t item; /* its first call; 0: none */
	uint64_t count;
	uint64_t initcalls; /* calls as an initcall, or around one */
};

/* What is known of a stack. */
struct timeline_guest_gstack {
	struct task_match match;
	uint32_t program; /* its item; 0: none */
	uint64_t before;  /* what the stack had run when that began */
	uint64_t ran;     /* what it has run */
};

struct adding {
	struct timeline *t;
	struct replay *replay;
	struct task_select tasks_wanted;
	enum functions_irq irq;
	struct known *known; /* by number */
	size_t n;
	struct timeline_guest_gstack **stacks;
	size_t n_stacks, cap_stacks;
	enum phase phase;
	uint32_t phase_item;
};

/* --- Functions and stacks ------------------------------------------------------------------------------------------
 */

static struct known *learn(struct adding *a, uint32_t number)
{
	const struct replay_function *f = replay_function(a->replay, number);
	struct known *known;

	if (widen_array((void **)&a->known, &a->n, number, sizeof(*a->known)))
		return NULL;
	known = &a->known[number];
	known->learned = true;
	known->kernel = strcmp(f->module, "[kernel]") == 0;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, f->name) == 0)
			known->role = roles[i].role;
	return known;
}

static struct timeline_guest_gstack *learn_stack(struct adding *a, struct replay_stack *stack)
{
	struct timeline_guest_gstack *gs;

	if (grow_array((void **)&a->stacks, a->n_stacks, &a->cap_stacks, sizeof(gs)))
		return NULL;
	gs = calloc(1, sizeof(*gs));
	if (gs)
		a->stacks[a->n_stacks++] = gs;
	stack->user = gs;
	return gs;
}

static void see_time(struct adding *a, uint64_t tick)
{
	if (tick > a->t->end)
		a->t->end = tick;
}

/* --- Phases and programs -------------------------------------------------------------------------------------------
 */

static int begin_phase(struct adding *a, enum phase phase, uint64_t tick)
{
	struct timeline_item item =
		{.kind = TIMELINE_PHASE, .name = phases[phase], .module = "", .task = "", .start = tick, .ended = true};
	struct timeline_item *last = &a->t->items[a->phase_item];

	if (a->phase >= phase)
		return 0;
	if (a->phase)
		last->elapsed = last->ran = tick > last->start ? tick - last->start : 0;
	else if (phase <= PHASE_EARLY)
		item.start = a->t->start;
	a->phase = phase;
	a->phase_item = timeline_add(a->t, &item);
	return a->phase_item ? 0 : -ENOMEM;
}

static void end_program(struct adding *a, struct timeline_guest_gstack *gs, uint64_t tick, uint64_t ran)
{
	struct timeline_item *item = &a->t->items[gs->program];

	if (!gs->program)
		return;
	item->elapsed = tick > item->start ? tick - item->start : 0;
	item->ran = ran > gs->before ? ran - gs->before : 0;
	item->ended = true;
	gs->program = 0;
}

/* The name is the one that the task has got. */
static int begin_program(struct adding *a, struct timeline_guest_gstack *gs, const struct replay_stack *stack,
                         const struct replay_frame *frame)
{
	const struct timeline_item item = {
		.kind = TIMELINE_PROGRAM,
		.name = stack->task,
		.module = "",
		.start = frame->entered,
		.pid = stack->pid,
		.task = stack->task,
		.count = 1,
	};

	/* Older kernels have both functions, one after the other. */
	if (gs->program && a->t->items[gs->program].name == item.name && frame->before == gs->before)
		return 0;
	end_program(a, gs, frame->entered, frame->before);
	gs->before = frame->before;
	gs->program = timeline_add(a->t, &item);
	return gs->program ? 0 : -ENOMEM;
}

static int on_role(struct adding *a, const struct known *known, struct timeline_guest_gstack *gs,
                   const struct replay_stack *stack)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];

	switch (known->role) {
	case ROLE_FIRMWARE:
		return begin_phase(a, PHASE_FIRMWARE, frame->entered);
	case ROLE_LOADER:
		return begin_phase(a, PHASE_LOADER, frame->entered);
	case ROLE_START:
		return begin_phase(a, PHASE_START, frame->entered);
	case ROLE_INITCALL:
		return a->phase ? begin_phase(a, PHASE_INITCALLS, frame->entered) : 0;
	case ROLE_EXEC:
		if (!a->phase || (stack->tasks && stack->pid != 1))
			return 0;
		return begin_phase(a, PHASE_PROGRAMS, frame->entered);
	case ROLE_EXIT:
		end_program(a, gs, frame->entered, frame->before);
		return 0;
	case ROLE_OFF:
		return a->phase ? begin_phase(a, PHASE_OFF, frame->entered) : 0;
	default:
		return a->phase == PHASE_FIRMWARE || a->phase == PHASE_LOADER
		               ? begin_phase(a, PHASE_EARLY, frame->entered)
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

/* The first call of a function; the mark of its frame says so. */
static int begin_first(struct adding *a, struct known *known, const struct replay_stack *stack)
{
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	const struct replay_function *f = replay_function(a->replay, frame->function);
	struct timeline_item item = {
		.kind = TIMELINE_FUNCTION,
		.name = f->name,
		.module = f->module,
		.start = frame->entered,
		.pid = stack->pid,
		.task = stack->task,
	};

	/* The code below the kernel has no functions: it is its phase. */
	if (known->role == ROLE_FIRMWARE || known->role == ROLE_LOADER)
		return 0;
	if (is_initcall(a, stack))
		item.kind = known->kernel ? TIMELINE_INITCALL : TIMELINE_MODULE;
	for (uint32_t i = stack->depth - 1; i && !stack->frames[i].interrupt && !item.parent; i--)
		item.parent = (uint32_t)stack->frames[i - 1].mark;
	frame->mark = known->item = timeline_add(a->t, &item);
	return known->item ? 0 : -ENOMEM;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct adding *a = ctx;
	struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct known *known = frame->function < a->n ? &a->known[frame->function] : NULL;
	struct timeline_guest_gstack *gs = stack->user ? stack->user : learn_stack(a, stack);
	int rc = 0;

	if (__builtin_expect(!known || !known->learned, 0))
		known = learn(a, frame->function);
	if (!known || !gs)
		return -ENOMEM;
	if (frame->outside)
		return 0;
	known->count++;
	known->initcalls += is_initcall(a, stack);
	if (__builtin_expect(known->role || (known->kernel && a->phase < PHASE_EARLY), 0))
		rc = on_role(a, known, gs, stack);
	if (rc || known->item || !task_wanted(&a->tasks_wanted, &gs->match, stack))
		return rc;
	if (a->irq != FUNCTIONS_IRQ_TOO && frame->in_interrupt != (a->irq == FUNCTIONS_IRQ_ONLY))
		return 0;
	return begin_first(a, known, stack);
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct adding *a = ctx;
	const struct replay_frame *frame = call->frame;
	struct known *known = &a->known[frame->function];
	struct timeline_item *item = &a->t->items[frame->mark];

	see_time(a, call->left);
	if (__builtin_expect(known->role == ROLE_EXEC, 0) && !call->outside && call->ended &&
	    task_wanted(&a->tasks_wanted, &((struct timeline_guest_gstack *)stack->user)->match, stack) &&
	    begin_program(a, stack->user, stack, frame))
		return -ENOMEM;
	if (!frame->mark)
		return 0;
	item = &a->t->items[frame->mark];
	item->ran = call->total;
	item->elapsed = call->left > frame->entered ? call->left - frame->entered : 0;
	if (item->elapsed < item->ran)
		item->elapsed = item->ran;
	item->ended = call->ended;
	if (call->outside) {
		/* Before the time that is wanted: a later one is the first. */
		item->dropped = true;
		known->item = 0;
		known->count--;
	}
	return 0;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct timeline_guest_gstack *gs = stack->user ? stack->user : learn_stack(ctx, stack);

	(void)cpu;
	if (!gs)
		return -ENOMEM;
	gs->ran += ticks;
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
		if (known->initcalls != 1 || known->role != ROLE_NONE)
			item->kind = TIMELINE_FUNCTION;
	}
}

static void finish(struct adding *a)
{
	struct timeline *t = a->t;

	if (a->phase)
		t->items[a->phase_item].elapsed = t->items[a->phase_item].ran = t->end - t->items[a->phase_item].start;
	for (size_t i = 0; i < a->n_stacks; i++) {
		uint32_t program = a->stacks[i]->program;

		end_program(a, a->stacks[i], t->end, a->stacks[i]->ran);
		t->items[program].ended = false;
	}
	find_initcalls(a);
}

int timeline_guest(struct timeline **ret, struct replay *p, const struct functions_options *which)
{
	struct adding a = {.t = timeline_new(), .replay = p, .irq = which->irq};
	const struct replay_sink sink = {.ctx = &a, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	int rc = -ENOMEM;

	a.tasks_wanted = (struct task_select){which->task, which->pids, which->n_pids};
	if (a.t) {
		a.t->start = a.t->end = replay_start(p);
		rc = replay_run(p, &sink);
	}
	if (!rc)
		finish(&a);
	for (size_t i = 0; i < a.n_stacks; i++)
		free(a.stacks[i]);
	free(a.stacks);
	free(a.known);
	if (rc)
		timeline_free(a.t);
	else
		*ret = a.t;
	return rc;
}
