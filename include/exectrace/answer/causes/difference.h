/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two runs of the same command, one that is good and one that is not: where they part. */
#ifndef EXECTRACE_ANSWER_CAUSES_DIFFERENCE_H
#define EXECTRACE_ANSWER_CAUSES_DIFFERENCE_H

#include <exectrace/answer/story/story.h>

enum difference_kind {
	DIFFERENT_STATE,   /* a line of what a program began with (target/process/state.h) */
	DIFFERENT_PROCESS, /* one has a process that the other has not */
	DIFFERENT_FAILURE, /* a call fails in one only */
	DIFFERENT_ACCESS,  /* a file or address is used in one only */
	DIFFERENT_OUTPUT,  /* a line is written in one only */
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
	const char *line;             /* DIFFERENT_STATE; DIFFERENT_ACCESS: the name */
	const struct failure *failure;
	const struct access *access;
	int output;            /* DIFFERENT_OUTPUT: OUTPUT_STDOUT or OUTPUT_STDERR, ... */
	struct data_text text; /* ... and the line */
};

struct differences {
	const struct tree_node *good, *bad; /* from where on they are compared: COMMAND, or one further down */
	bool below;                         /* not COMMAND */
	struct difference *items;           /* by order; of equal ones in the order of their kinds */
	size_t n, cap;
	size_t pairs; /* processes that are in both runs */
};

/*
 * Processes are paired by their parents and their command lines, in which numbers and names of temporary files count as
 * equal, in the order in which they began. d->good and d->bad are set; differences_roots sets them. 0 or -ENOMEM.
 */
int differences_find(struct differences *d, const struct story *good, const struct story *bad);

/*
 * Where to begin: with COMMAND, when it is the same or alike in both runs; else with the first process on the way down
 * to where the bad one's failure began that the good one has, too. All else of d is 0. 0 or -ENOMEM.
 */
int differences_roots(struct differences *d, const struct story *good, const struct story *bad);

void differences_release(struct differences *d);

/* Both runs while they are compared, and what is found. */
struct comparing {
	struct differences *d;
	const struct story *good, *bad;
	uint64_t
		parted; /* the first difference of the pair at hand that is in the bad run; UINT64_MAX: there is none */
	int err;        /* sticky */
};

/*
 * Adds a difference. near: its process, or the parent of that, as it is in the bad run, and own in its own run: what a
 * faster run did has its place by how long after their begin it was.
 */
void comparing_add(struct comparing *c, const struct difference *difference, const struct tree_node *own,
                   const struct tree_node *near);

/* Adds what a process, in both runs, opened, made, removed, bound or connected to in one of them only. */
void difference_accesses(struct comparing *c, const struct tree_node *good, const struct tree_node *bad);

/* True when two texts are the same but for numbers and for names of temporary files. */
bool difference_alike(const char *a, const char *b);

/*
 * Adds a text to look up a name by: those that are alike have the same, and those below the run's directory begin with
 * ".". Failures stay in out->err.
 */
void difference_key(struct buf *out, const char *name, const char *directory);

#endif
