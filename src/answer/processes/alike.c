/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alike.h"

#include <errno.h>
#include <exectrace/answer/processes/profile.h>
#include <exectrace/answer/recording/program.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/grow.h>
#include <stdlib.h>

struct alike {
	const struct tree_node *const *nodes;
	const bool *visible;
	uint64_t *kinds;
	uint64_t *below; /* kinds of the children of one process */
	size_t n, cap;
};

/* Mixes a number into another so that their order counts (the finalizer of MurmurHash3). */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0xff51afd7ed558ccdull;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ull;
	return hash ^ hash >> 33;
}

static uint64_t mix_text(uint64_t hash, const struct buf *text)
{
	for (size_t i = 0; i < text->len; i++)
		hash = mix(hash, (unsigned char)text->data[i]);
	return hash;
}

static int ascending(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return one < two ? -1 : one > two;
}

/* The kinds below a process, in order. False in *fold when one of them is not to be folded. */
static int collect(struct alike *a, const struct tree_node *node, bool *fold)
{
	a->n = 0;
	for (const struct tree_node *child = node->child; child; child = child->sibling) {
		if (!a->visible[child->index])
			continue;
		*fold &= a->kinds[child->index] != 0;
		if (grow_array((void **)&a->below, a->n, &a->cap, sizeof(*a->below)))
			return -ENOMEM;
		a->below[a->n++] = a->kinds[child->index];
	}
	if (a->n)
		qsort(a->below, a->n, sizeof(*a->below), ascending);
	return 0;
}

/* Threads of a guest's kernel wait for work until its end; what they are called does not matter. */
#define WAITING_THREADS 1u

static int kind_of(struct alike *a, const struct tree_node *node)
{
	cleanup_buf struct buf name = BUF_INIT;
	bool fold = !node->lost && !node->picked && node->end.ended && !profile_failed(node);
	uint64_t hash;
	int rc = collect(a, node, &fold);

	a->kinds[node->index] = 0;
	if (!rc && node->kernel && !node->end.ended && !a->n)
		a->kinds[node->index] = WAITING_THREADS;
	if (rc || !fold)
		return rc;
	if (program_name(&name, node))
		return -ENOMEM;
	if (node->renamed && buf_puts(&name, node->renamed))
		return -ENOMEM;
	hash = mix_text(mix(node->forked, node->end.known), &name);
	/* As many as there are of one kind are one row below it. */
	for (size_t i = 0; i < a->n; i++)
		if (!i || a->below[i] != a->below[i - 1])
			hash = mix(hash, a->below[i]);
	a->kinds[node->index] = hash > WAITING_THREADS ? hash : WAITING_THREADS + 1;
	return 0;
}

int alike_find(const struct tree_node *const *nodes, size_t n, const bool *visible, uint64_t *kinds)
{
	struct alike a = {.nodes = nodes, .visible = visible, .kinds = kinds};
	int rc = 0;

	/* What is below a process comes behind it. */
	for (size_t i = n; i-- && !rc;)
		rc = visible[i] ? kind_of(&a, nodes[i]) : 0;
	free(a.below);
	return rc;
}
