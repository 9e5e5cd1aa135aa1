/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree as such: nodes, functions, order. */
#include "calltree.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <string.h>

uint32_t calltree_name(struct calltree *t, const char *name, const char *module)
{
	uintptr_t number = (uintptr_t)idmap_get(&t->functions_by_name, (uintptr_t)name, (uintptr_t)module);

	if (number)
		return (uint32_t)(number - 1);
	if (grow_array((void **)&t->functions, t->n_functions, &t->cap_functions, sizeof(*t->functions)) ||
	    idmap_put(&t->functions_by_name, (uintptr_t)name, (uintptr_t)module, (char *)(t->n_functions + 1)))
		return UINT32_MAX;
	t->functions[t->n_functions] = (struct calltree_function){.name = name, .module = module};
	return (uint32_t)t->n_functions++;
}

/* --- Nodes ---------------------------------------------------------------------------------------------------------
 */

static size_t place_of(const struct calltree *t, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (t->cap_branches - 1);

	while (t->branches[at].key && t->branches[at].key != key)
		at = (at + 1) & (t->cap_branches - 1);
	return at;
}

static int grow_branches(struct calltree *t)
{
	struct branch *old = t->branches;
	size_t cap = t->cap_branches, larger = cap ? cap * 2 : 1024;
	struct branch *branches = calloc(larger, sizeof(*branches));

	if (!branches)
		return -ENOMEM;
	t->branches = branches;
	t->cap_branches = larger;
	for (size_t i = 0; i < cap; i++)
		if (old[i].key)
			branches[place_of(t, old[i].key)] = old[i];
	free(old);
	return 0;
}

static uint32_t new_node(struct calltree *t, uint32_t parent, uint32_t function)
{
	if (grow_array((void **)&t->nodes, t->n_nodes, &t->cap_nodes, sizeof(*t->nodes)) ||
	    grow_array((void **)&t->recent, t->n_nodes, &t->cap_recent, sizeof(*t->recent)))
		return NO_NODE;
	t->recent[t->n_nodes] = 0;
	t->nodes[t->n_nodes] = (struct calltree_node){.function = function, .parent = parent};
	return (uint32_t)t->n_nodes++;
}

/* Where all paths go for which there is no room. */
static uint32_t rest_of(struct calltree *t)
{
	uint32_t function;

	if (t->rest)
		return t->rest;
	function = calltree_name(t, CALLTREE_REST, "");
	t->rest = function == UINT32_MAX ? 0 : new_node(t, CALLTREE_ROOT, function);
	return t->rest ? t->rest : NO_NODE;
}

uint32_t calltree_branch(struct calltree *t, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | (function + 1u);
	struct branch *b;

	if (t->rest && parent == t->rest)
		return parent;
	if (t->n_branches * 2 >= t->cap_branches && grow_branches(t))
		return NO_NODE;
	b = &t->branches[place_of(t, key)];
	if (!b->key) {
		uint32_t node = t->n_nodes < CALLTREE_PATHS ? new_node(t, parent, function) : NO_NODE;

		if (t->n_nodes >= CALLTREE_PATHS)
			return rest_of(t);
		if (node == NO_NODE)
			return NO_NODE;
		*b = (struct branch){key, node};
		t->n_branches++;
	}
	return t->recent[parent] = b->node;
}

struct calltree *calltree_new(const struct functions_options *which)
{
	struct calltree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	if (which)
		t->which = *which;
	t->tasks_wanted = (struct task_select){t->which.task, t->which.pids, t->which.n_pids};
	if (new_node(t, CALLTREE_ROOT, UINT32_MAX) == CALLTREE_ROOT)
		return t;
	calltree_free(t);
	return NULL;
}

void calltree_free(struct calltree *t)
{
	if (!t)
		return;
	if (!t->borrowed)
		free(t->functions);
	free(t->nodes);
	free(t->recent);
	free(t->branches);
	idmap_release(&t->functions_by_name);
	pool_release(&t->texts);
	free(t);
}

/* --- Order and sums ------------------------------------------------------------------------------------------------
 */

/* Which of two siblings is shown first: by total, then calls, then name. */
static bool is_before(const struct calltree *t, const struct calltree_node *a, const struct calltree_node *b)
{
	if (a->total != b->total)
		return a->total > b->total;
	if (a->count != b->count)
		return a->count > b->count;
	return strcmp(t->functions[a->function].name, t->functions[b->function].name) < 0;
}

/* Merges two sorted lists of siblings. */
static uint32_t merge_lists(struct calltree *t, uint32_t a, uint32_t b)
{
	uint32_t first = 0, *end = &first;

	while (a && b) {
		uint32_t *from = is_before(t, &t->nodes[b], &t->nodes[a]) ? &b : &a;

		*end = *from;
		end = &t->nodes[*from].sibling;
		*from = *end;
	}
	*end = a ? a : b;
	return first;
}

/* Sorts a list of siblings: runs of 1, 2, 4, ... wait in `runs` to be merged. */
static uint32_t sort_list(struct calltree *t, uint32_t list)
{
	uint32_t runs[32] = {0}, sorted = 0;

	while (list) {
		uint32_t run = list;
		unsigned i = 0;

		list = t->nodes[run].sibling;
		t->nodes[run].sibling = 0;
		for (; i < 31 && runs[i]; i++) {
			run = merge_lists(t, runs[i], run);
			runs[i] = 0;
		}
		runs[i] = merge_lists(t, runs[i], run);
	}
	for (unsigned i = 0; i < 32; i++)
		sorted = merge_lists(t, runs[i], sorted);
	return sorted;
}

static void link_children(struct calltree *t)
{
	for (uint32_t i = (uint32_t)t->n_nodes; i-- > 1;) {
		struct calltree_node *parent = &t->nodes[t->nodes[i].parent];

		/* Calls that began there and did not count in the end. */
		if (!t->nodes[i].count && !t->nodes[i].child)
			continue;
		t->nodes[i].sibling = parent->child;
		parent->child = i;
	}
	for (uint32_t i = 0; i < t->n_nodes; i++)
		t->nodes[i].child = sort_list(t, t->nodes[i].child);
}

/* The node that follows in the order of the tree; `close` is told of each node that is left. 0: none. */
static uint32_t next_node(const struct calltree *t, uint32_t node, uint32_t *open)
{
	if (t->nodes[node].child)
		return t->nodes[node].child;
	while (node != CALLTREE_ROOT) {
		open[t->nodes[node].function]--;
		if (t->nodes[node].sibling)
			return t->nodes[node].sibling;
		node = t->nodes[node].parent;
	}
	return 0;
}

static int sum_functions(struct calltree *t)
{
	uint32_t *open =
		calloc(t->n_functions + 1, sizeof(*open)); /* by function: nodes of it around the current one */

	if (!open)
		return -ENOMEM;
	for (uint32_t i = t->nodes[CALLTREE_ROOT].child; i; i = next_node(t, i, open)) {
		const struct calltree_node *node = &t->nodes[i];
		struct calltree_function *f = &t->functions[node->function];

		f->count += node->count;
		f->self += node->self;
		f->total += open[node->function]++ ? 0 : node->total;
	}
	free(open);
	return 0;
}

/* What system calls add to those around them is known from below: children come behind their parents. */
int calltree_finish(struct calltree *t)
{
	struct calltree_node *root = &t->nodes[CALLTREE_ROOT];

	link_children(t);
	root->total = root->count = 0;
	for (uint32_t i = root->child; i; i = t->nodes[i].sibling) {
		root->total += t->nodes[i].total;
		root->count += t->nodes[i].count;
	}
	return t->borrowed ? 0 : sum_functions(t);
}

const struct calltree_node *calltree_nodes(const struct calltree *t, size_t *n)
{
	*n = t->n_nodes;
	return t->nodes;
}

const struct calltree_function *calltree_functions(const struct calltree *t, size_t *n)
{
	*n = t->n_functions;
	return t->functions;
}

uint64_t calltree_total(const struct calltree *t)
{
	uint64_t total = 0;

	for (size_t i = 1; i < t->n_nodes; i++)
		total += t->nodes[i].self;
	return total;
}
