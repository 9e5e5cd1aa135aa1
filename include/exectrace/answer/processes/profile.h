/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processes of a run as rows: those that are wanted and the way to them, in the order that was asked for, with what
 * they used; siblings that are alike in one row.
 */
#ifndef EXECTRACE_ANSWER_PROCESSES_PROFILE_H
#define EXECTRACE_ANSWER_PROCESSES_PROFILE_H

#include <exectrace/answer/recording/process_select.h>

/* Siblings by what they and all below them used, the most first; time: by their own. */
enum profile_order { PROFILE_START, PROFILE_TIME, PROFILE_CPU, PROFILE_PEAK, PROFILE_READ, PROFILE_WRITTEN };

struct profile_options {
	const struct process_select *select; /* which ones, after process_select_begin; NULL: all */
	bool failed;                         /* only those that failed */
	bool critical;                       /* only those of the critical chain */
	bool fold;                           /* siblings that are alike become one row */
	uint64_t min;  /* those that took less, and nobody below them did more, are left out, ns */
	size_t levels; /* only so many of the tree; 0: all */
	enum profile_order order;
};

/* What processes used. Of what is not known there is nothing in it. */
struct profile_use {
	size_t timed; /* how many have a time */
	uint64_t time, shortest, longest;
	bool cpu, io;      /* of one at least that is known */
	uint64_t cpu_time; /* user and system, ns */
	uint64_t peak;     /* the most of one, bytes */
	uint64_t read, written;
};

/* A row. */
struct profile_row {
	const struct tree_node *node; /* the process; the first of several */
	const struct profile_row *parent, *child, *sibling;
	size_t count;           /* processes in it: 1, or as many as are alike */
	size_t common;          /* bytes of the last command of `node` that begin those of all of them */
	bool wanted;            /* it is asked for; else it is on the way to one that is */
	struct profile_use use; /* of all its processes */
	/* Processes below it that have no row: shorter than asked for, on a lower level. */
	size_t shorter, deeper;
	struct profile_row *up, *down; /* private */
	uint64_t key;
};

struct profile;

/* The tree has to stay. *ret is set on success only. 0 or -ENOMEM. */
int profile_new(struct profile **ret, const struct process_tree *tree, const struct profile_options *options);

/* NULL is allowed. */
void profile_free(struct profile *p);

/* The first row, and the one below or behind another one; NULL: there are none, or no more. */
const struct profile_row *profile_first(const struct profile *p);
const struct profile_row *profile_next(const struct profile_row *row);

/* How many processes are asked for. */
size_t profile_wanted(const struct profile *p);

/* Whether the end of the run waited for it, as far as the tree tells: for the child that ended last, and so on. */
bool profile_is_critical(const struct profile *p, size_t index);

/* What is known in any row: which columns there are. */
const struct profile_use *profile_all(const struct profile *p);

/* Adds what a process used. */
void profile_use_add(struct profile_use *use, const struct tree_node *node);

/* Whether a process ended, and not well. */
bool profile_failed(const struct tree_node *node);

/* How long a process lived: true when that is known. */
bool profile_time(const struct tree_node *node, uint64_t *ns);

#endif
