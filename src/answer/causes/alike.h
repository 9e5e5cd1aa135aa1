/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes whose commands are alike: the same but for numbers and names of temporary files. */
#ifndef EXECTRACE_SRC_ANSWER_CAUSES_ALIKE_H
#define EXECTRACE_SRC_ANSWER_CAUSES_ALIKE_H

#include <exectrace/answer/story/story.h>

/* A process. */
struct alike_member {
	const char *key; /* its command; equal ones are equal pointers */
	const struct tree_node *node;
	const struct process_history *history;
};

struct alike {
	struct story *story;
	const char *cwd; /* of the run */
	struct alike_member *members;
	size_t n, cap;
};

/*
 * Reads those that have executed a program and ended, of a process and those below it: by commands, and of each by
 * start. 0 or -ENOMEM; *alike is to be released in any case.
 */
int alike_read(struct alike *alike, struct story *s, const struct tree_node *top);

/* The end of the members that are alike with the one at `first`. */
size_t alike_end(const struct alike *alike, size_t first);

/* A text without what differs from process to process, behind a word. NULL: no memory. */
const char *alike_key(struct alike *alike, const char *kind, const char *text);

void alike_release(struct alike *alike);

#endif
