/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/analyze/calldiff.h>

#include <errno.h>
#include <exectrace/base/buf.h>
#include <exectrace/base/grow.h>
#include <exectrace/data/intern.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct calldiff_row *items;
	size_t n, cap;
};

/* A node of each tree, at the end of the same path. */
struct pair {
	uint32_t nodes[CALLDIFF_SIDES];
};

struct side {
	const struct calltree *tree;
	const struct calltree_node *nodes;
	const struct calltree_function *functions;
	size_t n_functions;
	uint32_t *common; /* by number of the function: its number in both */
};

struct calldiff {
	struct side sides[CALLDIFF_SIDES];
	struct intern names; /* "module\0name": common number + 1 */
	size_t n_common;
	struct rows functions, paths;
	/* while paths are compared */
	uint64_t least;
	struct pair *queue; /* pairs whose children are to be compared */
	size_t n_queue, cap_queue;
	uint32_t *child; /* by common number: a child in the first tree; 0: none */
};

/* --- The same functions --------------------------------------------------------------------------------------------
 */

static int learn(struct calldiff *d, struct side *side, const struct calltree *tree)
{
	struct buf key = BUF_INIT;
	size_t n;
	int rc = 0;

	side->tree = tree;
	side->nodes = calltree_nodes(tree, &n);
	side->functions = calltree_functions(tree, &side->n_functions);
	side->common = calloc(side->n_functions + 1, sizeof(*side->common));
	if (!side->common)
		return -ENOMEM;
	for (size_t i = 0; i < side->n_functions && !rc; i++) {
		const struct calltree_function *f = &side->functions[i];
		uint64_t id = 0;
		bool fresh;

		key.len = 0;
		rc = buf_append(&key, f->module, strlen(f->module) + 1);
		if (!rc)
			rc = buf_puts(&key, f->name);
		if (!rc)
			rc = intern(&d->names, key.data, key.len, &id, &fresh);
		if (!rc)
			side->common[i] = (uint32_t)(id - 1);
	}
	d->n_common = d->names.n;
	buf_release(&key);
	return rc;
}

struct calldiff *calldiff_new(const struct calltree *a, const struct calltree *b)
{
	struct calldiff *d = calloc(1, sizeof(*d));

	if (d && !learn(d, &d->sides[CALLDIFF_A], a) && !learn(d, &d->sides[CALLDIFF_B], b))
		return d;
	calldiff_free(d);
	return NULL;
}

void calldiff_free(struct calldiff *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < CALLDIFF_SIDES; i++)
		free(d->sides[i].common);
	intern_release(&d->names);
	free(d->functions.items);
	free(d->paths.items);
	free(d->queue);
	free(d->child);
	free(d);
}

/* --- Rows ----------------------------------------------------------------------------------------------------------
 */

static uint64_t distance(const uint64_t values[CALLDIFF_SIDES])
{
	return values[0] > values[1] ? values[0] - values[1] : values[1] - values[0];
}

static int by_difference(const void *a, const void *b)
{
	const struct calldiff_row *one = a, *two = b;
	uint64_t x = distance(one->self), y = distance(two->self);

	if (x == y) {
		x = distance(one->count);
		y = distance(two->count);
	}
	if (x != y)
		return x > y ? -1 : 1;
	if (one->nodes[0] != two->nodes[0])
		return one->nodes[0] < two->nodes[0] ? -1 : 1;
	if (one->nodes[1] != two->nodes[1])
		return one->nodes[1] < two->nodes[1] ? -1 : 1;
	return strcmp(one->name, two->name);
}

static bool differs(const struct calldiff_row *row, uint64_t least)
{
	uint64_t difference = distance(row->self);

	return least ? difference >= least : difference || distance(row->count);
}

static void sort(const struct rows *rows)
{
	if (rows->n)
		qsort(rows->items, rows->n, sizeof(*rows->items), by_difference);
}

int calldiff_functions(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n)
{
	struct rows *list = &d->functions;

	free(list->items);
	*list = (struct rows){calloc(d->n_common + 1, sizeof(*list->items)), 0, 0};
	if (!list->items)
		return -ENOMEM;
	for (unsigned s = 0; s < CALLDIFF_SIDES; s++)
		for (size_t i = 0; i < d->sides[s].n_functions; i++) {
			const struct calltree_function *f = &d->sides[s].functions[i];
			struct calldiff_row *row = &list->items[d->sides[s].common[i]];

			row->name = f->name;
			row->module = f->module;
			row->count[s] += f->count;
			row->total[s] += f->total;
			row->self[s] += f->self;
		}
	for (size_t i = 0; i < d->n_common; i++)
		if (differs(&list->items[i], least))
			list->items[list->n++] = list->items[i];
	sort(list);
	*rows = list->items;
	*n = list->n;
	return 0;
}

/* --- Paths ---------------------------------------------------------------------------------------------------------
 */

/* Two ends of one path: a row when they differ, and their children are next. 0 or -ENOMEM. */
static int add_pair(struct calldiff *d, uint32_t a, uint32_t b)
{
	const struct side *side = &d->sides[a ? CALLDIFF_A : CALLDIFF_B];
	const struct calltree_function *f = &side->functions[side->nodes[a ? a : b].function];
	struct calldiff_row row = {.name = f->name, .module = f->module, .nodes = {a, b}};
	int rc = grow_array((void **)&d->queue, d->n_queue, &d->cap_queue, sizeof(*d->queue));

	if (rc)
		return rc;
	d->queue[d->n_queue++] = (struct pair){{a, b}};
	for (unsigned s = 0; s < CALLDIFF_SIDES; s++) {
		const struct calltree_node *node = &d->sides[s].nodes[row.nodes[s]];

		if (!row.nodes[s])
			continue;
		row.count[s] = node->count;
		row.total[s] = node->total;
		row.self[s] = node->self;
	}
	if (!differs(&row, d->least))
		return 0;
	rc = grow_array((void **)&d->paths.items, d->paths.n, &d->paths.cap, sizeof(row));
	if (!rc)
		d->paths.items[d->paths.n++] = row;
	return rc;
}

/* 0 stands for the root in the first pair, and for nothing in all others. */
static uint32_t first_child(const struct side *side, uint32_t node, bool root)
{
	return node || root ? side->nodes[node].child : 0;
}

static int add_children(struct calldiff *d, struct pair pair, bool root)
{
	const struct side *a = &d->sides[CALLDIFF_A], *b = &d->sides[CALLDIFF_B];
	uint32_t first = first_child(a, pair.nodes[CALLDIFF_A], root);
	uint32_t second = first_child(b, pair.nodes[CALLDIFF_B], root);
	int rc = 0;

	for (uint32_t i = first; i; i = a->nodes[i].sibling)
		d->child[a->common[a->nodes[i].function]] = i;
	for (uint32_t i = second; i && !rc; i = b->nodes[i].sibling) {
		uint32_t *child = &d->child[b->common[b->nodes[i].function]];

		rc = add_pair(d, *child, i);
		*child = 0;
	}
	for (uint32_t i = first; i && !rc; i = a->nodes[i].sibling) {
		uint32_t *child = &d->child[a->common[a->nodes[i].function]];

		if (*child == i)
			rc = add_pair(d, i, 0);
		*child = 0;
	}
	return rc;
}

int calldiff_paths(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n)
{
	int rc;

	d->least = least;
	d->paths.n = d->n_queue = 0;
	free(d->child);
	d->child = calloc(d->n_common + 1, sizeof(*d->child));
	rc = d->child ? add_children(d, (struct pair){{CALLTREE_ROOT, CALLTREE_ROOT}}, true) : -ENOMEM;
	while (!rc && d->n_queue)
		rc = add_children(d, d->queue[--d->n_queue], false);
	if (rc)
		return rc;
	sort(&d->paths);
	*rows = d->paths.items;
	*n = d->paths.n;
	return 0;
}
