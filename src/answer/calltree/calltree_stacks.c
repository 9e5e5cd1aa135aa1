/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree made of the stacks of system calls and samples. What has been asked before is answered by two look-ups. */
#include "calltree.h"

#include <errno.h>
#include <exectrace/answer/calls/call.h>
#include <exectrace/base/path.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define A_SAMPLE UINT64_MAX /* instead of the number and machine of a call */
#define STACKED (1u << 31)  /* of a node: its path has a stack */

struct calltree_stacks {
	struct calltree *tree;
	struct recording *recording;
	struct calltree_stacks_options options;
	struct calltree_stacks_sum sum;
	struct idmap leaves;     /* by what is at the end of a path, call or sample, and comm: their numbers, plus 1 */
	struct idmap nodes;      /* by stack, and file and leaf: node, plus 1, and STACKED */
	struct idmap functions;  /* by recorded function, and comm: number */
	uint32_t node, function; /* where a path has got to, by which function */
};

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* The function for what it is told apart by. CALLTREE_NONE: no memory. */
static uint32_t function_of(struct calltree_stacks *s, const char *name, const char *module, const char *comm,
                            bool kernel)
{
	unsigned keys = s->options.keys;
	size_t before = s->tree->n_functions;
	uint32_t number = calltree_function(s->tree, keys & CALLTREE_NAME ? name : "",
	                                    keys & CALLTREE_MODULE ? module : "", keys & CALLTREE_COMM ? comm : "");

	if (number != CALLTREE_NONE && number >= before)
		s->tree->functions[number].kernel = kernel;
	return number;
}

static uint32_t call_function(struct calltree_stacks *s, const struct data_syscall *call, const char *comm)
{
	char name[CALL_NAME_MAX], shown[CALL_NAME_MAX + 2];
	uint32_t number;

	snprintf(shown, sizeof(shown), "[%s]", call_name(call, name));
	number = function_of(s, shown, s->options.calls, comm, true);
	if (number != CALLTREE_NONE)
		s->tree->functions[number].call = true;
	return number;
}

static const char *module_of(const struct calltree_stacks *s, const struct recorded_function *f)
{
	const char *module = path_name(f->file);

	return *module ? module : s->options.unknown;
}

static uint32_t frame_function(struct calltree_stacks *s, const struct recorded_function *f, const char *comm)
{
	uint32_t number = (uint32_t)(uintptr_t)idmap_get(&s->functions, (uintptr_t)f, (uintptr_t)comm);

	if (number)
		return number;
	number = function_of(s, f->name, module_of(s, f), comm, f->kernel);
	if (number == CALLTREE_NONE ||
	    idmap_put(&s->functions, (uintptr_t)f, (uintptr_t)comm, (void *)(uintptr_t)number))
		return CALLTREE_NONE;
	return number;
}

/* --- Paths -------------------------------------------------------------------------------------------------------- */

/* The number of a leaf, from 1. 0: no memory. call: NULL for a sample. */
static uint32_t leaf_of(struct calltree_stacks *s, const struct data_syscall *call, const char *comm)
{
	uint64_t id = call ? (uint64_t)call->arch << 32 | call->nr : A_SAMPLE;
	uint32_t number = (uint32_t)(uintptr_t)idmap_get(&s->leaves, id, (uintptr_t)comm);

	if (number)
		return number;
	number = (uint32_t)s->leaves.n + 1;
	return idmap_put(&s->leaves, id, (uintptr_t)comm, (void *)(uintptr_t)number) ? 0 : number;
}

/* The path goes on. 0 or -ENOMEM. */
static int go_on(struct calltree_stacks *s, uint32_t function)
{
	if (function == CALLTREE_NONE)
		return -ENOMEM;
	if (function == s->function && !(s->options.keys & CALLTREE_NAME))
		return 0;
	s->function = function;
	s->node = child_of(s->tree, s->node, function);
	return s->node == CALLTREE_NONE ? -ENOMEM : 0;
}

/* Goes along a path that was not asked for before. 0 or -ENOMEM. */
static int find_path(struct calltree_stacks *s, const struct data_syscall *call, const char *comm,
                     const struct recorded_frame *frames, size_t n)
{
	const char *thread = *comm ? comm : "[unknown]";
	bool nowhere = !call && !n && s->options.nowhere;
	int rc = 0;

	s->node = s->function = CALLTREE_ROOT;
	/* Functions are shown in the order of their numbers where nothing else orders them: calls come first. */
	if (call && !s->options.threads && call_function(s, call, comm) == CALLTREE_NONE)
		return -ENOMEM;
	if (s->options.threads)
		rc = go_on(s, calltree_function(s->tree, thread, s->options.threads, ""));
	while (n && !rc)
		rc = go_on(s, frame_function(s, frames[--n].function, comm));
	if (!rc && call)
		rc = go_on(s, call_function(s, call, comm));
	if (!rc && nowhere)
		rc = go_on(s, function_of(s, "[unknown]", s->options.unknown, comm, false));
	return rc;
}

/* Adds one with this stack. call: NULL for a sample. 0 or -ENOMEM. */
static int add(struct calltree_stacks *s, const struct recorded_event *event, const struct data_syscall *call,
               uint64_t stack, uint64_t time)
{
	bool apart = s->options.keys & CALLTREE_COMM || s->options.threads;
	const char *comm = apart && event->thread ? event->thread->comm : "";
	uint32_t leaf = leaf_of(s, call, comm), found;
	uint64_t sub = (uint64_t)event->file << 32 | leaf, weight = s->options.number ? 1 : time;
	const struct recorded_frame *frames;
	struct calltree_weight *to;
	size_t n;

	if (!leaf)
		return -ENOMEM;
	found = (uint32_t)(uintptr_t)idmap_get(&s->nodes, stack, sub);
	if (!found) {
		if (recording_stack(s->recording, event, &frames, &n) || find_path(s, call, comm, frames, n))
			return -ENOMEM;
		found = (s->node + 1) | (n ? STACKED : 0);
		if (idmap_put(&s->nodes, stack, sub, (void *)(uintptr_t)found))
			return -ENOMEM;
	}
	to = &s->tree->nodes[(found & ~STACKED) - 1].sides[s->options.side];
	to->self += weight;
	to->count += s->options.count;
	s->sum.weight += weight;
	s->sum.stacked += (found & STACKED) != 0;
	return 0;
}

int calltree_stacks_add(struct calltree_stacks *s, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	const struct data_sample *sample = &event->record->sample;

	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		if (s->options.event == SELECT_SAMPLES)
			return 0;
		s->sum.calls++;
		return add(s, event, call, call->stack, call->duration);
	case DATA_SAMPLE:
		if (s->options.event == SELECT_CALLS)
			return 0;
		s->sum.samples++;
		s->sum.cut += sample->flags & DATA_SAMPLE_CUT;
		return add(s, event, NULL, sample->stack, sample->weight);
	default:
		return 0;
	}
}

const struct calltree_stacks_sum *calltree_stacks_sum(const struct calltree_stacks *s)
{
	return &s->sum;
}

struct calltree_stacks *calltree_stacks_new(struct calltree *t, struct recording *r,
                                            const struct calltree_stacks_options *options)
{
	struct calltree_stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->tree = t;
	s->recording = r;
	s->options = *options;
	return s;
}

void calltree_stacks_leave(struct calltree_stacks *s)
{
	idmap_release(&s->leaves);
	idmap_release(&s->nodes);
	idmap_release(&s->functions);
	s->recording = NULL;
}

void calltree_stacks_join(struct calltree_stacks *s, struct recording *r)
{
	s->recording = r;
}

void calltree_stacks_free(struct calltree_stacks *s)
{
	if (!s)
		return;
	idmap_release(&s->leaves);
	idmap_release(&s->nodes);
	idmap_release(&s->functions);
	free(s);
}
