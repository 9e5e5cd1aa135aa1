/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch.h"

#include <errno.h>
#include <exectrace/answer/calltree/overview.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* Names that stay: kernel/panic.c, kernel/sched/core.c, mm/oom_kill.c; of arch/x86 kernel/dumpstack.c, mm/fault.c. */
static const struct {
	const char *name;
	unsigned means;
} names[] = {
	{"schedule", MEANS_SCHEDULE},
	{"__schedule", MEANS_SCHEDULER},
	{"schedule_timeout", MEANS_SCHEDULER},
	{"schedule_hrtimeout_range", MEANS_SCHEDULER},
	{"schedule_hrtimeout_range_clock", MEANS_SCHEDULER},
	{"io_schedule", MEANS_SCHEDULER},
	{"io_schedule_timeout", MEANS_SCHEDULER},
	{"schedule_preempt_disabled", MEANS_SCHEDULER},
	{"__switch_to_asm", MEANS_SCHEDULER},
	{"__switch_to", MEANS_SCHEDULER},
	{"finish_task_switch", MEANS_SCHEDULER},
	{"kthread", MEANS_KTHREAD},
	{"kthreadd", MEANS_KTHREAD},
	{"do_idle", MEANS_KTHREAD},
	{"cpu_startup_entry", MEANS_KTHREAD},
	{"rest_init", MEANS_KTHREAD},
	{"do_exit", MEANS_NO_WAIT},
	{"exit_to_user_mode_loop", MEANS_NO_WAIT},
	{"exit_to_user_mode_prepare", MEANS_NO_WAIT},
	{"prepare_exit_to_usermode", MEANS_NO_WAIT},
	{"start_kernel", MEANS_START},
	{"__warn", MEANS_WARNING},
	{"warn_slowpath_fmt", MEANS_WARNING},
	{"oom_kill_process", MEANS_OOM},
	{"oops_begin", MEANS_OOPS},
	{"oops_enter", MEANS_OOPS},
	{"die", MEANS_OOPS},
	{"__die", MEANS_OOPS},
	{"die_addr", MEANS_OOPS},
	{"page_fault_oops", MEANS_OOPS},
	{"oops_end", MEANS_OOPS},
	{"panic", MEANS_PANIC},
	{"vpanic", MEANS_PANIC},
	{"nmi_panic", MEANS_PANIC},
};

static unsigned meaning_of(struct watch *w, const struct replay_function *f, bool *module)
{
	unsigned kind = overview_kind_of(f), means = MEANS_KNOWN;

	*module = kind == SURVEY_MODULE && f->module[0] == '[' && strcmp(f->module, "[vdso]") != 0 &&
	          strcmp(f->module, "[user]") != 0;
	w->story->programs |= kind == SURVEY_PROGRAM;
	if (kind == SURVEY_IDLE)
		means |= MEANS_IDLE;
	if (strcmp(f->module, "[kernel]") != 0)
		return means;
	w->story->kernel = true;
	if (strncmp(f->name, "__x64_sys_", 10) == 0 || strncmp(f->name, "__ia32_sys_", 11) == 0)
		means |= MEANS_CALL;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].name, f->name) == 0)
			means |= names[i].means;
	return means;
}

/* The number of a module + 1; 0: no memory. */
static uint32_t module_number(struct watch *w, const char *name)
{
	for (size_t i = 0; i < w->n_modules; i++)
		if (strcmp(w->modules[i].name, name) == 0)
			return (uint32_t)i + 1;
	if (grow_array((void **)&w->modules, w->n_modules, &w->cap_modules, sizeof(*w->modules)))
		return 0;
	w->modules[w->n_modules] = (struct watched_module){.name = name};
	return (uint32_t)++w->n_modules;
}

static struct watched_function *learn(struct watch *w, uint32_t number)
{
	const struct replay_function *f = replay_function(w->replay, number);
	struct watched_function *known;
	bool module;

	if (widen_array((void **)&w->functions, &w->n_functions, number, sizeof(*w->functions)))
		return NULL;
	known = &w->functions[number];
	known->means = meaning_of(w, f, &module);
	known->module = module ? module_number(w, f->module) : 0;
	return module && !known->module ? NULL : known;
}

struct watched_function *watch_function(struct watch *w, uint32_t number)
{
	return number < w->n_functions && w->functions[number].means ? &w->functions[number] : learn(w, number);
}

/* --- Stacks ------------------------------------------------------------------------------------------------------- */

static struct watched_stack *stack_of(struct watch *w, struct replay_stack *stack)
{
	struct watched_stack *ws = stack->user;

	if (__builtin_expect(ws != NULL, 1))
		return ws;
	if (grow_array((void **)&w->stacks, w->n_stacks, &w->cap_stacks, sizeof(ws)))
		return NULL;
	ws = calloc(1, sizeof(*ws));
	if (!ws)
		return NULL;
	w->stacks[w->n_stacks++] = ws;
	stack->user = ws;
	return ws;
}

/* What was innermost ran until then. The stack runs since `since`. */
static int runs_until(struct watch *w, struct watched_stack *ws, uint32_t function, uint64_t since, uint64_t now)
{
	struct watched_function *f = watch_function(w, function);
	int rc = 0;

	if (!f)
		return -ENOMEM;
	if (since > ws->told)
		rc = tally_resumes(w, ws, since);
	if (since > ws->at)
		ws->at = since;
	if (now > ws->at) {
		tally_ran(w, f, ws->at, now);
		ws->at = now;
	}
	return rc;
}

static uint32_t innermost(const struct replay_stack *stack, uint32_t depth)
{
	return depth ? stack->frames[depth - 1].function : REPLAY_UNKNOWN;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct watch *w = ctx;
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct watched_stack *ws = stack_of(w, stack);
	struct watched_function *f;
	int rc;

	if (!ws)
		return -ENOMEM;
	rc = runs_until(w, ws, innermost(stack, stack->depth - 1), stack->since, frame->entered);
	f = rc ? NULL : watch_function(w, frame->function);
	if (!f)
		return -ENOMEM;
	w->story->calls++;
	w->story->boots += (f->means & MEANS_START) != 0;
	if (__builtin_expect(f->module != 0, 0))
		rc = trouble_talk(w, stack, f);
	if (__builtin_expect(!rc && (f->means & MEANS_TROUBLE), 0))
		rc = trouble_see(w, stack, f->means);
	return rc;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct watched_stack *ws = stack_of(ctx, stack);

	/* What was open at the end was told of when its stack ran last. */
	if (!ws)
		return -ENOMEM;
	return call->ended ? runs_until(ctx, ws, call->frame->function, stack->since, call->left) : 0;
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct watch *w = ctx;
	struct watched_stack *ws = stack_of(w, stack);
	int rc = ws ? runs_until(w, ws, innermost(stack, stack->depth), stack->since - ticks, stack->since) : -ENOMEM;

	if (cpu >= w->story->cpus)
		w->story->cpus = cpu + 1;
	return rc ? rc : tally_stops(w, ws, stack);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void release(struct watch *w)
{
	for (size_t i = 0; i < w->n_stacks; i++)
		free(w->stacks[i]);
	free(w->stacks);
	free(w->functions);
	free(w->modules);
	idmap_release(&w->waits_by_id);
	free(w->waits);
}

int watch_run(struct guest_story *story)
{
	struct watch w = {.story = story, .replay = story->replay, .start = replay_start(story->replay)};
	const struct replay_sink sink = {.ctx = &w, .enter = on_enter, .leave = on_leave, .ran = on_ran};
	int rc = replay_run(w.replay, &sink);

	for (size_t i = 0; i < w.n_stacks && !rc; i++)
		rc = tally_resumes(&w, w.stacks[i], w.start + story->length);
	if (!rc)
		tally_finish(&w);
	release(&w);
	return rc;
}
