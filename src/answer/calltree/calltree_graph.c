/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Around some functions: their callers, their callees. */
#include "calltree.h"

#include <errno.h>
#include <stdlib.h>

struct graph {
	const struct calltree *from;
	struct calltree *to;
	enum calltree_graph what;
	unsigned depth;
	uint32_t *path; /* nodes of `to`, by level below the function */
};

/* The call of the same function that is around this one. CALLTREE_ROOT: none. */
static uint32_t around(const struct calltree *t, uint32_t node)
{
	uint32_t function = t->nodes[node].function;

	do
		node = t->nodes[node].parent;
	while (node != CALLTREE_ROOT && t->nodes[node].function != function);
	return node;
}

/* Adds to a node. */
static void add(struct calltree_node *to, const struct calltree_weight *weight)
{
	to->sides[0].count += weight->count;
	to->sides[0].total += weight->total;
	to->sides[0].self += weight->self;
	to->sides[0].waited += weight->waited;
}

/* Adds a weight to the chain of callers of a node. 0 or -ENOMEM. */
static int add_callers(struct graph *g, uint32_t node, uint32_t at, const struct calltree_weight *weight)
{
	const struct calltree_node *nodes = g->from->nodes;

	for (unsigned level = 0; level < g->depth && (node = nodes[node].parent) != CALLTREE_ROOT; level++) {
		at = child_of(g->to, at, nodes[node].function);
		if (at == CALLTREE_NONE)
			return -ENOMEM;
		add(&g->to->nodes[at], weight);
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
		at = child_of(g->to, g->path[level], nodes[node].function);
		if (at == CALLTREE_NONE)
			return -ENOMEM;
		add(&g->to->nodes[at], &nodes[node].sides[0]);
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

static int add_node(struct graph *g, uint32_t node)
{
	const struct calltree_weight *call = &g->from->nodes[node].sides[0];
	const struct calltree_weight without = {.total = 0 - call->total, .waited = 0 - call->waited};
	struct calltree_weight own = *call;
	uint32_t function = g->from->nodes[node].function;
	uint32_t unattributed = around(g->from, node), at = child_of(g->to, CALLTREE_ROOT, function);
	int rc = 0;

	if (at == CALLTREE_NONE)
		return -ENOMEM;
	if (unattributed)
		own.total = own.waited = 0;
	add(&g->to->nodes[at], &own);
	if (g->what == CALLTREE_CALLEES)
		return unattributed ? 0 : add_callees(g, node, at);
	if (g->what == CALLTREE_CALLERS)
		return add_callers(g, node, at, &own);
	/* What the inner one has is no longer the unattributed one's: totals are modulo 2^64. */
	if (unattributed)
		rc = add_callers(g, unattributed, at, &without);
	return rc ? rc : add_callers(g, node, at, call);
}

struct calltree *calltree_graph(const struct calltree *t, const uint32_t *functions, size_t n, enum calltree_graph what,
                                unsigned depth)
{
	struct graph g = {.from = t, .to = calltree_new(), .what = what, .depth = depth};
	int rc = 0;

	g.path = reallocarray(NULL, (size_t)depth + 1, sizeof(*g.path));
	if (!g.to || !g.path)
		rc = -ENOMEM;
	if (!rc) {
		free(g.to->functions);
		g.to->functions = t->functions;
		g.to->n_functions = t->n_functions;
		g.to->borrowed = true;
	}
	for (size_t i = 0; i < n && !rc; i++)
		for (uint32_t node = t->functions[functions[i]].first; node && !rc; node = t->same[node])
			rc = add_node(&g, node);
	if (!rc)
		rc = calltree_finish(g.to);
	free(g.path);
	if (!rc)
		return g.to;
	calltree_free(g.to);
	return NULL;
}
