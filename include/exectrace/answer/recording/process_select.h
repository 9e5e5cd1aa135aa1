/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the recorded processes are wanted: --pid, --cmd, --under, --picked. */
#ifndef EXECTRACE_ANSWER_RECORDING_PROCESS_SELECT_H
#define EXECTRACE_ANSWER_RECORDING_PROCESS_SELECT_H

#include <exectrace/answer/recording/tree.h>

/* All 0: every process. What is asked for has to hold all together. The strings and numbers are the caller's. */
struct process_select {
	const uint32_t *pids; /* processes, or threads of which calls were recorded; of a pid that was used again all */
	size_t n_pids;
	const char *cmd; /* a regular expression (target/match/pattern.h) that finds something in a command line; NULL:
	                    any */
	const char *under; /* the same in a command line of an ancestor */
	bool picked;       /* only those that a rule picked, without their descendants */
	/* What process_select_begin has found: */
	size_t processes; /* those that there are, without parents that are only known as such */
	size_t chosen;    /* those of them that fit */
	bool *fits;       /* private: by the index of a node */
};

/* True when something is asked for. */
bool process_select_any(const struct process_select *select);

/*
 * Asks all processes of a tree. r: its recording, which knows the threads. 0; -EINVAL with one line in err, which names
 * the option, when an expression is none; -ENOMEM. May be called again, for another tree.
 *
 * Command lines are words joined by single spaces, as the matchers of a run see them. A process that has executed
 * nothing has that of its parent.
 */
int process_select_begin(struct process_select *select, const struct process_tree *tree, const struct recording *r,
                         struct buf *err);

/* Whether a process of the tree that was given last fits. */
bool process_selected(const struct process_select *select, const struct tree_node *node);

/* Adds "--cmd='x' --picked", as it was asked for. 0 or -ENOMEM. */
int process_select_print(struct buf *out, const struct process_select *select);

/* Frees what process_select_begin has made. */
void process_select_release(struct process_select *select);

#endif
