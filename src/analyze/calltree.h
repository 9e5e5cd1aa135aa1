/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind analyze/calltree.h share. */
#ifndef EXECTRACE_SRC_ANALYZE_CALLTREE_H
#define EXECTRACE_SRC_ANALYZE_CALLTREE_H

#include "idmap.h"
#include "pool.h"
#include "task.h"
#include <exectrace/analyze/calltree.h>

#define NO_NODE UINT32_MAX

/* From a node and a function to the child. */
struct branch {
	uint64_t key; /* 0: free */
	uint32_t node;
};

struct calltree {
	struct functions_options which;
	struct task_select tasks_wanted;
	struct pool texts; /* names made here */
	struct calltree_function *functions;
	size_t n_functions, cap_functions;
	struct idmap functions_by_name; /* by name and module, both as pointers: number + 1, as a pointer */
	struct calltree_node *nodes;
	size_t n_nodes, cap_nodes;
	struct branch *branches; /* open addressing */
	size_t n_branches, cap_branches;
	uint32_t rest; /* node of CALLTREE_REST; 0: none yet */
	bool borrowed; /* the functions are another tree's */
	bool called, sampled;
	uint32_t *recent; /* by node: the child that was asked for last */
	size_t cap_recent;
};

/* The number of a function; names that are equal are equal pointers. UINT32_MAX: no memory. */
uint32_t calltree_name(struct calltree *t, const char *name, const char *module);

/* The slow part of calltree_child. */
uint32_t calltree_branch(struct calltree *t, uint32_t parent, uint32_t function);

/* The child of a node for a function, made when there is none. NO_NODE: no memory. */
static inline uint32_t calltree_child(struct calltree *t, uint32_t parent, uint32_t function)
{
	uint32_t recent = t->recent[parent];

	if (recent && t->nodes[recent].function == function)
		return recent;
	return calltree_branch(t, parent, function);
}

#endif
