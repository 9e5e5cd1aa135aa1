/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree made of the stacks of system calls, or of samples. */
#include "calltree.h"

#include <errno.h>
#include <exectrace/analyze/call.h>
#include <exectrace/base/path.h>
#include <stdio.h>
#include <string.h>

struct adding {
	struct calltree *tree;
	struct recording *recording;
	struct idmap calls;  /* by number and machine: function + 1, as a pointer */
	struct idmap stacks; /* by frames: node + 1, as a pointer */
};

/* The function that a system call is. UINT32_MAX: no memory. */
static uint32_t call_function(struct adding *a, const struct data_syscall *call)
{
	uintptr_t number = (uintptr_t)idmap_get(&a->calls, call->nr, call->arch);
	char name[CALL_NAME_MAX], shown[CALL_NAME_MAX + 2];
	uint32_t function;
	const char *text;
	int n;

	if (number)
		return (uint32_t)(number - 1);
	n = snprintf(shown, sizeof(shown), "[%s]", call_name(call, name));
	if (pool_text(&a->tree->texts, shown, (size_t)n, &text, NULL))
		return UINT32_MAX;
	function = calltree_name(a->tree, text, "");
	if (function == UINT32_MAX || idmap_put(&a->calls, call->nr, call->arch, (char *)(uintptr_t)(function + 1)))
		return UINT32_MAX;
	a->tree->functions[function].kernel = true;
	return function;
}

/* The node of a stack: its outermost frame is below the root. NO_NODE: no memory. */
static uint32_t stack_node(struct adding *a, const struct recorded_event *event)
{
	const struct recorded_frame *frames;
	uint32_t node = CALLTREE_ROOT, function;
	uintptr_t known;
	size_t n;

	if (recording_stack(a->recording, event, &frames, &n))
		return NO_NODE;
	known = n ? (uintptr_t)idmap_get(&a->stacks, (uintptr_t)frames, n) : CALLTREE_ROOT + 1;
	if (known)
		return (uint32_t)(known - 1);
	for (size_t i = n; i-- && node != NO_NODE;) {
		const struct recorded_function *f = frames[i].function;
		const char *name, *module;

		/* Other recordings' pointers mean nothing: the same text has to be the same pointer here. */
		if (pool_text(&a->tree->texts, f->name, strlen(f->name), &name, NULL) ||
		    pool_text(&a->tree->texts, path_name(f->file), strlen(path_name(f->file)), &module, NULL))
			return NO_NODE;
		function = calltree_name(a->tree, name, module);
		node = function == UINT32_MAX ? NO_NODE : calltree_child(a->tree, node, function);
	}
	if (node == NO_NODE || idmap_put(&a->stacks, (uintptr_t)frames, n, (char *)(uintptr_t)(node + 1)))
		return NO_NODE;
	return node;
}

static int add_call(struct adding *a, const struct recorded_event *event)
{
	const struct data_syscall *call = &event->record->syscall;
	uint32_t function, node;

	a->tree->called = true;
	function = call_function(a, call);
	node = function == UINT32_MAX ? NO_NODE : stack_node(a, event);
	if (node != NO_NODE)
		node = calltree_child(a->tree, node, function);
	if (node == NO_NODE)
		return -ENOMEM;
	a->tree->nodes[node].count++;
	a->tree->nodes[node].self += call->duration;
	return 0;
}

static int add_sample(struct adding *a, const struct recorded_event *event)
{
	uint32_t node = stack_node(a, event);

	a->tree->sampled = true;
	if (node == CALLTREE_ROOT) {
		uint32_t nowhere = calltree_name(a->tree, "[unknown]", "");

		node = nowhere == UINT32_MAX ? NO_NODE : calltree_child(a->tree, node, nowhere);
	}
	if (node == NO_NODE)
		return -ENOMEM;
	a->tree->nodes[node].count++;
	a->tree->nodes[node].self += event->record->sample.weight;
	return 0;
}

static int add_event(struct adding *a, const struct recorded_event *event)
{
	switch (event->record->type) {
	case DATA_SYSCALL:
	case DATA_UNFINISHED:
		return add_call(a, event);
	case DATA_SAMPLE:
		return add_sample(a, event);
	default:
		return 0;
	}
}

/* Functions have the calls that they led to; a child has a higher number than its parent. */
static void sum_up(struct calltree *t)
{
	for (size_t i = t->n_nodes; i-- > 1;) {
		struct calltree_node *node = &t->nodes[i], *parent = &t->nodes[node->parent];

		node->total += node->self;
		parent->total += node->total;
		parent->count += node->count;
	}
}

int calltree_stacks(struct calltree *t, struct recording *r, struct call_select *select)
{
	struct adding a = {.tree = t, .recording = r};
	struct recorded_event event;
	int rc;

	while ((rc = recording_next(r, &event)) == 1) {
		rc = call_selected(select, &event) ? add_event(&a, &event) : 0;
		if (rc)
			break;
	}
	if (!rc)
		sum_up(t);
	idmap_release(&a.calls);
	idmap_release(&a.stacks);
	return rc;
}

bool calltree_has(const struct calltree *t, enum select_event event)
{
	return event == SELECT_SAMPLES ? t->sampled : event == SELECT_CALLS && t->called;
}
