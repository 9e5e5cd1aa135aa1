/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_graph.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/cmd/cell.h>
#include <string.h>

#define MARGIN 12      /* columns left of the tree */
#define DEPTH_MAX 200u /* branches within branches that are drawn */

struct drawing {
	struct buf *out;
	struct buf lines; /* what is left of the current branch: "|  " for branches that go on */
	uint64_t total, limit;
	unsigned depth;
};

static int draw_name(struct buf *out, const struct profile_node *node)
{
	const struct profile_entry *e = node->entry;
	const char *name = *e->function ? e->function : *e->object ? e->object : e->comm;
	int rc = cell_text(out, name, strlen(name));

	return rc ? rc : buf_putc(out, '\n');
}

/* A line begins with the margin and the branches that pass by. */
static int draw_margin(struct drawing *d)
{
	int rc = buf_printf(d->out, "%*s", MARGIN, "");

	return rc ? rc : buf_append(d->out, d->lines.data ? d->lines.data : "", d->lines.len);
}

static const struct profile_node *next_shown(const struct drawing *d, const struct profile_node *node)
{
	while (node && node->weight < d->limit)
		node = node->sibling;
	return node;
}

static int draw_children(struct drawing *d, const struct profile_node *node);

/* One branch: its first line has the percentage. */
static int draw_branch(struct drawing *d, const struct profile_node *node, bool last)
{
	double share = d->total ? 100.0 * (double)node->weight / (double)d->total : 0.0;
	size_t before = d->lines.len;
	int rc = draw_margin(d);

	if (!rc)
		rc = buf_puts(d->out, "|\n");
	if (!rc)
		rc = draw_margin(d);
	if (!rc)
		rc = buf_printf(d->out, "%s--%.2f%%--", last ? " " : "|", share);
	if (!rc)
		rc = draw_name(d->out, node);
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
static int draw_children(struct drawing *d, const struct profile_node *node)
{
	const struct profile_node *child = next_shown(d, node->child), *next;
	int rc = 0;

	while (!rc && child && child->weight == node->weight) {
		rc = draw_margin(d);
		if (!rc)
			rc = draw_name(d->out, child);
		node = child;
		child = next_shown(d, node->child);
	}
	if (d->depth > DEPTH_MAX)
		return rc;
	for (; child && !rc; child = next) {
		next = next_shown(d, child->sibling);
		rc = draw_branch(d, child, !next);
	}
	return rc;
}

int call_graph_print(struct buf *out, const struct profile_node *root, uint64_t total, uint64_t limit)
{
	struct drawing d = {.out = out, .total = total, .limit = limit ? limit : 1};
	int rc = buf_printf(out, "%*s|\n%*s---", MARGIN, "", MARGIN, "");

	if (!rc)
		rc = draw_name(out, root);
	if (!rc)
		rc = buf_puts(&d.lines, "   ");
	if (!rc)
		rc = draw_children(&d, root);
	buf_release(&d.lines);
	return rc ? rc : buf_putc(out, '\n');
}
