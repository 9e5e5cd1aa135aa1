/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who did what when: lanes (tasks, CPUs, threads), each with how much of some kinds of work it did in each of at most
 * ACTIVITY_CELLS equal stretches of time. How long all lasts need not be known: stretches double when it gets longer.
 */
#ifndef EXECTRACE_ANSWER_REPLAY_LANES_H
#define EXECTRACE_ANSWER_REPLAY_LANES_H

#include <stddef.h>
#include <stdint.h>

#define ACTIVITY_CELLS 1024u
#define ACTIVITY_KINDS 8u
#define ACTIVITY_LANES 2048u /* more share the last one */
#define ACTIVITY_NAMES 64u   /* of a lane */

/* A name that a lane has from some time on. */
struct lanes_name {
	uint64_t since;
	const char *name;
};

struct lanes_lane {
	unsigned group;    /* the caller's: lanes of one sort */
	uint32_t id;       /* the caller's, such as a process id ... */
	uint32_t sub;      /* ... and a thread id */
	uint64_t from, to; /* when something was added first and last */
	struct lanes_name *names;
	size_t n_names;
	uint64_t sums[ACTIVITY_KINDS]; /* of all cells */
	uint32_t first, n;             /* the cells that there are */
	uint64_t *cells;               /* n times ACTIVITY_KINDS: units of time */
};

struct lanes;

/* What begins at a time. NULL: no memory. */
struct lanes *lanes_new(uint64_t start);

/* Frees it. NULL is allowed. */
void lanes_free(struct lanes *a);

/* A new lane's number. 0 or -ENOMEM. */
int lanes_lane(struct lanes *a, unsigned group, uint32_t id, uint32_t sub, uint32_t *lane);

/* The lane has this name from now on; nothing when it has it already, or had too many. 0 or -ENOMEM. */
int lanes_name(struct lanes *a, uint32_t lane, uint64_t since, const char *name);

/* It was there from ... to, whatever it did. */
void lanes_span(struct lanes *a, uint32_t lane, uint64_t from, uint64_t to);

/* It did this kind of work in [from, to). What is before the start does not count. 0 or -ENOMEM. */
int lanes_add(struct lanes *a, uint32_t lane, unsigned kind, uint64_t from, uint64_t to);

uint64_t lanes_start(const struct lanes *a);
uint64_t lanes_end(const struct lanes *a);   /* the last time that anything was told of */
uint64_t lanes_width(const struct lanes *a); /* of a cell */
size_t lanes_count(const struct lanes *a);
const struct lanes_lane *lanes_at(const struct lanes *a, uint32_t lane);

#endif
