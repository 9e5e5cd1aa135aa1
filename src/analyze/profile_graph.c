/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From call paths to entries with their weights, and to trees of calls. */
#include "profile.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <string.h>

static int compare(const struct profile_entry *a, const struct profile_entry *b, uint64_t one, uint64_t two)
{
	int names;

	if (one != two)
		return one > two ? -1 : 1;
	names = strcmp(a->function, b->function);
	if (!names)
		names = strcmp(a->object, b->object);
	return names ? names : strcmp(a->comm, b->comm);
}

static int by_children(const void *a, const void *b)
{
	const struct profile_entry *one = *(struct profile_entry *const *)a, *two = *(struct profile_entry *const *)b;

	return compare(one, two, one->children, two->children);
}

static int by_self(const void *a, const void *b)
{
	const struct profile_entry *one = *(struct profile_entry *const *)a, *two = *(struct profile_entry *const *)b;

	return compare(one, two, one->self, two->self);
}

/* Gives a path's weight to its entries, to each once. 0 or -ENOMEM. */
static int spread(struct profile *p, size_t at, bool graphs)
{
	struct call_path *path = p->paths[at];

	p->stamp++;
	if (path->n)
		path->entries[0]->self += path->weight;
	for (size_t i = 0; i < path->n; i++) {
		struct profile_entry *e = path->entries[i];

		if (e->stamp == p->stamp)
			continue;
		e->stamp = p->stamp;
		e->children += path->weight;
		if (!graphs)
			continue;
		if (grow_array((void **)&e->stacks, e->n_stacks, &e->cap_stacks, sizeof(*e->stacks)))
			return -ENOMEM;
		e->stacks[e->n_stacks++] = at;
	}
	return 0;
}

int profile_entries(struct profile *p, bool self, bool graphs, const struct profile_entry *const **entries, size_t *n)
{
	int rc = 0;

	for (size_t i = 0; i < p->n_entries; i++) {
		p->entries[i]->children = p->entries[i]->self = 0;
		p->entries[i]->n_stacks = 0;
	}
	for (size_t i = 0; i < p->n_paths && !rc; i++)
		rc = spread(p, i, graphs);
	if (p->n_entries)
		qsort(p->entries, p->n_entries, sizeof(struct profile_entry *), self ? by_self : by_children);
	*entries = (const struct profile_entry *const *)p->entries;
	*n = rc ? 0 : p->n_entries;
	return rc;
}

/* --- Trees -------------------------------------------------------------------------------------------------------- */

/* The child for an entry, made when there is none. NULL: no memory. */
static struct profile_node *child_of(struct profile_node *node, const struct profile_entry *entry)
{
	struct profile_node *child = node->child;

	while (child && child->entry != entry)
		child = child->sibling;
	if (child)
		return child;
	child = calloc(1, sizeof(*child));
	if (!child)
		return NULL;
	child->entry = entry;
	child->sibling = node->child;
	return node->child = child;
}

/*
 * Adds a path from its outermost (callers: innermost) visit of the entry on. folded: neighbours that are the same entry
 * are one. 0 or -ENOMEM.
 */
static int add_path(struct profile_node *root, const struct call_path *path, bool callers, bool folded)
{
	struct profile_node *node = root;
	size_t at = callers ? 0 : path->n - 1, step = callers ? 1 : SIZE_MAX;

	while (path->entries[at] != root->entry)
		at += step;
	root->weight += path->weight;
	/* Below 0 is SIZE_MAX. */
	for (at += step; at < path->n; at += step) {
		if (folded && path->entries[at] == node->entry)
			continue;
		node = child_of(node, path->entries[at]);
		if (!node)
			return -ENOMEM;
		node->weight += path->weight;
	}
	return 0;
}

static int heavier(const void *a, const void *b)
{
	const struct profile_node *one = *(struct profile_node *const *)a, *two = *(struct profile_node *const *)b;

	return compare(one->entry, two->entry, one->weight, two->weight);
}

/* Sorts the children of one node. 0 or -ENOMEM. */
static int sort_children(struct profile_node *node)
{
	struct profile_node **nodes, *child;
	size_t n = 0;

	for (child = node->child; child; child = child->sibling)
		n++;
	if (n < 2)
		return 0;
	nodes = calloc(n, sizeof(struct profile_node *));
	if (!nodes)
		return -ENOMEM;
	n = 0;
	for (child = node->child; child; child = child->sibling)
		nodes[n++] = child;
	qsort(nodes, n, sizeof(struct profile_node *), heavier);
	for (size_t i = 0; i < n; i++)
		nodes[i]->sibling = i + 1 < n ? nodes[i + 1] : NULL;
	node->child = nodes[0];
	free(nodes);
	return 0;
}

/* A stack may have 65,536 frames: a tree is walked with a list instead of recursion. */
struct node_list {
	struct profile_node **items;
	size_t n, cap;
};

static int push(struct node_list *list, struct profile_node *node)
{
	if (grow_array((void **)&list->items, list->n, &list->cap, sizeof(struct profile_node *)))
		return -ENOMEM;
	list->items[list->n++] = node;
	return 0;
}

static int sort_tree(struct profile_node *root)
{
	struct node_list todo = {0};
	int rc = push(&todo, root);

	while (!rc && todo.n) {
		struct profile_node *node = todo.items[--todo.n];

		rc = sort_children(node);
		for (struct profile_node *child = node->child; child && !rc; child = child->sibling)
			rc = push(&todo, child);
	}
	free(todo.items);
	return rc;
}

/* Takes the tree apart without memory of its own: the children of a node are put in front of its siblings. */
void profile_graph_free(struct profile_node *root)
{
	while (root) {
		struct profile_node *next = root->sibling, *child = root->child;

		if (child) {
			struct profile_node *last = child;

			while (last->sibling)
				last = last->sibling;
			last->sibling = next;
			next = child;
		}
		free(root);
		root = next;
	}
}

int profile_graph(struct profile *p, const struct profile_entry *entry, bool callers, struct profile_node **root)
{
	struct profile_node *node = calloc(1, sizeof(*node));
	int rc = 0;

	if (!node)
		return -ENOMEM;
	node->entry = entry;
	for (size_t i = 0; i < entry->n_stacks && !rc; i++)
		rc = add_path(node, p->paths[entry->stacks[i]], callers, !(p->keys & PROFILE_FUNCTION));
	if (!rc)
		rc = sort_tree(node);
	if (rc)
		profile_graph_free(node);
	else
		*root = node;
	return rc;
}
