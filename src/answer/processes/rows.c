/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rows.h"

#include "alike.h"
#include <errno.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/program.h>
#include <stdlib.h>
#include <string.h>

#define FOLD_FROM 3 /* as many siblings have to be alike */

/* Bytes that two lines have in common, up to the end of a word. */
static size_t common(const char *one, size_t n, const char *other)
{
	size_t same = 0, words = 0;

	for (; same < n && one[same] == other[same]; same++)
		if (one[same] == ' ')
			words = same;
	if (same == n && (!other[same] || other[same] == ' '))
		return same;
	return same < n && one[same] == ' ' && !other[same] ? same : words;
}

static void add_to_row(struct profile_row *row, const struct tree_node *node, bool wanted)
{
	const char *command = program_command(row->node);

	row->common = row->count ? common(command, row->common, program_command(node)) : strlen(command);
	row->count++;
	row->wanted |= wanted;
	profile_use_add(&row->use, node);
}

/* Processes of a kind below one row. */
struct group {
	size_t n;
	struct profile_row *row; /* theirs, when they are folded */
};

struct folding {
	struct group *groups;
	size_t n;
	struct idmap by_kind; /* by the row above, and the kind */
};

/* NULL: it is not to be folded. */
static struct group *group_of(const struct profile *p, const struct folding *f, size_t i)
{
	const struct tree_node *up = p->nodes[i]->parent;

	if (!p->visible[i] || !p->kinds[i])
		return NULL;
	return idmap_get(&f->by_kind, up ? (uint64_t)(p->row_of[up->index] - p->rows) + 1 : 0, p->kinds[i]);
}

/* Counts a process that might be folded; its parent has a row. */
static int count(const struct profile *p, struct folding *f, size_t i)
{
	const struct tree_node *up = p->nodes[i]->parent;
	struct group *group = group_of(p, f, i);

	if (!p->visible[i] || !p->kinds[i])
		return 0;
	if (!group) {
		group = &f->groups[f->n++];
		if (idmap_put(&f->by_kind, up ? (uint64_t)(p->row_of[up->index] - p->rows) + 1 : 0, p->kinds[i], group))
			return -ENOMEM;
	}
	group->n++;
	return 0;
}

/* The row of a visible process, whose parent has its own. */
static void place(struct profile *p, const struct folding *f, size_t i)
{
	const struct tree_node *node = p->nodes[i];
	struct profile_row *up = node->parent ? p->row_of[node->parent->index] : NULL;
	struct group *group = group_of(p, f, i);
	bool fold = group && group->n >= FOLD_FROM;
	struct profile_row *row = fold ? group->row : NULL;

	if (!row) {
		row = &p->rows[p->n_rows++];
		*row = (struct profile_row){.node = node, .up = up, .parent = up};
	}
	if (fold)
		group->row = row;
	p->row_of[i] = row;
	add_to_row(row, node, p->wanted[i]);
	if (p->options.order != PROFILE_PEAK)
		row->key += p->keys[i];
	else if (row->key < p->keys[i])
		row->key = p->keys[i];
}

/* One without a row is counted where the next one above it has one. */
static void leave_out(struct profile *p, size_t i)
{
	const struct tree_node *node = p->nodes[i];
	struct profile_row *up = node->parent ? p->row_of[node->parent->index] : NULL;

	p->row_of[i] = up;
	if (!up || !p->kept[i] || node->lost)
		return;
	if (p->options.levels && node->depth >= p->options.levels)
		up->deeper++;
	else
		up->shorter++;
}

static int upper_first(const void *a, const void *b)
{
	const struct tree_node *one = *(const struct tree_node *const *)a, *two = *(const struct tree_node *const *)b;

	if (one->depth != two->depth)
		return one->depth < two->depth ? -1 : 1;
	return one->index < two->index ? -1 : 1;
}

/* Level by level: what is folded has to be known before what is below it. */
static int place_all(struct profile *p, struct folding *f, const struct tree_node *const *sorted)
{
	for (size_t i = 0, end = 0; i < p->n; i = end) {
		int rc = 0;

		for (; end < p->n && sorted[end]->depth == sorted[i]->depth && !rc; end++)
			rc = count(p, f, sorted[end]->index);
		if (rc)
			return rc;
		for (size_t k = i; k < end; k++) {
			if (p->visible[sorted[k]->index])
				place(p, f, sorted[k]->index);
			else
				leave_out(p, sorted[k]->index);
		}
	}
	return 0;
}

int rows_make(struct profile *p)
{
	const struct tree_node **sorted = calloc(p->n + 1, sizeof(*sorted));
	struct folding f = {.groups = calloc(p->n + 1, sizeof(*f.groups))};
	int rc = sorted && f.groups ? 0 : -ENOMEM;

	if (!rc && p->options.fold)
		rc = alike_find(p->nodes, p->n, p->visible, p->kinds);
	if (!rc && p->n) {
		memcpy(sorted, p->nodes, p->n * sizeof(*sorted));
		qsort(sorted, p->n, sizeof(*sorted), upper_first);
		rc = place_all(p, &f, sorted);
	}
	idmap_release(&f.by_kind);
	free(f.groups);
	free(sorted);
	return rc;
}
