/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Around some functions: their callers, their callees. */
#include "calltree.h"

#include <errno.h>
#include <stdlib.h>

struct graph {
	const struct calltree *from;
	struct calltree *to;
	const bool *wanted;
	unsigned depth;
	uint32_t *path; /* nodes of `to`, by level below the function */
};

/* Whether a call of the same function is around this one. */
static bool is_nested(const struct calltree *t, uint32_t node)
{
	uint32_t function = t->nodes[node].function;

	while ((node = t->nodes[node].parent) != CALLTREE_ROOT)
		if (t->nodes[node].function == function)
			return true;
	return false;
}

/* Adds to a node what another one has. */
static void add(struct calltree_node *to, const struct calltree_node *from, bool total)
{
	to->count += from->count;
	to->total += total ? from->total : 0;
	to->self += from->self;
}

/* The chain of callers of a node. 0 or -ENOMEM. */
static int add_callers(struct graph *g, uint32_t node, uint32_t at, bool outer)
{
	const struct calltree_node *nodes = g->from->nodes, *call = &nodes[node];

	for (unsigned level = 0; level < g->depth && (node = nodes[node].parent) != CALLTREE_ROOT; level++) {
		at = calltree_child(g->to, at, nodes[node].function);
		if (at == NO_NODE)
			return -ENOMEM;
		add(&g->to->nodes[at], call, outer);
	}
	return 0;
}

/* All that a node has called. 0 or -ENOMEM. */
static int add_callees(struct graph *g, uint32_t top, uint32_t at)
{
	const struct calltree_node *nodes = g->from->nodes;
	uint32_t node = g->depth ? nodes[top].child : 0;
	unsigned level = 0;

	g->path[0] = at;
	while (node) {
		at = calltree_child(g->to, g->path[level], nodes[node].function);
		if (at == NO_NODE)
			return -ENOMEM;
		add(&g->to->nodes[at], &nodes[node], true);
		if (nodes[node].child && level + 1 < g->depth) {
			g->path[++level] = at;
			node = nodes[node].child;
			continue;
		}
		while (node != top && !nodes[node].sibling) {
			node = nodes[node].parent;
			level -= node != top;
		}
		node = node == top ? 0 : nodes[node].sibling;
	}
	return 0;
}

static int add_node(struct graph *g, uint32_t node, bool callers)
{
	bool outer = !is_nested(g->from, node);
	uint32_t at = calltree_child(g->to, CALLTREE_ROOT, g->from->nodes[node].function);

	if (at == NO_NODE)
		return -ENOMEM;
	add(&g->to->nodes[at], &g->from->nodes[node], outer);
	if (callers)
		return add_callers(g, node, at, outer);
	return outer ? add_callees(g, node, at) : 0;
}

struct calltree *calltree_graph(const struct calltree *t, const bool *wanted, bool callers, unsigned depth)
{
	struct graph g = {.from = t, .to = calltree_new(NULL), .wanted = wanted, .depth = depth};
	int rc = 0;

	g.path = reallocarray(NULL, (size_t)depth + 1, sizeof(*g.path));
	if (!g.to || !g.path)
		rc = -ENOMEM;
	if (!rc) {
		g.to->functions = t->functions;
		g.to->n_functions = t->n_functions;
		g.to->borrowed = true;
	}
	for (uint32_t i = 1; i < t->n_nodes && !rc; i++)
		if (wanted[t->nodes[i].function])
			rc = add_node(&g, i, callers);
	if (!rc)
		rc = calltree_finish(g.to);
	free(g.path);
	if (!rc)
		return g.to;
	calltree_free(g.to);
	return NULL;
}
