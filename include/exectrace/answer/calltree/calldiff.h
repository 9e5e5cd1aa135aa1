/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between two recordings: two trees of call paths, compared by function and by path. */
#ifndef EXECTRACE_ANSWER_CALLTREE_CALLDIFF_H
#define EXECTRACE_ANSWER_CALLTREE_CALLDIFF_H

#include <exectrace/answer/calltree/calltree.h>

enum calldiff_side { CALLDIFF_A, CALLDIFF_B };

/* A function, or a path, that differs. Functions of both sides are the same when name and module are. */
struct calldiff_row {
	const char *name, *module;
	uint32_t node; /* of a path, in the tree of both */
	bool added;    /* it is not in A */
	struct calltree_weight sides[CALLTREE_SIDES];
};

struct calldiff;

/* Compares two finished trees. B becomes the other side of A, which has to outlive it. NULL: no memory. */
struct calldiff *calldiff_new(struct calltree *a, const struct calltree *b);

/* Frees it and its rows. NULL is allowed. */
void calldiff_free(struct calldiff *d);

/*
 * The functions, or the paths, whose own time differs by `least` ticks or more, or whose calls differ when least is 0:
 * the largest difference first. They stay until calldiff_free. 0 or -ENOMEM.
 */
int calldiff_functions(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n);
int calldiff_paths(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n);

#endif
