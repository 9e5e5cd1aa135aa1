/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls whom: one tree of all call paths, with how often each was taken and how long it took. It is made of a
 * guest's calls (the weight of a call is what it ran), or of the stacks of system calls (the weight is the time in
 * them; the call itself is a function too, "[futex]"), or of those of samples. An interrupt begins a path of its own:
 * what it interrupted did not call it.
 */
#ifndef EXECTRACE_ANALYZE_CALLTREE_H
#define EXECTRACE_ANALYZE_CALLTREE_H

#include <exectrace/analyze/functions.h>
#include <exectrace/analyze/select.h>

#define CALLTREE_ROOT 0u          /* the node of no function */
#define CALLTREE_PATHS (1u << 21) /* more are put together as CALLTREE_REST */
#define CALLTREE_REST "[other paths]"

/* A function, or a system call. */
struct calltree_function {
	const char *name;
	const char *module;          /* its file without the directory; "" unknown */
	uint64_t count, total, self; /* as of its nodes; a call within a call of the same function adds no total */
	bool kernel;                 /* it is a system call */
};

/* The end of a path. Nodes are numbered, a parent before its children. */
struct calltree_node {
	uint32_t function; /* number; of no meaning for the root */
	uint32_t parent;
	uint32_t child;   /* the one with the largest total; 0: none */
	uint32_t sibling; /* the next one; 0: none */
	uint64_t count;   /* calls */
	uint64_t total;   /* ticks in them and what they called */
	uint64_t self;    /* ticks in them alone */
};

struct calltree;

/* A new one. which (its `by`, `callees`, `distribution`, `min`, `max` mean nothing here) has to stay. NULL: no memory.
 */
struct calltree *calltree_new(const struct functions_options *which);

/* Frees it. NULL is allowed. */
void calltree_free(struct calltree *t);

/* Adds the calls of a guest, or of several; the recording has to outlive the tree. 0 or -ENOMEM. */
int calltree_replay(struct calltree *t, struct replay *p);

/* Or adds the selected system calls and samples of a recording, opened with names. 0 or -ENOMEM. */
int calltree_stacks(struct calltree *t, struct recording *r, struct call_select *select);

/* Whether there were system calls among them, or samples: their times do not add up. */
bool calltree_has(const struct calltree *t, enum select_event event);

/* Once all is added: puts nodes in order and sums functions up. 0 or -ENOMEM. */
int calltree_finish(struct calltree *t);

/* After calltree_finish: *n of them. They stay until calltree_free. */
const struct calltree_node *calltree_nodes(const struct calltree *t, size_t *n);
const struct calltree_function *calltree_functions(const struct calltree *t, size_t *n);

/* All own time together, in ticks. */
uint64_t calltree_total(const struct calltree *t);

/*
 * What was called by the functions with wanted[number] set (callers: by whom those were called), `depth` levels of it
 * at most: a new tree with the same functions. Each of these functions is a child of its root. A call of one within
 * another one of the same function is counted as a call, and adds no total. NULL: no memory.
 */
struct calltree *calltree_graph(const struct calltree *t, const bool *wanted, bool callers, unsigned depth);

#endif
