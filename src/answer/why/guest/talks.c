/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who called into modules of a guest's kernel. */
#include "watch.h"

#include <errno.h>
#include <string.h>

#define LATEST 2u /* talks that are told in any case; of the others those that were seldom */

static bool are_alike(const struct guest_talk *a, const struct guest_talk *b)
{
	return a->function == b->function && a->caller == b->caller && a->task == b->task &&
	       a->interrupt == b->interrupt;
}

static bool are_same(const struct guest_talk *a, const struct guest_talk *b)
{
	return are_alike(a, b) && (a->interrupt || a->pid == b->pid);
}

/* Whether a later one is like it, but for the task. */
static bool is_repeated(const struct watched_module *module, size_t place)
{
	for (size_t i = 0; i < place; i++)
		if (are_alike(&module->talks[i], &module->talks[place]))
			return true;
	return false;
}

/*
 * The place of a talk that is the same as this one; or of one that has to make room for it: the first that is like a
 * later one, or else the most usual of the older.
 */
static size_t place_for(const struct watched_module *module, const struct guest_talk *talk)
{
	size_t most = WATCH_TALKS - 1;

	for (size_t i = 0; i < module->n_talks; i++)
		if (are_same(&module->talks[i], talk))
			return i;
	if (module->n_talks < WATCH_TALKS)
		return module->n_talks;
	for (size_t i = WATCH_TALKS; i-- > 1;)
		if (is_repeated(module, i))
			return i;
	for (size_t i = WATCH_TALKS - 1; i-- > WATCH_TALKS / 2;)
		if (module->talks[i].count > module->talks[most].count)
			most = i;
	return most;
}

/* The system call that a stack is in: "write"; "" none. It may have jumped to the function that does it. */
static const char *syscall_of(const struct watch *w, const struct replay_stack *stack)
{
	static const char *const prefixes[] = {"__x64_sys_", "ksys_"};

	for (uint32_t i = 0; i < stack->depth; i++) {
		const char *name = replay_function(w->replay, stack->frames[i].function)->name;

		for (size_t k = 0; k < sizeof(prefixes) / sizeof(*prefixes); k++)
			if (strncmp(name, prefixes[k], strlen(prefixes[k])) == 0)
				return name + strlen(prefixes[k]);
	}
	return "";
}

int trouble_talk(struct watch *w, const struct replay_stack *stack, const struct watched_function *f)
{
	const struct replay_frame *frame = &stack->frames[stack->depth - 1];
	struct watched_module *module = &w->modules[f->module - 1];
	const bool called = stack->depth > 1 && !frame->interrupt;
	const struct watched_function *by = called ? watch_function(w, frame[-1].function) : NULL;
	const struct replay_stack *task = stack;
	struct guest_talk talk = {.at = frame->entered > w->start ? frame->entered - w->start : 0,
	                          .count = 1,
	                          .interrupt = frame->in_interrupt,
	                          .caller = "",
	                          .call = "",
	                          .text = ""};
	size_t place;

	if (called && !by)
		return -ENOMEM;
	if (by && by->module == f->module)
		return 0;
	if (!stack->pid) { /* a stack of interrupts, or an idle task's */
		task = replay_bottom(stack);
		talk.interrupt |= task != stack;
	}
	talk.task = task->task;
	talk.pid = task->pid;
	talk.function = replay_function(w->replay, frame->function)->name;
	if (called)
		talk.caller = replay_function(w->replay, frame[-1].function)->name;
	place = place_for(module, &talk);
	if (place < module->n_talks && are_same(&module->talks[place], &talk)) {
		talk.count += module->talks[place].count;
		talk.call = module->talks[place].call;
	} else if (!talk.interrupt) {
		talk.call = syscall_of(w, stack);
	}
	module->n_talks += place == module->n_talks;
	memmove(&module->talks[1], &module->talks[0], place * sizeof(talk));
	module->talks[0] = talk;
	return 0;
}

/* Which of two that are not taken yet tells more: one that is like no later one, of these the rarer; or the later one.
 */
static bool tells_more(const struct watched_module *module, size_t one, size_t other, bool latest)
{
	const bool first = is_repeated(module, one), second = is_repeated(module, other);

	if (first != second)
		return second;
	return !first && !latest && module->talks[one].count < module->talks[other].count;
}

size_t talks_choose(const struct watched_module *module, struct guest_talk chosen[GUEST_TALKS])
{
	bool taken[WATCH_TALKS] = {false};
	size_t n = 0;

	for (size_t k = 0; k < GUEST_TALKS && k < module->n_talks; k++) {
		size_t best = module->n_talks;

		for (size_t i = 0; i < module->n_talks; i++)
			if (!taken[i] && (best == module->n_talks || tells_more(module, i, best, k < LATEST)))
				best = i;
		taken[best] = true;
	}
	for (size_t i = 0; i < module->n_talks; i++)
		if (taken[i])
			chosen[n++] = module->talks[i];
	return n;
}
