/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/export/guest/nest.h>

#include <errno.h>
#include <exectrace/answer/format/callgraph.h>
#include <exectrace/answer/format/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct costs {
	struct replay *replay;
	struct callgraph *graph;
	struct nest nest;
	uint32_t *nodes; /* by function: the node, and 1 */
	uint32_t *open;  /* by function: calls that are open */
	size_t n_functions;
};

/* The node of a function, which may be that of others of its name, too. */
static int learn(struct costs *c, uint32_t function)
{
	const struct replay_function *f = replay_function(c->replay, function);
	size_t n = (size_t)function + 1024;
	uint32_t *nodes, *open, node;
	int rc;

	if (function >= c->n_functions) {
		nodes = reallocarray(c->nodes, n, sizeof(*nodes));
		if (!nodes)
			return -ENOMEM;
		c->nodes = nodes;
		open = reallocarray(c->open, n, sizeof(*open));
		if (!open)
			return -ENOMEM;
		c->open = open;
		memset(nodes + c->n_functions, 0, (n - c->n_functions) * sizeof(*nodes));
		memset(open + c->n_functions, 0, (n - c->n_functions) * sizeof(*open));
		c->n_functions = n;
	}
	rc = callgraph_node(c->graph, text_of(f->name), text_of(f->module), &node);
	if (!rc)
		c->nodes[function] = node + 1;
	return rc;
}

static uint32_t node_of(const struct costs *c, const struct nest_call *call)
{
	return c->nodes[call->line.function] - 1;
}

static int on_open(void *ctx, struct nest_stack *stack)
{
	struct costs *c = ctx;
	uint32_t function = stack->calls[stack->n - 1].line.function;
	int rc = function < c->n_functions && c->nodes[function] ? 0 : learn(c, function);

	if (!rc)
		c->open[function]++;
	return rc;
}

/* Whether a call of this function is open around the innermost call; what an interrupt interrupted does not count. */
static bool is_nested(const struct costs *c, const struct nest_stack *stack)
{
	const struct nest_call *call = &stack->calls[stack->n - 1];
	uint32_t node = node_of(c, call);

	while (!call->root)
		if (node_of(c, --call) == node)
			return true;
	return false;
}

/* Who makes a call that no function makes. */
static int outermost(struct costs *c, const struct nest_call *call, uint32_t *node)
{
	const struct call_line *line = &call->line;
	const char *who = line->interrupt ? "[interrupt]" : !line->told ? "[no task]" : line->task;
	char unnamed[32];

	if (!*who) {
		snprintf(unnamed, sizeof(unnamed), "[task %u]", line->pid);
		who = unnamed;
	}
	return callgraph_node(c->graph, text_of(who), text_of("[tasks]"), node);
}

static int on_close(void *ctx, struct nest_stack *stack)
{
	struct costs *c = ctx;
	struct nest_call *call = &stack->calls[stack->n - 1];
	uint32_t nodes[] = {0, node_of(c, call)};
	uint64_t cost = call->line.self + call->sum;
	int rc = 0;

	callgraph_self(c->graph, nodes[1], call->line.self);
	if (!call->root) {
		call[-1].sum += cost;
		nodes[0] = node_of(c, call - 1);
	} else {
		rc = outermost(c, call, &nodes[0]);
	}
	if (--c->open[call->line.function] && is_nested(c, stack))
		cost = 0;
	return rc ? rc : callgraph_calls(c->graph, nodes, 1, cost);
}

static int on_line(void *ctx, const struct call_line *line)
{
	return nest_line(&((struct costs *)ctx)->nest, line);
}

int guest_callgrind(struct guest *g, struct callgraph *graph)
{
	struct costs c = {.replay = g->replay, .graph = graph};
	const struct nest_sink sink = {&c, NULL, on_open, on_close};
	int rc;

	c.nest.sink = &sink;
	rc = guest_all_lines(g, on_line, &c);
	if (!rc)
		rc = nest_finish(&c.nest);
	nest_release(&c.nest);
	free(c.nodes);
	free(c.open);
	return rc;
}
