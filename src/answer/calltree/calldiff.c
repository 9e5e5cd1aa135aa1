/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/calltree/calldiff.h>

#include <errno.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct calldiff_row *items;
	size_t n, cap;
};

struct calldiff {
	const struct calltree *tree; /* of both sides */
	size_t first;                /* nodes from here on are of side B alone */
	struct rows functions, paths;
};

struct calldiff *calldiff_new(struct calltree *a, const struct calltree *b)
{
	struct calldiff *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->tree = a;
	(void)calltree_nodes(a, &d->first);
	if (!calltree_merge(a, b))
		return d;
	free(d);
	return NULL;
}

void calldiff_free(struct calldiff *d)
{
	if (!d)
		return;
	free(d->functions.items);
	free(d->paths.items);
	free(d);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int by_difference(const void *a, const void *b)
{
	const struct calldiff_row *one = a, *two = b;
	uint64_t x = distance(one->sides[0].self, one->sides[1].self);
	uint64_t y = distance(two->sides[0].self, two->sides[1].self);

	if (x == y) {
		x = distance(one->sides[0].count, one->sides[1].count);
		y = distance(two->sides[0].count, two->sides[1].count);
	}
	if (x != y)
		return x > y ? -1 : 1;
	if (one->added != two->added)
		return one->added ? -1 : 1;
	if (one->node != two->node)
		return one->node < two->node ? -1 : 1;
	return strcmp(one->name, two->name);
}

/* Adds a row of a function, or of the path to a node, if it differs. 0 or -ENOMEM. */
static int add_row(const struct calldiff *d, struct rows *rows, uint64_t least, const struct calltree_function *f,
                   const struct calltree_weight *sides, uint32_t node)
{
	uint64_t difference = distance(sides[0].self, sides[1].self);
	int rc;

	if (least ? difference < least : !difference && sides[0].count == sides[1].count)
		return 0;
	rc = grow_array((void **)&rows->items, rows->n, &rows->cap, sizeof(*rows->items));
	if (rc)
		return rc;
	rows->items[rows->n++] = (struct calldiff_row){
		.name = f->name,
		.module = f->module,
		.node = node,
		.added = node >= d->first,
		.sides = {sides[0], sides[1]},
	};
	return 0;
}

static int give(const struct rows *list, int rc, const struct calldiff_row **rows, size_t *n)
{
	if (rc)
		return rc;
	if (list->n)
		qsort(list->items, list->n, sizeof(*list->items), by_difference);
	*rows = list->items;
	*n = list->n;
	return 0;
}

int calldiff_functions(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n)
{
	size_t functions;
	const struct calltree_function *f = calltree_functions(d->tree, &functions);
	int rc = 0;

	d->functions.n = 0;
	for (size_t i = 1; i < functions && !rc; i++)
		rc = add_row(d, &d->functions, least, &f[i], f[i].sides, 0);
	return give(&d->functions, rc, rows, n);
}

int calldiff_paths(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n)
{
	size_t nodes, functions;
	const struct calltree_node *node = calltree_nodes(d->tree, &nodes);
	const struct calltree_function *f = calltree_functions(d->tree, &functions);
	int rc = 0;

	d->paths.n = 0;
	for (uint32_t i = 1; i < nodes && !rc; i++)
		rc = add_row(d, &d->paths, least, &f[node[i].function], node[i].sides, i);
	return give(&d->paths, rc, rows, n);
}
