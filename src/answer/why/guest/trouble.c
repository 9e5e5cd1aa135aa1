/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a guest's kernel warned, oopsed or panicked, with the stack that led there; who called into modules. */
#include "watch.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

/* --- Calls into modules ------------------------------------------------------------------------------------------- */

int trouble_talk(struct watch *w, const struct replay_stack *stack, const struct watched_function *f)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct watched_module *module = &w->modules[f->module - 1];
	const bool called = stack->depth > 1 && !frame->interrupt;
	const struct watched_function *by = called ? watch_function(w, frame[-1].function) : NULL;
	struct guest_talk talk = {.at = frame->entered > w->start ? frame->entered - w->start : 0,
	                          .count = 1,
	                          .task = stack->task,
	                          .pid = stack->pid,
	                          .caller = "",
	                          .stack = stack->number};

	if (called && !by)
		return -ENOMEM;
	if (by && by->module == f->module)
		return 0;
	talk.function = replay_function(w->replay, frame->function)->name;
	if (called)
		talk.caller = replay_function(w->replay, frame[-1].function)->name;
	if (module->n_talks && module->talks[0].pid == talk.pid && module->talks[0].function == talk.function &&
	    module->talks[0].caller == talk.caller) {
		talk.count += module->talks[0].count;
		module->talks[0] = talk;
		return 0;
	}
	module->n_talks += module->n_talks < GUEST_TALKS;
	memmove(&module->talks[1], &module->talks[0], (module->n_talks - 1) * sizeof(talk));
	module->talks[0] = talk;
	return 0;
}

/* True when this call of the module is still on the stack. */
static bool is_open(const struct watch *w, const struct replay_stack *stack, const struct guest_talk *talk)
{
	for (uint32_t i = 0; talk->stack == stack->number && i < stack->depth; i++)
		if (stack->frames[i].entered == w->start + talk->at &&
		    replay_function(w->replay, stack->frames[i].function)->name == talk->function)
			return true;
	return false;
}

/* --- Trouble ------------------------------------------------------------------------------------------------------ */

/* How many frames led there: those before the handler of an exception, or before the first that tells of trouble. */
static uint32_t led_there(const struct watch *w, const struct replay_stack *stack)
{
	uint32_t n = 0, at;

	while (n + 1 < stack->depth && !(w->functions[stack->frames[n].function].means & MEANS_DEADLY))
		n++;
	for (at = n; at-- > 1;) {
		const char *name = replay_function(w->replay, stack->frames[at].function)->name;

		if (!stack->frames[at].interrupt)
			continue;
		return strstr(name, "exc_") ? at : n;
	}
	return n;
}

/* Copies frames [from, to) of a stack. NULL: no memory. */
static struct guest_frame *copy_frames(const struct watch *w, const struct replay_stack *stack, uint32_t from,
                                       uint32_t to)
{
	struct guest_frame *frames = calloc(to - from + 1, sizeof(*frames));

	for (uint32_t i = from; frames && i < to; i++) {
		const struct replay_function *f = replay_function(w->replay, stack->frames[i].function);

		frames[i - from] = (struct guest_frame){f->name, f->module};
	}
	return frames;
}

static int describe(struct watch *w, const struct replay_stack *stack, struct guest_trouble *t)
{
	uint32_t n = led_there(w, stack), module = 0;

	free(t->frames);
	free(t->handling);
	t->frames = copy_frames(w, stack, 0, n);
	t->handling = copy_frames(w, stack, n, stack->depth);
	if (!t->frames || !t->handling)
		return -ENOMEM;
	t->n = n;
	t->n_handling = stack->depth - n;
	for (uint32_t i = n; i-- > 0 && !module;)
		module = w->functions[stack->frames[i].function].module;
	t->module = module ? w->modules[module - 1].name : "";
	t->n_talks = module ? w->modules[module - 1].n_talks : 0;
	for (size_t i = 0; i < t->n_talks; i++) {
		t->talks[i] = w->modules[module - 1].talks[i];
		t->talks[i].open = is_open(w, stack, &t->talks[i]);
	}
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
static bool goes_on(const struct watch *w, const struct replay_stack *stack, const struct guest_trouble *t)
{
	if (t->kind != GUEST_OOPS || t->stack != stack->number || led_there(w, stack) != t->n)
		return false;
	return !t->n || replay_function(w->replay, stack->frames[t->n - 1].function)->name == t->frames[t->n - 1].name;
}

static int see_new(struct watch *w, const struct replay_stack *stack, enum guest_trouble_kind kind)
{
	struct guest_story *g = w->story;
	uint64_t now = stack->frames[stack->depth - 1].entered;
	int rc = 0;
	struct guest_trouble *t = place_for(g, kind, &rc);

	g->count[kind]++;
	if (!t)
		return rc;
	t->kind = kind;
	t->at = now > w->start ? now - w->start : 0;
	t->task = stack->task;
	t->pid = stack->pid;
	t->cpu = stack->cpu;
	t->stack = stack->number;
	rc = describe(w, stack, t);
	if (!rc)
		said_begin(&w->said, stack, t);
	return rc;
}

int trouble_see(struct watch *w, const struct replay_stack *stack, unsigned means)
{
	struct guest_story *g = w->story;
	enum guest_trouble_kind kind = kind_of(means);
	unsigned within = 0;

	for (uint32_t i = 0; i + 1 < stack->depth; i++)
		within |= w->functions[stack->frames[i].function].means & MEANS_TROUBLE;
	if (within & MEANS_PANIC || (within && kind < GUEST_PANIC))
		return 0;
	for (size_t i = 0; i < g->n_troubles && kind >= GUEST_OOPS; i++) {
		if (!goes_on(w, stack, &g->troubles[i]))
			continue;
		if (kind == GUEST_PANIC) {
			g->count[GUEST_PANIC]++;
			g->count[GUEST_OOPS]--;
			g->troubles[i].kind = GUEST_PANIC;
			return describe(w, stack, &g->troubles[i]);
		}
		return 0;
	}
	return see_new(w, stack, kind);
}
