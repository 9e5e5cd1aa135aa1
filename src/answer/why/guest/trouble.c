/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a guest's kernel warned, oopsed or panicked, with the stack that led there; who ended it, or ran last. */
#include "whole.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <exectrace/format/data/record.h>
#include <exectrace/format/gate/outcome.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct watch *w, const struct replay_frame *frame)
{
	return replay_function(w->replay, frame->function)->name;
}

/* True when this call of the module is still on the stack. */
static bool is_open(const struct watch *w, const struct whole *whole, const struct guest_talk *talk)
{
	for (uint32_t i = 0; i < whole->n; i++)
		if (whole->frames[i]->entered == w->start + talk->at && name_of(w, whole->frames[i]) == talk->function)
			return true;
	return false;
}

/* --- Trouble ------------------------------------------------------------------------------------------------------ */

/* True of those by which a task gives its processor away (kernel/sched/core.c, kernel/time/timer.c). */
static bool is_schedule(const char *name)
{
	return strncmp(name, "schedule", 8) == 0 || strcmp(name, "__schedule") == 0 || strcmp(name, "io_schedule") == 0;
}

/* kernel/printk/printk.c, before and from Linux 5.16 on */
static bool is_log(const char *name)
{
	return strcmp(name, "printk") == 0 || strcmp(name, "_printk") == 0;
}

/* What a stack is looked at for. */
enum sought {
	SOUGHT_TROUBLE,
	SOUGHT_HANG,
	SOUGHT_END,
	SOUGHT_LOG,
	SOUGHT_ALL,
};

/*
 * How many frames led there: those before the handler of an exception, or before the first that tells of trouble. Of a
 * task that hangs: those down to the one that waits; of who ends the guest, those before that begins; of who logs
 * something, those before that.
 */
static uint32_t led_there(const struct watch *w, const struct whole *whole, enum sought sought)
{
	const unsigned means = sought == SOUGHT_END ? MEANS_ENDING : MEANS_DEADLY;
	uint32_t n = 0, at;

	if (sought == SOUGHT_ALL)
		return whole->n;
	while (n + 1 < whole->n && !(w->functions[whole->frames[n]->function].means & means) &&
	       !(sought == SOUGHT_HANG && n && is_schedule(name_of(w, whole->frames[n]))) &&
	       !(sought == SOUGHT_LOG && is_log(name_of(w, whole->frames[n]))))
		n++;
	if (sought != SOUGHT_TROUBLE)
		return n;
	for (at = n; at-- > 1;)
		if (whole->frames[at]->interrupt)
			return strstr(name_of(w, whole->frames[at]), "exc_") ? at : n;
	return n;
}

/* The last calls into a module. */
static void copy_talks(const struct watch *w, const struct whole *whole, const struct watched_module *module,
                       struct guest_trouble *t)
{
	t->n_talks = talks_choose(module, t->talks);
	for (size_t i = 0; i < t->n_talks; i++) {
		t->talks[i].open = is_open(w, whole, &t->talks[i]);
		t->talks[i].command = lineage_command(&w->lineages, t->talks[i].pid);
	}
}

static int describe(struct watch *w, const struct whole *whole, struct guest_trouble *t, enum sought sought)
{
	uint32_t n = led_there(w, whole, sought), module = 0;

	free(t->frames);
	free(t->handling);
	t->frames = whole_led(w, whole, n, &t->n);
	t->handling = whole_handling(w, whole, n, &t->n_handling);
	if (!t->frames || !t->handling)
		return -ENOMEM;
	t->led = n;
	t->handler = n > whole->below ? n - whole->below : 0;
	t->task = whole->bottom->task;
	t->pid = whole->bottom->pid;
	t->interrupt = false;
	for (uint32_t i = n; i-- > 0;) {
		t->interrupt |= whole->frames[i]->interrupt;
		if (!module)
			module = w->functions[whole->frames[i]->function].module;
	}
	t->n_talks = 0;
	t->module = module ? w->modules[module - 1].name : "";
	if (module)
		copy_talks(w, whole, &w->modules[module - 1], t);
	lineage_find(&t->lineage, &w->lineages, t->pid);
	return 0;
}

static enum guest_trouble_kind kind_of(unsigned means)
{
	return means & MEANS_PANIC  ? GUEST_PANIC
	       : means & MEANS_OOPS ? GUEST_OOPS
	       : means & MEANS_OOM  ? GUEST_OOM
	                            : GUEST_WARNING;
}

/* A place for one of a kind: when there are enough, that of a lesser one. NULL: it is not kept, or (*rc) no memory. */
static struct guest_trouble *place_for(struct guest_story *g, enum guest_trouble_kind kind, int *rc)
{
	if (g->n_troubles < GUEST_TROUBLES) {
		*rc = grow_array((void **)&g->troubles, g->n_troubles, &g->cap_troubles, sizeof(*g->troubles));
		if (*rc)
			return NULL;
		g->troubles[g->n_troubles] = (struct guest_trouble){0};
		return &g->troubles[g->n_troubles++];
	}
	for (size_t i = g->n_troubles; i-- > 0;)
		if (g->troubles[i].kind < kind)
			return &g->troubles[i];
	return NULL;
}

/* An oops goes on: it led to this call, by the same frames. */
static bool goes_on(const struct watch *w, const struct replay_stack *stack, const struct whole *whole,
                    const struct guest_trouble *t)
{
	const struct guest_frame *last = said_frame(t, 1);

	if (t->kind != GUEST_OOPS || t->stack != stack->number || led_there(w, whole, SOUGHT_TROUBLE) != t->led)
		return false;
	return !last || name_of(w, whole->frames[t->led - 1]) == last->name;
}

static int see_new(struct watch *w, const struct replay_stack *stack, const struct whole *whole,
                   enum guest_trouble_kind kind, uint64_t now, enum sought sought)
{
	struct guest_story *g = w->story;
	int rc = 0;
	struct guest_trouble *t = place_for(g, kind, &rc);

	g->count[kind]++;
	if (!t)
		return rc;
	t->kind = kind;
	t->at = now > w->start ? now - w->start : 0;
	t->cpu = stack->cpu;
	t->stack = stack->number;
	rc = describe(w, whole, t, sought);
	if (!rc)
		said_begin(&w->said, stack, t);
	return rc;
}

static int see(struct watch *w, const struct replay_stack *stack, const struct whole *whole, unsigned means)
{
	struct guest_story *g = w->story;
	enum guest_trouble_kind kind = kind_of(means);
	unsigned within = 0;

	for (uint32_t i = 0; i + 1 < whole->n; i++)
		within |= w->functions[whole->frames[i]->function].means & MEANS_TROUBLE;
	if (within & MEANS_PANIC || (within && kind < GUEST_PANIC))
		return 0;
	for (size_t i = 0; i < g->n_troubles && kind >= GUEST_OOPS; i++) {
		if (!goes_on(w, stack, whole, &g->troubles[i]))
			continue;
		if (kind == GUEST_PANIC) {
			g->count[GUEST_PANIC]++;
			g->count[GUEST_OOPS]--;
			g->troubles[i].kind = GUEST_PANIC;
			return describe(w, whole, &g->troubles[i], SOUGHT_TROUBLE);
		}
		return 0;
	}
	return see_new(w, stack, whole, kind, stack->frames[stack->depth - 1].entered, SOUGHT_TROUBLE);
}

int trouble_see(struct watch *w, const struct replay_stack *stack, unsigned means)
{
	struct whole whole;
	int rc = whole_make(w, &whole, stack);

	if (!rc)
		rc = see(w, stack, &whole, means);
	whole_release(&whole);
	return rc;
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

/* Whether reboot(2) was called. */
static bool is_asked_for(const struct watch *w, const struct whole *whole)
{
	for (uint32_t i = 0; i < whole->n; i++)
		if (strstr(name_of(w, whole->frames[i]), "_sys_reboot"))
			return true;
	return false;
}

/* What a panic does is part of it. */
static int see_end(struct watch *w, const struct replay_stack *stack, const struct whole *whole)
{
	struct guest_trouble *t = &w->story->ender;
	const uint64_t now = stack->frames[stack->depth - 1].entered;
	int rc;

	for (uint32_t i = 0; i < whole->n; i++)
		if (w->functions[whole->frames[i]->function].means & MEANS_PANIC)
			return 0;
	t->at = now > w->start ? now - w->start : 0;
	t->cpu = stack->cpu;
	t->stack = stack->number;
	rc = describe(w, whole, t, SOUGHT_END);
	w->story->own_will = is_asked_for(w, whole) && !t->interrupt;
	return rc;
}

int trouble_end(struct watch *w, const struct replay_stack *stack)
{
	struct whole whole;
	int rc = whole_make(w, &whole, stack);

	if (!rc)
		rc = see_end(w, stack, &whole);
	whole_release(&whole);
	return rc;
}

int trouble_last(struct watch *w, const struct replay_stack *stack, uint64_t now)
{
	struct guest_story *g = w->story;
	struct replay_stack with = *stack;
	struct whole whole;
	bool interrupt = false;
	int rc;

	if (g->end != GUEST_RUNS || g->count[GUEST_PANIC] || g->ender.frames || stack->since != now)
		return 0;
	with.depth++; /* the frame of the call that has just ended is still there */
	rc = whole_make(w, &whole, &with);
	for (uint32_t i = 0; i < whole.n; i++)
		interrupt |= whole.frames[i]->interrupt;
	if (!rc && (whole.bottom->pid || interrupt)) {
		g->ender.at = now > w->start ? now - w->start : 0;
		g->ender.cpu = stack->cpu;
		g->ender.stack = stack->number;
		rc = describe(w, &whole, &g->ender, SOUGHT_ALL);
	}
	whole_release(&whole);
	return rc;
}

/* --- Hangs -------------------------------------------------------------------------------------------------------- */

/* The kernel's stack of a task, else its program's. NULL: none has open calls. */
static const struct replay_stack *stack_of(const struct watch *w, uint32_t pid)
{
	const struct replay_stack *found = NULL;

	for (uint32_t i = 0; i < replay_stacks(w->replay); i++) {
		const struct replay_stack *stack = replay_stack(w->replay, i);

		if (stack->pid == pid && stack->depth && (!found || stack->below == found))
			found = stack;
	}
	return found;
}

/* The kernel says so of a task again and again. */
static bool is_known(const struct guest_story *g, const struct replay_stack *bottom)
{
	for (size_t i = 0; i < g->n_troubles; i++)
		if (g->troubles[i].kind == GUEST_HANG && g->troubles[i].pid == bottom->pid &&
		    g->troubles[i].task == bottom->task)
			return true;
	return false;
}

/* The task that the kernel names (0: the one that logs) hangs. */
static int see_hang(struct watch *w, const struct replay_stack *stack, const struct whole *whole, uint64_t now)
{
	return is_known(w->story, whole->bottom) ? 0 : see_new(w, stack, whole, GUEST_HANG, now, SOUGHT_HANG);
}

/* What is part of an oops is told with that. */
static int see_bug(struct watch *w, const struct replay_stack *stack, const struct whole *whole, uint64_t now)
{
	for (uint32_t i = 0; i < whole->n; i++)
		if (w->functions[whole->frames[i]->function].means & MEANS_TROUBLE)
			return 0;
	return see_new(w, stack, whole, GUEST_WARNING, now, SOUGHT_LOG);
}

int trouble_said(struct watch *w, const struct replay_stack *stack, const struct data_message *m, uint64_t now)
{
	uint32_t pid = 0;
	struct whole whole;
	const bool hung = guest_says_hung(m->text.bytes, m->text.n, &pid);
	int rc;

	if (!hung && !guest_says_bug(m->text.bytes, m->text.n))
		return 0;
	stack = pid ? stack_of(w, pid) : stack;
	if (!stack || !stack->depth)
		return 0;
	rc = whole_make(w, &whole, stack);
	if (!rc)
		rc = hung ? see_hang(w, stack, &whole, now) : see_bug(w, stack, &whole, now);
	whole_release(&whole);
	return rc;
}
