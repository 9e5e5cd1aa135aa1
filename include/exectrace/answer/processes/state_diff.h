/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two starts of the same program began with, side by side (target/process/state.h). */
#ifndef EXECTRACE_ANSWER_PROCESSES_STATE_DIFF_H
#define EXECTRACE_ANSWER_PROCESSES_STATE_DIFF_H

#include <exectrace/answer/output/table.h>
#include <exectrace/answer/recording/tree.h>

/* One of them. The strings are the caller's. */
struct state_side {
	const char *title;            /* "GOOD" */
	const char *path;             /* of the recording */
	struct recording *recording;  /* not read from yet */
	size_t which;                 /* which start of those that match: 0: the first one */
	const char *cmd;              /* of state_side_find */
	struct process_tree *tree;    /* the rest is made by state_side_find */
	const struct tree_node *node; /* the process */
	size_t matches;               /* how many there are */
	struct strv lines;            /* all that its last program began with */
};

/*
 * Finds the process whose command line a regular expression finds something in (target/match/pattern.h); cmd NULL: the
 * process of the run. 0; -ENOENT with a line in err when there is none, or nothing is known of its start; -EINVAL
 * likewise when cmd is no expression; -ENOMEM.
 */
int state_side_find(struct state_side *side, const char *cmd, struct buf *err);

void state_side_release(struct state_side *side);

/* Shows what differs, a line each. 0; -ENOMEM; -errno of a write. */
int state_diff_show(const struct state_side *good, const struct state_side *bad, struct page *page,
                    enum table_format format);

/*
 * Makes of the lines of exectrace itself and those of a program, which tell the differences, all lines of the program:
 * but namespaces and control groups only where they differ. 0 or -ENOMEM.
 */
int state_lines_join(struct strv *out, const struct strv *given, const struct strv *own);

/* Bytes of the line's beginning that say what it is about: "env A=1": "env A". */
size_t state_key(const char *line);

#endif
