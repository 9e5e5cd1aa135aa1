/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree as such: functions, nodes, sums, order. */
#include "calltree.h"

#include <errno.h>
#include <exectrace/base/grow.h>
#include <string.h>

/* --- Functions ---------------------------------------------------------------------------------------------------- */

uint32_t calltree_function(struct calltree *t, const char *name, const char *module, const char *comm)
{
	struct calltree_function f = {0};
	uint32_t name_number, module_number, number;
	uint64_t key;
	void *found;

	if (pool_text(&t->texts, name, strlen(name), &f.name, &name_number) ||
	    pool_text(&t->texts, module, strlen(module), &f.module, &module_number) ||
	    pool_text(&t->texts, comm, strlen(comm), &f.comm, NULL))
		return CALLTREE_NONE;
	key = (uint64_t)name_number << 32 | module_number;
	found = idmap_get(&t->functions_by_name, key, (uintptr_t)f.comm);
	if (found)
		return (uint32_t)(uintptr_t)found;
	number = (uint32_t)t->n_functions;
	if (grow_array((void **)&t->functions, number, &t->cap_functions, sizeof(f)))
		return CALLTREE_NONE;
	/* The root's, which is the first, is nobody else's. */
	if (number && idmap_put(&t->functions_by_name, key, (uintptr_t)f.comm, (void *)(uintptr_t)number))
		return CALLTREE_NONE;
	t->functions[t->n_functions++] = f;
	return number;
}

const struct calltree_function *calltree_functions(const struct calltree *t, size_t *n)
{
	*n = t->n_functions;
	return t->functions;
}

/* --- Nodes -------------------------------------------------------------------------------------------------------- */

static uint64_t mix_of(uint32_t parent, uint32_t function)
{
	uint64_t mix = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15ull;

	return mix ^ mix >> 32;
}

/* The branch to a child, or the free one where it belongs. */
static struct branch *find_branch(const struct calltree *t, uint32_t parent, uint32_t function)
{
	uint64_t mix = mix_of(parent, function);
	size_t at = (size_t)(mix >> 12) & (t->cap_branches - 1);

	for (;; at = (at + 1) & (t->cap_branches - 1)) {
		struct branch *b = &t->branches[at];

		if (!b->node || (b->hash == (uint32_t)mix && t->nodes[b->node].parent == parent &&
		                 t->nodes[b->node].function == function))
			return b;
	}
}

static int grow_branches(struct calltree *t)
{
	size_t larger = t->cap_branches ? t->cap_branches * 2 : 1024;
	struct branch *branches = calloc(larger, sizeof(*branches));

	if (!branches)
		return -ENOMEM;
	free(t->branches);
	t->branches = branches;
	t->cap_branches = larger;
	for (uint32_t i = 1; i < t->n_nodes; i++) {
		const struct calltree_node *node = &t->nodes[i];

		*find_branch(t, node->parent, node->function) =
			(struct branch){(uint32_t)mix_of(node->parent, node->function), i};
	}
	return 0;
}

static uint32_t new_node(struct calltree *t, uint32_t parent, uint32_t function)
{
	uint32_t depth = t->n_nodes ? t->depth[parent] + 1 : 0;

	if (grow_array((void **)&t->nodes, t->n_nodes, &t->cap_nodes, sizeof(*t->nodes)) ||
	    grow_array((void **)&t->recent, t->n_nodes, &t->cap_recent, sizeof(*t->recent)) ||
	    grow_array((void **)&t->depth, t->n_nodes, &t->cap_depth, sizeof(*t->depth)))
		return CALLTREE_NONE;
	t->recent[t->n_nodes] = 0;
	t->depth[t->n_nodes] = depth;
	t->nodes[t->n_nodes] = (struct calltree_node){.function = function, .parent = parent};
	return (uint32_t)t->n_nodes++;
}

static bool has_room(const struct calltree *t, uint32_t parent)
{
	/* There are as many children of the root as functions, or tasks. */
	return (t->n_nodes < t->max_nodes || parent == CALLTREE_ROOT) && t->depth[parent] < t->max_depth;
}

uint32_t calltree_branch(struct calltree *t, uint32_t parent, uint32_t function)
{
	struct branch *b;

	if (t->n_nodes * 2 >= t->cap_branches && grow_branches(t))
		return CALLTREE_NONE;
	b = find_branch(t, parent, function);
	if (!b->node) {
		uint32_t node;

		if (!has_room(t, parent)) {
			t->cut++;
			return parent;
		}
		node = new_node(t, parent, function);
		if (node == CALLTREE_NONE)
			return CALLTREE_NONE;
		*b = (struct branch){(uint32_t)mix_of(parent, function), node};
	}
	return t->recent[parent] = b->node;
}

uint32_t calltree_child(struct calltree *t, uint32_t node, uint32_t function)
{
	return child_of(t, node, function);
}

struct calltree_node *calltree_nodes(const struct calltree *t, size_t *n)
{
	*n = t->n_nodes;
	return t->nodes;
}

uint32_t calltree_depth(const struct calltree *t, uint32_t node)
{
	return t->depth[node];
}

uint64_t calltree_cut(const struct calltree *t)
{
	return t->cut;
}

struct calltree *calltree_new(void)
{
	struct calltree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	calltree_limit(t, CALLTREE_PATHS, UINT32_MAX);
	if (new_node(t, CALLTREE_ROOT, CALLTREE_ROOT) == CALLTREE_ROOT &&
	    calltree_function(t, "", "", "") == CALLTREE_ROOT)
		return t;
	calltree_free(t);
	return NULL;
}

void calltree_limit(struct calltree *t, size_t nodes, uint32_t depth)
{
	t->max_nodes = nodes;
	t->max_depth = depth;
}

void calltree_free(struct calltree *t)
{
	if (!t)
		return;
	if (!t->borrowed)
		free(t->functions);
	free(t->nodes);
	free(t->recent);
	free(t->depth);
	free(t->branches);
	free(t->same);
	idmap_release(&t->functions_by_name);
	pool_release(&t->texts);
	free(t);
}

/* --- Sums --------------------------------------------------------------------------------------------------------- */

void calltree_sum(struct calltree *t, bool counts)
{
	for (size_t i = 0; i < t->n_nodes; i++)
		for (unsigned side = 0; side < CALLTREE_SIDES; side++)
			t->nodes[i].sides[side].total = t->nodes[i].sides[side].self;
	for (size_t i = t->n_nodes; i-- > 1;)
		for (unsigned side = 0; side < CALLTREE_SIDES; side++) {
			const struct calltree_weight *from = &t->nodes[i].sides[side];
			struct calltree_weight *to = &t->nodes[t->nodes[i].parent].sides[side];

			to->total += from->total;
			to->count += counts ? from->count : 0;
		}
}

uint64_t calltree_total(const struct calltree *t, unsigned side)
{
	uint64_t total = 0;

	for (size_t i = 0; i < t->n_nodes; i++)
		total += t->nodes[i].sides[side].self;
	return total;
}

static void add_weight(struct calltree_weight *to, const struct calltree_weight *from)
{
	to->count += from->count;
	to->total += from->total;
	to->self += from->self;
	to->waited += from->waited;
}

/* The numbers of another tree's functions in this one, which get their weights. NULL: no memory. */
static uint32_t *merge_functions(struct calltree *t, const struct calltree *other)
{
	uint32_t *numbers = calloc(other->n_functions, sizeof(*numbers));

	for (size_t i = 1; i < other->n_functions && numbers; i++) {
		const struct calltree_function *f = &other->functions[i];
		uint32_t number = calltree_function(t, f->name, f->module, f->comm);

		if (number == CALLTREE_NONE) {
			free(numbers);
			return NULL;
		}
		numbers[i] = number;
		t->functions[number].call |= f->call;
		t->functions[number].kernel |= f->kernel;
		add_weight(&t->functions[number].sides[1], &f->sides[0]);
	}
	return numbers;
}

int calltree_merge(struct calltree *t, const struct calltree *other)
{
	uint32_t *functions = merge_functions(t, other), *nodes = calloc(other->n_nodes, sizeof(*nodes));
	int rc = functions && nodes ? 0 : -ENOMEM;

	for (size_t i = 0; i < other->n_nodes && !rc; i++) {
		const struct calltree_node *from = &other->nodes[i];
		uint32_t to = i ? child_of(t, nodes[from->parent], functions[from->function]) : CALLTREE_ROOT;

		if (to == CALLTREE_NONE) {
			rc = -ENOMEM;
		} else if (i && to == nodes[from->parent]) {
			t->nodes[to].sides[1].self += from->sides[0].self; /* no room */
		} else {
			add_weight(&t->nodes[to].sides[1], &from->sides[0]);
		}
		nodes[i] = to;
	}
	free(functions);
	free(nodes);
	return rc;
}

/* --- Order -------------------------------------------------------------------------------------------------------- */

/* Which of two siblings is shown first: by total, then calls, then what they are called. */
static bool is_before(const struct calltree *t, const struct calltree_node *a, const struct calltree_node *b)
{
	const struct calltree_weight *one = &a->sides[0], *two = &b->sides[0];
	const struct calltree_function *f = &t->functions[a->function], *g = &t->functions[b->function];
	int order;

	if (one->total != two->total)
		return one->total > two->total;
	if (one->count != two->count)
		return one->count > two->count;
	order = strcmp(f->name, g->name);
	if (!order)
		order = strcmp(f->module, g->module);
	return order ? order < 0 : strcmp(f->comm, g->comm) < 0;
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

/* Makes the lists of children, in the order of their numbers. all: also of those that have no weight. */
static void link_children(struct calltree *t, bool all)
{
	for (size_t i = 0; t->linked && i < t->n_nodes; i++)
		t->nodes[i].child = 0;
	t->linked = true;
	for (uint32_t i = (uint32_t)t->n_nodes; i-- > 1;) {
		struct calltree_node *node = &t->nodes[i], *parent = &t->nodes[node->parent];

		if (t->same) {
			t->same[i] = t->functions[node->function].first;
			t->functions[node->function].first = i;
		}
		/* Calls that began there and did not count in the end. */
		if (!all && !node->sides[0].count && !node->sides[0].total && !node->child)
			continue;
		node->sibling = parent->child;
		parent->child = i;
	}
}

uint32_t calltree_next(const struct calltree *t, uint32_t node, uint32_t *open)
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
	uint32_t *open = calloc(t->n_functions, sizeof(*open)); /* nodes around the current one */

	if (!open)
		return -ENOMEM;
	for (uint32_t i = t->nodes[CALLTREE_ROOT].child; i; i = calltree_next(t, i, open)) {
		const struct calltree_node *node = &t->nodes[i];
		struct calltree_weight weight = node->sides[0];

		if (open[node->function]++)
			weight.total = weight.waited = 0;
		add_weight(&t->functions[node->function].sides[0], &weight);
	}
	free(open);
	return 0;
}

void calltree_link(struct calltree *t)
{
	link_children(t, true);
}

int calltree_finish(struct calltree *t)
{
	struct calltree_weight *root = &t->nodes[CALLTREE_ROOT].sides[0];

	if (!t->borrowed) {
		t->same = calloc(t->n_nodes, sizeof(*t->same));
		if (!t->same)
			return -ENOMEM;
	}
	link_children(t, false);
	for (uint32_t i = 0; i < t->n_nodes; i++)
		t->nodes[i].child = sort_list(t, t->nodes[i].child);
	*root = (struct calltree_weight){.self = root->self};
	for (uint32_t i = t->nodes[CALLTREE_ROOT].child; i; i = t->nodes[i].sibling) {
		root->total += t->nodes[i].sides[0].total;
		root->count += t->nodes[i].sides[0].count;
		root->waited += t->nodes[i].sides[0].waited;
	}
	return t->borrowed ? 0 : sum_functions(t);
}
