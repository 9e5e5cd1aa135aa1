/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind answer/calltree/calltree.h share. */
#ifndef EXECTRACE_SRC_ANSWER_CALLTREE_CALLTREE_H
#define EXECTRACE_SRC_ANSWER_CALLTREE_CALLTREE_H

#include <exectrace/answer/calltree/calltree.h>
#include <exectrace/answer/recording/idmap.h>
#include <exectrace/answer/recording/pool.h>

/* From a node and a function to the child. */
struct branch {
	uint32_t hash; /* of both: nodes are looked at only where it is the same */
	uint32_t node; /* 0: free, as the root is nobody's child */
};

struct calltree {
	struct pool texts;
	struct calltree_function *functions;
	size_t n_functions, cap_functions;
	struct idmap functions_by_name; /* by numbers of name and module, and comm: number, as a pointer */
	struct calltree_node *nodes;
	size_t n_nodes, cap_nodes;
	uint32_t *recent; /* by node: the child that was asked for last; 0: none */
	uint32_t *depth;  /* by node: apart, as it is seldom looked at */
	size_t cap_recent, cap_depth;
	bool linked;             /* nodes have children already */
	struct branch *branches; /* open addressing */
	size_t cap_branches;
	uint32_t *same; /* by node: the next one of its function; 0: none. After calltree_finish */
	size_t max_nodes;
	uint32_t max_depth;
	uint64_t cut;
	bool borrowed; /* the functions are another tree's */
};

/* The slow part of child_of. */
uint32_t calltree_branch(struct calltree *t, uint32_t parent, uint32_t function);

/* As calltree_child. */
static inline uint32_t child_of(struct calltree *t, uint32_t parent, uint32_t function)
{
	uint32_t recent = t->recent[parent];

	if (recent && t->nodes[recent].function == function)
		return recent;
	return calltree_branch(t, parent, function);
}

#endif
