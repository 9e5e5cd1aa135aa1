/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What costs more each time: a system call on one file, all of one pass over a file, or a process of a command. Only
 * what grows in proportion to the number of times, or faster.
 */
#ifndef EXECTRACE_ANSWER_CAUSES_GROWING_H
#define EXECTRACE_ANSWER_CAUSES_GROWING_H

#include <exectrace/answer/story/story.h>

#define GROWING_MAX 3u /* that are kept */

enum growing_cost {
	GROWING_BYTES,
	GROWING_TIME, /* ns; so is this: */
	GROWING_CPU,  /* processor time */
};

/* Which times. */
enum growing_by {
	GROWING_CALL,
	GROWING_PASS, /* all calls between one opening of the file, or end of it, and the next */
	GROWING_PROCESS,
};

struct growing_item {
	const struct tree_node *node; /* who; of several the last one; NULL: any process of the program `command` */
	const char *command;
	const struct stream_call *call; /* NULL: nothing but processes */
	const char *file;               /* that it was about; "" without call */
	enum growing_by by;
	enum growing_cost cost;
	struct growth_fit fit;
	uint64_t bytes, time; /* in all */
};

/* What took the longest first. */
struct growing {
	struct growing_item items[GROWING_MAX];
	size_t n;
};

/* Of a process and those below it. 0 or -ENOMEM. */
int growing_find(struct growing *growing, struct story *s, const struct tree_node *top);

#endif
