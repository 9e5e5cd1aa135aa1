/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between two recordings: two trees of call paths, compared by function and by path. */
#ifndef EXECTRACE_ANALYZE_CALLDIFF_H
#define EXECTRACE_ANALYZE_CALLDIFF_H

#include <exectrace/analyze/calltree.h>

enum calldiff_side { CALLDIFF_A, CALLDIFF_B, CALLDIFF_SIDES };

/* A function, or a path, that differs. Functions of both sides are the same when name and module are. */
struct calldiff_row {
	const char *name, *module;
	uint32_t nodes[CALLDIFF_SIDES]; /* of a path, in its trees; 0: not there */
	uint64_t count[CALLDIFF_SIDES];
	uint64_t total[CALLDIFF_SIDES];
	uint64_t self[CALLDIFF_SIDES];
};

struct calldiff;

/* Compares two finished trees, which have to outlive it. NULL: no memory. */
struct calldiff *calldiff_new(const struct calltree *a, const struct calltree *b);

/* Frees it and its rows. NULL is allowed. */
void calldiff_free(struct calldiff *d);

/*
 * The functions, or the paths, whose own time differs by `least` ticks or more, or whose calls differ when least is 0:
 * the largest difference first. They stay until calldiff_free. 0 or -ENOMEM.
 */
int calldiff_functions(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n);
int calldiff_paths(struct calldiff *d, uint64_t least, const struct calldiff_row **rows, size_t *n);

#endif
