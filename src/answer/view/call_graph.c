/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_graph.h"

#include <exectrace/answer/output/cell.h>
#include <exectrace/base/cleanup.h>
#include <string.h>

#define MARGIN 12      /* columns left of the tree */
#define DEPTH_MAX 200u /* branches within branches that are drawn */

struct drawing {
	struct buf *out;
	struct buf lines; /* what is left of the current branch: "|  " for branches that go on */
	const struct call_graph *graph;
	const struct calltree_node *nodes;
	const struct calltree_function *functions;
	unsigned depth;
};

static uint64_t weight_of(const struct drawing *d, uint32_t node)
{
	return d->graph->count ? d->nodes[node].sides[0].count : d->nodes[node].sides[0].total;
}

static int draw_name(const struct drawing *d, uint32_t node)
{
	const struct calltree_function *f = &d->functions[d->nodes[node].function];
	const char *name = *f->name ? f->name : *f->module ? f->module : f->comm;
	int rc = cell_text(d->out, name, strlen(name));

	return rc ? rc : buf_putc(d->out, '\n');
}

/* A line begins with the margin and the branches that pass by. */
static int draw_margin(struct drawing *d)
{
	int rc = buf_printf(d->out, "%*s", MARGIN, "");

	return rc ? rc : buf_append(d->out, d->lines.data ? d->lines.data : "", d->lines.len);
}

/* The first of a list of siblings that is large enough; 0: none is. */
static uint32_t next_shown(const struct drawing *d, uint32_t node)
{
	uint64_t limit = d->graph->limit ? d->graph->limit : 1;

	while (node && weight_of(d, node) < limit)
		node = d->nodes[node].sibling;
	return node;
}

static int draw_children(struct drawing *d, uint32_t node);

/* One branch: its first line has the percentage. */
static int draw_branch(struct drawing *d, uint32_t node, bool last)
{
	double share = d->graph->total ? 100.0 * (double)weight_of(d, node) / (double)d->graph->total : 0.0;
	size_t before = d->lines.len;
	int rc = draw_margin(d);

	if (!rc)
		rc = buf_puts(d->out, "|\n");
	if (!rc)
		rc = draw_margin(d);
	if (!rc)
		rc = buf_printf(d->out, "%s--%.2f%%--", last ? " " : "|", share);
	if (!rc)
		rc = draw_name(d, node);
	if (!rc)
		rc = buf_puts(&d->lines, last ? "          " : "|         ");
	d->depth++;
	if (!rc)
		rc = draw_children(d, node);
	d->depth--;
	d->lines.len = before;
	return rc;
}

/* A chain of calls that all have the same weight is a column of names. */
static int draw_children(struct drawing *d, uint32_t node)
{
	uint32_t child = next_shown(d, d->nodes[node].child), next;
	int rc = 0;

	while (!rc && child && weight_of(d, child) == weight_of(d, node)) {
		rc = draw_margin(d);
		if (!rc)
			rc = draw_name(d, child);
		node = child;
		child = next_shown(d, d->nodes[node].child);
	}
	if (d->depth > DEPTH_MAX)
		return rc;
	for (; child && !rc; child = next) {
		next = next_shown(d, d->nodes[child].sibling);
		rc = draw_branch(d, child, !next);
	}
	return rc;
}

int call_graph_print(struct buf *out, const struct call_graph *graph)
{
	struct drawing d = {.out = out, .graph = graph};
	int rc = buf_printf(out, "%*s|\n%*s---", MARGIN, "", MARGIN, "");
	uint32_t top;
	size_t n;

	d.nodes = calltree_nodes(graph->tree, &n);
	d.functions = calltree_functions(graph->tree, &n);
	top = d.nodes[CALLTREE_ROOT].child;
	if (!rc)
		rc = draw_name(&d, top);
	if (!rc)
		rc = buf_puts(&d.lines, "   ");
	if (!rc)
		rc = draw_children(&d, top);
	buf_release(&d.lines);
	return rc ? rc : buf_putc(out, '\n');
}
