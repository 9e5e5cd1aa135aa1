/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls whom: one tree of all call paths, with how often each was taken and how long it took. The same path is one
 * node, however often it is taken. It is made of a guest's calls (the weight of a call is what it ran), or of the
 * stacks of system calls (the weight is the time in them; the call itself is a function too, "[futex]"), or of those
 * of samples. There are two sides, so that two recordings can share one tree and be compared.
 */
#ifndef EXECTRACE_ANSWER_CALLTREE_CALLTREE_H
#define EXECTRACE_ANSWER_CALLTREE_CALLTREE_H

#include <exectrace/answer/calls/select.h>
#include <exectrace/answer/report/functions.h>

#define CALLTREE_SIDES 2u
#define CALLTREE_ROOT 0u          /* the node that all paths begin at, and its function, which has no name */
#define CALLTREE_NONE UINT32_MAX  /* instead of a number: no memory */
#define CALLTREE_PATHS (1u << 21) /* unless said otherwise: what comes later counts for its caller */

struct calltree_weight {
	uint64_t count;  /* calls */
	uint64_t total;  /* ticks in them and what they called */
	uint64_t self;   /* ticks in them alone */
	uint64_t waited; /* of the total: without a CPU; only where that is in the total */
};

/* A function, or a system call. Equal texts are equal pointers. */
struct calltree_function {
	const char *name;
	const char *module;                           /* its file without the directory; "" unknown */
	const char *comm;                             /* of its thread, where that tells functions apart; "" */
	struct calltree_weight sides[CALLTREE_SIDES]; /* its nodes; one within another one adds no total */
	uint32_t first;                               /* of its nodes; 0: none */
	bool call;                                    /* it is a system call */
	bool kernel;                                  /* that, or of the kernel; as the first that it stood for */
};

/* The end of a path. Nodes are numbered, a parent before its children. */
struct calltree_node {
	uint32_t function;
	uint32_t parent;
	uint32_t child;   /* the first; 0: none */
	uint32_t sibling; /* the next one; 0: none */
	struct calltree_weight sides[CALLTREE_SIDES];
};

struct calltree;

/* A new one. NULL: no memory. */
struct calltree *calltree_new(void);

/* At most so many nodes, and levels: what would be more, or deeper, counts for its caller. Before the first node. */
void calltree_limit(struct calltree *t, size_t nodes, uint32_t depth);

/* Frees it. NULL is allowed. */
void calltree_free(struct calltree *t);

/* --- Making ------------------------------------------------------------------------------------------------------- */

/* The number of a function, from 1. Texts are copied. CALLTREE_NONE: no memory. */
uint32_t calltree_function(struct calltree *t, const char *name, const char *module, const char *comm);

/*
 * The child of a node for a function: a number from above, or any other one but CALLTREE_NONE in a tree whose functions
 * are the caller's. It is made when there is none; the node itself when the limits forbid that, which never happens to
 * children of the root by their number. CALLTREE_NONE: no memory.
 */
uint32_t calltree_child(struct calltree *t, uint32_t node, uint32_t function);

/*
 * `comm` of a function that stands for one that was interrupted, above the interrupt: what is made of it has no weight.
 */
#define CALLTREE_INTERRUPTED "(interrupted)"

/*
 * Adds the calls of a guest that `which` wants to side 0; an interrupt begins a path, or (which->interrupted) goes on
 * from that which it interrupted. 0 or -ENOMEM.
 */
int calltree_replay(struct calltree *t, struct replay *p, const struct functions_options *which);

/* Fills the totals from what nodes have themselves. counts: nodes have the calls of their children, too. */
void calltree_sum(struct calltree *t, bool counts);

/* Adds side 0 of a finished tree as side 1. 0 or -ENOMEM. */
int calltree_merge(struct calltree *t, const struct calltree *other);

/* Once all is added and has totals: nodes know their children, in the order in which they were made. */
void calltree_link(struct calltree *t);

/* Likewise, the largest total first, without what has no weight (by side 0); and sums functions up. 0 or -ENOMEM. */
int calltree_finish(struct calltree *t);

/* --- Stacks ------------------------------------------------------------------------------------------------------- */

/* What functions are told apart by. */
enum calltree_key {
	CALLTREE_COMM = 1 << 0,   /* the name of the thread */
	CALLTREE_MODULE = 1 << 1, /* the file */
	CALLTREE_NAME = 1 << 2,   /* without it, neighbours on a path that are the same are one */
};

struct calltree_stacks_options {
	enum select_event event; /* SELECT_CALLS, SELECT_SAMPLES; or all */
	unsigned keys;           /* enum calltree_key */
	unsigned side;
	const char *threads; /* paths begin at the names of threads, as functions of this module; NULL: they do not */
	const char *calls;   /* module of system calls */
	const char *unknown; /* module of functions of no known file */
	bool nowhere;        /* samples without a stack are in a function, "[unknown]" */
	bool number;         /* the weight is how many, not time */
	bool count;          /* nodes count calls */
};

/* What was added. */
struct calltree_stacks_sum {
	uint64_t calls, samples;
	uint64_t weight;
	uint64_t stacked; /* how many had a stack */
	uint64_t cut;     /* samples of which the stack was not whole */
};

struct calltree_stacks;

/* Adds to a tree, from a recording opened with names; both outlive it, and so do texts. NULL: no memory. */
struct calltree_stacks *calltree_stacks_new(struct calltree *t, struct recording *r,
                                            const struct calltree_stacks_options *options);

/*
 * All of the recording was added: it may be closed now. What is added after calltree_stacks_join is of that recording,
 * and counts together with what was added before.
 */
void calltree_stacks_leave(struct calltree_stacks *s);
void calltree_stacks_join(struct calltree_stacks *s, struct recording *r);

/* Frees it, not the tree. NULL is allowed. */
void calltree_stacks_free(struct calltree_stacks *s);

/* Adds a call, or a sample; others are passed over. 0 or -ENOMEM. */
int calltree_stacks_add(struct calltree_stacks *s, const struct recorded_event *event);

/* What was added so far. */
const struct calltree_stacks_sum *calltree_stacks_sum(const struct calltree_stacks *s);

/* --- Looking ------------------------------------------------------------------------------------------------------ */

/* *n of them, which stay until there are more. Weights may be changed. */
struct calltree_node *calltree_nodes(const struct calltree *t, size_t *n);
const struct calltree_function *calltree_functions(const struct calltree *t, size_t *n);

/* How many nodes are above it. */
uint32_t calltree_depth(const struct calltree *t, uint32_t node);

/* Children that were not made because of the limits, each time that they were asked for. */
uint64_t calltree_cut(const struct calltree *t);

/* All own time of a side, in ticks. */
uint64_t calltree_total(const struct calltree *t, unsigned side);

/*
 * The node behind this one, from the root down; 0: it was the last. open: by function, of 0 for all; the caller adds 1
 * for each node that it gets, and 1 is taken off when it is left.
 */
uint32_t calltree_next(const struct calltree *t, uint32_t node, uint32_t *open);

enum calltree_graph {
	CALLTREE_CALLEES,
	CALLTREE_CALLERS,   /* a call within another one of the same function is counted there, and adds no total */
	CALLTREE_INNERMOST, /* callers of the innermost one on each path, which has all of the total */
};

/*
 * What was called by n functions, or by whom they were called, `depth` levels of it at most: a new tree with the same
 * functions, which t has to outlive. Each of these functions is a child of its root. After calltree_finish, of side 0.
 * NULL: no memory.
 */
struct calltree *calltree_graph(const struct calltree *t, const uint32_t *functions, size_t n, enum calltree_graph what,
                                unsigned depth);

#endif
