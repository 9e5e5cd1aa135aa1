/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "watch.h"

#include <errno.h>
#include <exectrace/answer/calltree/overview.h>
#include <exectrace/answer/why/guest/delays/delays.h>
#include <exectrace/answer/why/guest/stuck/stuck.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

#define LAST 10u /* a part of the recording */

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* Names that stay: kernel/{panic,reboot}.c, mm/oom_kill.c; of arch/x86 kernel/dumpstack.c, mm/fault.c, kernel/reboot.c.
 */
static const struct {
	const char *name;
	unsigned means;
} names[] = {
	{"start_kernel", MEANS_START},
	{"machine_power_off", MEANS_OFF | MEANS_ENDING},
	{"machine_halt", MEANS_HALT | MEANS_ENDING},
	{"machine_restart", MEANS_RESTART | MEANS_ENDING},
	{"machine_emergency_restart", MEANS_RESTART | MEANS_ENDING},
	{"kernel_power_off", MEANS_ENDING},
	{"kernel_halt", MEANS_ENDING},
	{"kernel_restart", MEANS_ENDING},
	{"emergency_restart", MEANS_ENDING},
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

	*module = replay_in_module(f);
	w->story->programs |= kind == SURVEY_PROGRAM;
	if (kind == SURVEY_IDLE)
		means |= MEANS_IDLE;
	if (strcmp(f->module, "[kernel]") != 0)
		return means;
	w->story->kernel = true;
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

/* --- Calls -------------------------------------------------------------------------------------------------------- */

/* The kernel starts, or ends. */
static void see_end(struct watch *w, const struct replay_stack *stack, unsigned means)
{
	uint64_t now = stack->frames[stack->depth - 1].entered;

	w->story->boots += (means & MEANS_START) != 0;
	w->story->end = means & MEANS_OFF       ? GUEST_POWERED_OFF
	                : means & MEANS_HALT    ? GUEST_HALTED
	                : means & MEANS_RESTART ? GUEST_RESET
	                                        : GUEST_RUNS;
	w->story->ended = now > w->start ? now - w->start : 0;
}

/* How busy it was when the recording ended. */
static void see_last(struct watch *w, const struct watched_function *f, uint64_t from, uint64_t to)
{
	struct guest_story *g = w->story;
	uint64_t begin = w->start + g->length - g->length / LAST;

	from = from < begin ? begin : from;
	if (to <= from)
		return;
	g->last_known += to - from;
	g->last_busy += f->means & MEANS_IDLE ? 0 : to - from;
}

static int on_own_time(void *ctx, const struct replay_stack *stack, uint32_t function, uint64_t from, uint64_t to)
{
	struct watched_function *f = watch_function(ctx, function);

	(void)stack;
	if (!f)
		return -ENOMEM;
	tally_ran(ctx, f, from, to);
	see_last(ctx, f, from, to);
	return 0;
}

static int on_enter(void *ctx, struct replay_stack *stack)
{
	struct watch *w = ctx;
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct watched_function *f;
	int rc;

	task_waits_goes_on(w->waiting, stack);
	rc = own_time_enter(&w->own_time, stack);
	f = rc ? NULL : watch_function(w, frame->function);
	if (!f)
		return -ENOMEM;
	w->story->calls++;
	if (__builtin_expect((f->means & MEANS_END) != 0, 0))
		see_end(w, stack, f->means);
	if (__builtin_expect((f->means & MEANS_ENDING) != 0, 0))
		rc = trouble_end(w, stack);
	if (__builtin_expect(!rc && f->module != 0, 0))
		rc = trouble_talk(w, stack, f);
	if (__builtin_expect(!rc && (f->means & MEANS_TROUBLE), 0))
		rc = trouble_see(w, stack, f->means);
	return rc;
}

static int on_leave(void *ctx, struct replay_stack *stack, const struct replay_call *call)
{
	struct watch *w = ctx;
	int rc = 0;

	if (call->ended)
		task_waits_goes_on(w->waiting, stack);
	else
		rc = trouble_last(w, stack, call->left);
	if (!rc && !call->ended)
		rc = where_open(&w->where, w->replay, stack, call->frame->function);
	return rc ? rc : own_time_leave(&w->own_time, stack, call);
}

static int on_ran(void *ctx, struct replay_stack *stack, uint32_t cpu, uint64_t ticks)
{
	struct watch *w = ctx;
	int rc = own_time_ran(&w->own_time, stack, ticks);

	if (cpu >= w->story->cpus)
		w->story->cpus = cpu + 1;
	return rc ? rc : task_waits_ran(w->waiting, stack, ticks);
}

static int on_woke(void *ctx, struct replay_stack *stack, struct replay_stack *woken, bool is_new, uint64_t now)
{
	struct watch *w = ctx;
	int rc = holds_woke(&w->holds, woken, now);

	return rc ? rc : task_waits_woke(w->waiting, stack, woken, is_new, now);
}

static int on_held(void *ctx, struct replay_stack *stack, struct replay_stack *holder, uint64_t lock, uint64_t now)
{
	return holds_take(&((struct watch *)ctx)->holds, stack, holder, lock, now);
}

static int on_message(void *ctx, struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	struct watch *w = ctx;

	said_message(&w->said, w->story, stack, m, now);
	return trouble_said(w, stack, m, now);
}

static int on_process(void *ctx, const struct data_event *event)
{
	return lineages_see(&((struct watch *)ctx)->lineages, event);
}

/* --- All ---------------------------------------------------------------------------------------------------------- */

static void release(struct watch *w)
{
	own_time_release(&w->own_time);
	lineages_release(&w->lineages);
	where_release(&w->where);
	holds_release(&w->holds);
	free(w->functions);
	free(w->modules);
	idmap_release(&w->waits_by_id);
	free(w->waits);
	task_waits_free(w->waiting);
}

int watch_run(struct guest_story *story)
{
	struct watch w = {.story = story, .replay = story->replay, .start = replay_start(story->replay)};
	const struct replay_sink sink = {.ctx = &w,
	                                 .enter = on_enter,
	                                 .leave = on_leave,
	                                 .ran = on_ran,
	                                 .woke = on_woke,
	                                 .held = on_held,
	                                 .process = on_process,
	                                 .message = on_message};
	int rc = task_waits_new(&w.waiting, w.replay);

	w.lineages.commands = &story->commands;
	w.own_time = (struct own_time){.fn = on_own_time, .ctx = &w};
	if (!rc)
		rc = replay_run(w.replay, &sink);
	if (!rc)
		rc = tally_waits(&w);
	if (!rc)
		tally_finish(&w);
	if (!rc)
		rc = delays_find(story, w.waiting, &w.lineages);
	if (!rc)
		rc = stuck_find(story, w.waiting, &w.where, &w.holds);
	release(&w);
	return rc;
}
