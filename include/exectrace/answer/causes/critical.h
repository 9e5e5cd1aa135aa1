/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The critical chain of a run: at each moment the one process that everything else waited for. It is found from the end
 * backwards: from a wait to whoever ended it, from the beginning of a process to its parent.
 */
#ifndef EXECTRACE_ANSWER_CAUSES_CRITICAL_H
#define EXECTRACE_ANSWER_CAUSES_CRITICAL_H

#include <exectrace/answer/story/story.h>

/* A stretch of the chain. Times are ns since the run began. */
struct critical_step {
	uint64_t from, to;
	const struct tree_node *node; /* what everybody waited for */
	const struct wait *wait;      /* the wait that nobody of the run ended; NULL: the process computed */
	bool late;                    /* what was waited for had been written already, and came late */
	/* The wait that this process ended, and whose it was; NULL: a parent waited for the end of its child. */
	const struct wait *ended;
	const struct tree_node *waiter;
};

/* What is alike in the chain: all that a process computed, all its waits for the same. */
struct critical_group {
	const struct tree_node *node; /* the first one, in time */
	const struct wait *wait;      /* one of them; NULL: it computed */
	uint64_t time;                /* ns, in all */
	uint64_t longest;
	uint64_t first, last; /* when the first one began and the last ended */
	size_t steps;         /* how many, ... */
	size_t timed_out;     /* ... and of so many the time was over */
	size_t late;          /* ... or what was waited for came late */
	const char *programs; /* from the top: "make > sh > cc1"; what has the same ones, ... */
	const char *script;   /* ... and runs the same script, is one group */
	const char *command;  /* what `latest` ran then, as a command line */
	size_t processes;     /* how many there are in it, at least */
	bool others;          /* not all waited for the same: new pipes, other files of the directory */
	const struct tree_node *latest;
	const struct wait *ended; /* as of a step: that of the longest one that has it, ... */
	const struct tree_node *waiter;
	uint64_t kept; /* ... which took so long; 0: none */
};

struct critical {
	struct critical_step *steps; /* the last one first */
	size_t n, cap;
	struct critical_group *groups; /* the one that took most first */
	size_t n_groups, cap_groups;
};

/* The chain that ends with the end of a process. 0 or -ENOMEM. */
int critical_find(struct critical *critical, struct story *s, const struct tree_node *top);

void critical_release(struct critical *critical);

#endif
