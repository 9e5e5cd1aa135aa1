/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Children by their ends, the last one first, as lists of indexes. */
struct chain {
	const struct tree_node *const *nodes;
	bool *marks;
	size_t *first; /* of a parent: the next child to look at */
	size_t *next;
};

static int by_end(const void *a, const void *b)
{
	const struct tree_node *one = *(const struct tree_node *const *)a, *two = *(const struct tree_node *const *)b;

	if (one->end.when != two->end.when)
		return one->end.when < two->end.when ? -1 : 1;
	return one->index < two->index ? -1 : one->index > two->index;
}

static void link_children(struct chain *c, const struct tree_node **sorted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		c->first[i] = NONE;
	for (size_t i = 0; i < n; i++) {
		const struct tree_node *node = sorted[i];

		if (!node->parent || !node->end.when || !node->start || node->end.when < node->start)
			continue;
		c->next[node->index] = c->first[node->parent->index];
		c->first[node->parent->index] = node->index;
	}
}

/* The child that ended last until a time; each is found once. */
static const struct tree_node *last_child(struct chain *c, const struct tree_node *node, uint64_t until)
{
	size_t *at = &c->first[node->index];

	while (*at != NONE) {
		const struct tree_node *child = c->nodes[*at];

		*at = c->next[*at];
		if (child->end.when <= until)
			return child;
	}
	return NULL;
}

static void walk(struct chain *c, const struct tree_node *root)
{
	uint64_t until = root->end.when ? root->end.when : UINT64_MAX;
	const struct tree_node *node = root;

	while (node) {
		const struct tree_node *child = last_child(c, node, until);

		c->marks[node->index] = true;
		if (child) {
			node = child;
			until = child->end.when;
			continue;
		}
		until = node->start;
		node = node == root ? NULL : node->parent;
	}
}

int chain_mark(const struct tree_node *const *nodes, size_t n, bool *marks)
{
	struct chain c = {nodes, marks, calloc(n + 1, sizeof(size_t)), calloc(n + 1, sizeof(size_t))};
	const struct tree_node **sorted = calloc(n + 1, sizeof(*sorted));
	int rc = c.first && c.next && sorted ? 0 : -ENOMEM;

	if (!rc && n) {
		memcpy(sorted, nodes, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_end);
		link_children(&c, sorted, n);
	}
	for (const struct tree_node *root = !rc && n ? nodes[0] : NULL; root; root = root->sibling)
		walk(&c, root);
	free(sorted);
	free(c.first);
	free(c.next);
	return rc;
}
