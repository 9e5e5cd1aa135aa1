/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who did not wait, and when: what processors were used for, as far as calls tell. */
#ifndef EXECTRACE_ANSWER_CAUSES_BUSY_H
#define EXECTRACE_ANSWER_CAUSES_BUSY_H

#include <exectrace/answer/story/story.h>

#define BUSY_COLUMNS 60

/* All that ran a program. */
struct busy_program {
	const char *name; /* and the script that it ran, of an interpreter */
	uint64_t time;    /* ns that their threads did not wait */
	size_t processes;
	const struct tree_node *busiest;
	const char *command; /* the command line of that one */
	uint64_t most;       /* ns of that one */
};

struct busy {
	bool known;                    /* the calls of all processes were recorded */
	size_t processes;              /* all, the top included */
	uint64_t time;                 /* ns that threads did not wait, in all */
	int64_t columns[BUSY_COLUMNS]; /* the same, by time: each a part of the run of equal length */
	struct busy_program *programs; /* the busiest first */
	size_t n, cap;
};

/* Of a process and those below it, as long as it lived. 0 or -ENOMEM. */
int busy_find(struct busy *busy, struct story *s, const struct tree_node *top);

void busy_release(struct busy *busy);

#endif
