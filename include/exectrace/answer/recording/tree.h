/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a run as a tree: those of execs.jsonl, which has every exec but no forks, and those of the .xtr
 * files, which have everything about the processes that were picked. Those of a guest hang below their QEMU.
 */
#ifndef EXECTRACE_ANSWER_RECORDING_TREE_H
#define EXECTRACE_ANSWER_RECORDING_TREE_H

#include <exectrace/answer/recording/recording.h>
#include <exectrace/target/exec/print.h>

/* A process. Times are ns since 1970, or of CLOCK_MONOTONIC where the recording knows nothing else. */
struct tree_node {
	const struct tree_node *parent;  /* NULL: a root */
	const struct tree_node *child;   /* its first one, by start */
	const struct tree_node *sibling; /* the next one, by start */
	uint32_t pid, parent_pid;        /* parent_pid: 0 when unknown */
	unsigned depth;                  /* 0: a root */
	size_t index;                    /* 0, 1, ... in the order in which a tree is printed */
	uint64_t start;                  /* of the fork, or of the first exec that is known; 0: unknown */
	struct exec_end end;             /* end.when: 0: unknown */
	bool picked;
	bool forked;         /* no exec of it is known: commands has that of its parent, or its name in brackets */
	bool lost;           /* known only as the parent of others; nothing else is said of it */
	bool kernel;         /* a thread of a guest's kernel */
	char *renamed;       /* name that a guest's process has given itself since its fork; NULL: none */
	struct buf commands; /* shell-quoted command lines, one for each exec, each ended by a NUL */
	unsigned n_commands;
	uint64_t *exec_times; /* when each was executed; 0: unknown */
	/* Of the last exec that is known: */
	char *cwd;         /* NULL: unknown */
	struct strv state; /* what the program began with, as lines (target/process/state.h); empty: unknown, or as
	                      exectrace itself */
	uint32_t process;  /* number of the process of the recording + 1; 0: no calls of it were recorded */
	/* private */
	struct tree_node *up, *newer;
	bool guest; /* its numbers are the guest's */
};

struct process_tree;

typedef void process_tree_event(void *ctx, const struct recorded_event *event);

/*
 * Reads the recording, which must not have been read from yet, to its end. What is wrong with execs.jsonl is one of the
 * recording's notes. each, unless it is NULL, gets every event with ctx. *ret is set on success only. 0 or -ENOMEM.
 */
int process_tree_new(struct process_tree **ret, struct recording *r, process_tree_event *each, void *ctx);

/* NULL is allowed. */
void process_tree_free(struct process_tree *tree);

/* The first root; the others are its siblings. NULL: there are no processes. */
const struct tree_node *process_tree_first(const struct process_tree *tree);

/* The node behind this one in the order in which a tree is printed; NULL behind the last. */
const struct tree_node *process_tree_next(const struct tree_node *node);

/* The node of a process of the recording, by its number; NULL: there is none. */
const struct tree_node *process_tree_node(const struct process_tree *tree, uint32_t number);

/* How many nodes there are. */
size_t process_tree_size(const struct process_tree *tree);

/* When the first process began; 0 when that is unknown. */
uint64_t process_tree_start(const struct process_tree *tree);

#endif
