/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call paths with weights: a tree in which a node is a function as it is called by the path above it. The same path is
 * one node, however often it is taken. There are two sides, so that two recordings can share one tree and be compared:
 * functions are the same when their names and modules are.
 */
#ifndef EXECTRACE_ANALYZE_CALLPATHS_H
#define EXECTRACE_ANALYZE_CALLPATHS_H

#include <stddef.h>
#include <stdint.h>

#define CALLPATHS_SIDES 2u
#define CALLPATHS_ROOT 0u          /* the node that all paths begin at */
#define CALLPATHS_DEPTH_MAX 512u   /* what is deeper counts for the function at that depth */
#define CALLPATHS_NODES (3u << 19) /* 1.5 million: what comes later counts for its caller */

struct callpath_function {
	const char *name;
	const char *module; /* "" unknown */
};

/* A path, named by its last function. Weights are of one unit, such as ticks or ns. */
struct callpath {
	uint32_t parent;   /* a lower number, but for the root, which is its own */
	uint32_t function; /* number; of the root 0, which is a function without a name */
	uint16_t depth;    /* 0: the root */
	uint64_t self[CALLPATHS_SIDES];
	uint64_t total[CALLPATHS_SIDES]; /* with the paths that go on from it; filled by callpaths_sum */
	uint64_t count[CALLPATHS_SIDES]; /* calls */
};

struct callpaths;

/* *ret is set on success only. 0 or -ENOMEM. */
int callpaths_new(struct callpaths **ret);

/* Frees it. NULL is allowed. */
void callpaths_free(struct callpaths *p);

/* The number of a function, from 1. Names are copied. 0 or -ENOMEM. */
int callpaths_function(struct callpaths *p, const char *name, const char *module, uint32_t *number);

/*
 * The path that goes from one on to a function; `from` itself when it would be too deep, or one too many. 0 or -ENOMEM.
 */
int callpaths_step(struct callpaths *p, uint32_t from, uint32_t function, uint32_t *to);

/* Adds to a path: what it took itself, and calls. */
void callpaths_add(struct callpaths *p, uint32_t path, unsigned side, uint64_t self, uint64_t count);

/* Fills the totals, once all is added. */
void callpaths_sum(struct callpaths *p);

/* All paths by their numbers, the root first, parents before what goes on from them. */
size_t callpaths_n(const struct callpaths *p);
const struct callpath *callpaths_at(const struct callpaths *p, uint32_t path);

/* The functions, from 1. */
size_t callpaths_functions(const struct callpaths *p);
const struct callpath_function *callpaths_function_at(const struct callpaths *p, uint32_t function);

/* Steps that were not taken because of the limits. */
uint64_t callpaths_cut(const struct callpaths *p);

#endif
