/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/answer/processes/profile.h>

#include "chain.h"
#include "rows.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool profile_failed(const struct tree_node *node)
{
	return node->end.known && node->end.wait_status != 0;
}

bool profile_time(const struct tree_node *node, uint64_t *ns)
{
	if (node->lost || !node->start || node->end.when < node->start)
		return false;
	*ns = node->end.when - node->start;
	return true;
}

void profile_use_add(struct profile_use *use, const struct tree_node *node)
{
	const struct exec_usage *u = &node->end.usage;
	uint64_t time;

	if (profile_time(node, &time)) {
		use->shortest = use->timed && use->shortest < time ? use->shortest : time;
		use->longest = use->longest > time ? use->longest : time;
		use->time += time;
		use->timed++;
	}
	use->cpu |= u->cpu;
	use->io |= u->io;
	use->cpu_time += u->user + u->system;
	use->peak = use->peak > u->peak ? use->peak : u->peak;
	use->read += u->read;
	use->written += u->written;
}

/* --- Which processes -----------------------------------------------------------------------------------------------
 */

static bool is_asked_for(const struct profile *p, const struct tree_node *node)
{
	const struct profile_options *o = &p->options;

	return !node->lost && (!o->failed || profile_failed(node)) && (!o->critical || p->chain[node->index]) &&
	       (!o->select || process_selected(o->select, node));
}

/* Goes up from those that are asked for; without a question even what is lost is. */
static void choose(struct profile *p)
{
	const struct profile_options *o = &p->options;
	bool asked = o->failed || o->critical || o->select;

	for (size_t i = p->n; i--;) {
		const struct tree_node *node = p->nodes[i], *up = node->parent;
		bool deep = o->levels && node->depth >= o->levels;
		uint64_t time;
		bool is_short = o->min && profile_time(node, &time) && time < o->min;

		p->wanted[i] = !asked || is_asked_for(p, node);
		p->kept[i] |= p->wanted[i] || !asked;
		p->visible[i] |= p->kept[i] && !is_short;
		p->wanted[i] &= !is_short && !deep;
		if (up && p->kept[i])
			p->kept[up->index] = true;
		if (up && p->visible[i])
			p->visible[up->index] = true;
		p->visible[i] &= !deep;
		p->n_wanted += p->wanted[i];
		if (p->visible[i])
			profile_use_add(&p->all, node);
	}
}

/* --- Order ---------------------------------------------------------------------------------------------------------
 */

static uint64_t own_key(const struct profile *p, const struct tree_node *node)
{
	const struct exec_usage *u = &node->end.usage;
	uint64_t time = 0;

	switch (p->options.order) {
	case PROFILE_TIME:
		return profile_time(node, &time) ? time : 0;
	case PROFILE_CPU:
		return u->user + u->system;
	case PROFILE_PEAK:
		return u->peak;
	case PROFILE_READ:
		return u->read;
	case PROFILE_WRITTEN:
		return u->written;
	default:
		return 0;
	}
}

/* What a process and all below it used; the time is its own. */
static void find_keys(struct profile *p)
{
	for (size_t i = p->n; i--;) {
		const struct tree_node *up = p->nodes[i]->parent;
		uint64_t own = own_key(p, p->nodes[i]), *key = &p->keys[i];

		if (p->options.order == PROFILE_PEAK)
			*key = *key > own ? *key : own;
		else
			*key += own;
		if (!up || p->options.order == PROFILE_TIME)
			continue;
		if (p->options.order == PROFILE_PEAK)
			p->keys[up->index] = p->keys[up->index] > *key ? p->keys[up->index] : *key;
		else
			p->keys[up->index] += *key;
	}
}

/* The last one first: each is put in front of those that came before. */
static int last_first(const void *a, const void *b)
{
	const struct profile_row *one = *(struct profile_row *const *)a, *two = *(struct profile_row *const *)b;

	if (one->key != two->key)
		return one->key < two->key ? -1 : 1;
	return one->node->index < two->node->index ? 1 : -1;
}

static int link_rows(struct profile *p)
{
	struct profile_row **sorted = calloc(p->n_rows + 1, sizeof(struct profile_row *));

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_rows; i++)
		sorted[i] = &p->rows[i];
	qsort(sorted, p->n_rows, sizeof(struct profile_row *), last_first);
	for (size_t i = 0; i < p->n_rows; i++) {
		struct profile_row *row = sorted[i], **first = row->up ? &row->up->down : &p->first;

		row->sibling = *first;
		*first = row;
		if (row->up)
			row->up->child = row;
	}
	free(sorted);
	return 0;
}

/* --- All -----------------------------------------------------------------------------------------------------------
 */

static struct profile *allocate(size_t n)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->n = n;
	p->nodes = calloc(n + 1, sizeof(struct tree_node *));
	p->wanted = calloc(n + 1, sizeof(bool));
	p->kept = calloc(n + 1, sizeof(bool));
	p->visible = calloc(n + 1, sizeof(bool));
	p->chain = calloc(n + 1, sizeof(bool));
	p->kinds = calloc(n + 1, sizeof(uint64_t));
	p->keys = calloc(n + 1, sizeof(uint64_t));
	p->row_of = calloc(n + 1, sizeof(struct profile_row *));
	p->rows = calloc(n + 1, sizeof(struct profile_row));
	if (p->nodes && p->wanted && p->kept && p->visible && p->chain && p->kinds && p->keys && p->row_of && p->rows)
		return p;
	profile_free(p);
	return NULL;
}

int profile_new(struct profile **ret, const struct process_tree *tree, const struct profile_options *options)
{
	struct profile *p = allocate(process_tree_size(tree));
	int rc;

	if (!p)
		return -ENOMEM;
	p->options = *options;
	for (const struct tree_node *node = process_tree_first(tree); node; node = process_tree_next(node))
		p->nodes[node->index] = node;
	rc = chain_mark(p->nodes, p->n, p->chain);
	if (!rc) {
		choose(p);
		find_keys(p);
		rc = rows_make(p);
	}
	if (!rc)
		rc = link_rows(p);
	if (rc)
		profile_free(p);
	else
		*ret = p;
	return rc;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	free(p->nodes);
	free(p->wanted);
	free(p->kept);
	free(p->visible);
	free(p->chain);
	free(p->kinds);
	free(p->keys);
	free(p->row_of);
	free(p->rows);
	free(p);
}

const struct profile_row *profile_first(const struct profile *p)
{
	return p->first;
}

const struct profile_row *profile_next(const struct profile_row *row)
{
	if (row->child)
		return row->child;
	while (row && !row->sibling)
		row = row->parent;
	return row ? row->sibling : NULL;
}

size_t profile_wanted(const struct profile *p)
{
	return p->n_wanted;
}

bool profile_is_critical(const struct profile *p, size_t index)
{
	return p->chain[index];
}

const struct profile_use *profile_all(const struct profile *p)
{
	return &p->all;
}
