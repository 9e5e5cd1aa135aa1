/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two runs of the same command, one that is good and one that is not: where they part. */
#ifndef EXECTRACE_SRC_ANSWER_WHY_DIFFERENCE_H
#define EXECTRACE_SRC_ANSWER_WHY_DIFFERENCE_H

#include "story.h"

enum difference_kind {
	DIFFERENT_STATE,   /* a line of what a program began with (target/process/state.h) */
	DIFFERENT_PROCESS, /* one has a process that the other has not */
	DIFFERENT_FAILURE, /* a call fails in one only */
	DIFFERENT_END,     /* the same process ends in another way */
};

struct difference {
	enum difference_kind kind;
	uint64_t time;  /* ns since the beginning of its run */
	uint64_t order; /* the same moment in the bad run, as far as it has one: as long after the begin of the process,
	                   or of its parent, as in the good run */
	bool bad;       /* it is in the bad run only; else in the good one only (or, of an end, in both) */
	const struct tree_node *node; /* the process, in its run */
	const struct tree_node *good; /* DIFFERENT_END: that of the good run */
	const char *line;             /* DIFFERENT_STATE */
	const struct failure *failure;
};

struct differences {
	struct difference *items; /* by order; of equal ones in the order of their kinds */
	size_t n, cap;
	size_t pairs; /* processes that are in both runs */
};

/*
 * Processes are paired by their parents and their command lines, in which numbers and names of temporary files count as
 * equal, in the order in which they began. 0 or -ENOMEM.
 */
int differences_find(struct differences *d, const struct story *good, const struct story *bad);

void differences_release(struct differences *d);

/* True when two texts are the same but for numbers and for names of temporary files. */
bool difference_alike(const char *a, const char *b);

#endif
