/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions, what they cost themselves, and what they cost each other, in the format of callgrind. Source: "Callgrind
 * Format Specification" of Valgrind's manual.
 *
 * callgrind_annotate(1) takes the costs of all calls of a function together for its inclusive cost. Therefore each call
 * has a caller, be it the task, and a call within another one of the same function costs nothing there: its cost is in
 * that of the unattributed one.
 */
#ifndef EXECTRACE_ANSWER_FORMAT_CALLGRAPH_H
#define EXECTRACE_ANSWER_FORMAT_CALLGRAPH_H

#include <exectrace/answer/format/byte_map.h>
#include <exectrace/answer/format/spool.h>
#include <exectrace/format/data/record.h>

struct callgraph_node {
	uint64_t name, file; /* places in `texts` */
	uint64_t self;
	uint32_t edges; /* the first one from here, and 1 */
};

struct callgraph_edge {
	uint32_t to, next; /* next: as `edges` */
	uint64_t calls, cost;
};

struct callgraph {
	struct byte_map known; /* by name and file: the number of the node, and 1 */
	struct byte_map pairs; /* by two nodes: the number of the edge, and 1 */
	struct callgraph_node *nodes;
	size_t n, cap;
	struct callgraph_edge *edges;
	size_t n_edges, cap_edges;
	struct buf texts; /* with a NUL behind each */
	struct buf key;
};

/* The number of a function, from 0. file may be empty. 0 or -ENOMEM. */
int callgraph_node(struct callgraph *g, struct data_text name, struct data_text file, uint32_t *node);

/* Adds to what a function costs itself. */
void callgraph_self(struct callgraph *g, uint32_t node, uint64_t cost);

/* Adds calls of one function by another. 0 or -ENOMEM. */
int callgraph_calls(struct callgraph *g, const uint32_t nodes[2], uint64_t calls, uint64_t cost);

/*
 * Writes the file. unit: what costs are, once they are multiplied by scale. 0, -ENOMEM, what spool_drain returned.
 */
int callgraph_print(const struct callgraph *g, struct spool *out, const char *unit, double scale);

/* Frees everything. */
void callgraph_release(struct callgraph *g);

#endif
