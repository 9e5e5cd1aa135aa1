/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host calls by the functions of their stacks: a system call is the innermost function of its stack. Or samples. */
#include "private.h"

#include <exectrace/answer/calls/call.h>
#include <exectrace/answer/export/guest/guest.h>
#include <exectrace/answer/format/callgraph.h>
#include <exectrace/answer/format/text.h>
#include <exectrace/base/grow.h>

#define NO_LEAF UINT32_MAX

/* Calls, or samples, that have the same stack. */
struct as_callgrind_path {
	const struct recorded_frame *frames; /* the innermost first */
	size_t n;
	const char *comm;
	uint32_t leaf; /* the node of the call; NO_LEAF: of samples */
	uint64_t calls, time;
};

struct grinder {
	struct exporter base; /* first */
	struct callgraph graph;
	struct byte_map known; /* by struct path_key: the number of the path, and 1 */
	struct as_callgrind_path *paths;
	size_t n, cap;
	const char *unit; /* of costs, ... */
	double scale;     /* ... once multiplied by this */
	struct buf nodes; /* of a path, the innermost first */
};

struct path_key {
	const struct recorded_frame *frames;
	const char *comm;  /* equal names are equal pointers */
	uint32_t arch, nr; /* of samples: 0 */
};

static int new_path(struct grinder *g, const struct path_key *key, size_t n, const struct data_event *record)
{
	char name[CALL_NAME_MAX];
	struct as_callgrind_path path = {.frames = key->frames, .n = n, .comm = key->comm, .leaf = NO_LEAF};
	int rc = 0;

	if (record->type != DATA_SAMPLE)
		rc = callgraph_node(&g->graph, text_of(call_name(&record->syscall, name)), text_of("[system calls]"),
		                    &path.leaf);
	if (!rc)
		rc = grow_array((void **)&g->paths, g->n, &g->cap, sizeof(path));
	if (!rc)
		g->paths[g->n++] = path;
	return rc;
}

static int on_event(struct exporter *e, const struct recorded_event *event)
{
	struct grinder *g = (struct grinder *)e;
	const struct data_event *record = event->record;
	struct path_key key = {.comm = event->thread ? event->thread->comm : NULL};
	uint64_t *place = NULL, time = record->sample.weight;
	size_t n = 0;
	int rc;

	if (record->type == DATA_SYSCALL || record->type == DATA_UNFINISHED) {
		key.arch = record->syscall.arch;
		key.nr = record->syscall.nr;
		time = record->syscall.duration;
	} else if (record->type != DATA_SAMPLE) {
		return 0;
	}
	rc = recording_stack(e->recording, event, &key.frames, &n);
	if (!rc && !n)
		key.frames = NULL;
	if (!rc)
		rc = byte_map_find(&g->known, &key, sizeof(key), &place);
	if (!rc && !*place) {
		rc = new_path(g, &key, n, record);
		*place = rc ? 0 : g->n;
	}
	if (rc)
		return rc;
	g->paths[*place - 1].calls++;
	g->paths[*place - 1].time += time;
	return 0;
}

/* The calls of a path, n nodes from the innermost on: one at least. */
static int add_edges(struct grinder *g, const uint32_t *nodes, size_t n, const struct as_callgrind_path *path)
{
	int rc = 0;

	for (size_t i = n - 1; i && !rc; i--) {
		const uint32_t pair[] = {nodes[i], nodes[i - 1]};
		bool nested = false;

		for (size_t unattributed = i; unattributed < n; unattributed++)
			nested |= nodes[unattributed] == nodes[i - 1];
		rc = callgraph_calls(&g->graph, pair, path->calls, nested ? 0 : path->time);
	}
	return rc;
}

static int add_path(struct grinder *g, const struct as_callgrind_path *path)
{
	const uint32_t *nodes;
	uint32_t node = path->leaf;
	int rc = 0;

	g->nodes.len = 0;
	if (node != NO_LEAF)
		rc = buf_append(&g->nodes, &node, sizeof(node));
	for (size_t i = 0; i < path->n && !rc; i++) {
		const struct recorded_function *function = path->frames[i].function;

		rc = callgraph_node(&g->graph, text_of(function->name), text_of(function->file), &node);
		if (!rc)
			rc = buf_append(&g->nodes, &node, sizeof(node));
	}
	if (!rc)
		rc = callgraph_node(&g->graph, text_of(path->comm), text_of("[threads]"), &node);
	if (!rc)
		rc = buf_append(&g->nodes, &node, sizeof(node));
	if (rc)
		return rc;
	nodes = (const uint32_t *)(const void *)g->nodes.data;
	callgraph_self(&g->graph, nodes[0], path->time);
	return add_edges(g, nodes, g->nodes.len / sizeof(node), path);
}

static int finish(struct exporter *e)
{
	struct grinder *g = (struct grinder *)e;
	int rc = 0;

	for (size_t i = 0; i < g->n && !rc; i++)
		rc = add_path(g, &g->paths[i]);
	return rc ? rc : callgraph_print(&g->graph, &e->out, g->unit, g->scale);
}

static int begin(struct exporter *e)
{
	((struct grinder *)e)->unit = "ns";
	((struct grinder *)e)->scale = 1;
	return 0;
}

static int on_guest(struct guest *g)
{
	struct grinder *grinder = (struct grinder *)g->e;

	grinder->unit = g->unit;
	grinder->scale = g->scale;
	return guest_callgrind(g, &grinder->graph);
}

static void release(struct exporter *e)
{
	struct grinder *g = (struct grinder *)e;

	callgraph_release(&g->graph);
	byte_map_release(&g->known);
	buf_release(&g->nodes);
	free(g->paths);
}

const struct exporter_ops exporter_callgrind = {
	.name = "callgrind",
	.sums = true,
	.samples = true,
	.alone = true,
	.size = sizeof(struct grinder),
	.begin = begin,
	.event = on_event,
	.finish = finish,
	.guest = on_guest,
	.release = release,
};
