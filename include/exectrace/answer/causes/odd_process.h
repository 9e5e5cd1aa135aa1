/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The odd one among many processes of the same command, but for numbers: it alone had to do with a file or an address,
 * alone had not, a call failed in it alone, or it alone ended in its way.
 */
#ifndef EXECTRACE_ANSWER_CAUSES_ODD_PROCESS_H
#define EXECTRACE_ANSWER_CAUSES_ODD_PROCESS_H

#include <exectrace/answer/story/story.h>

#define ODD_PROCESSES 3u    /* that are kept */
#define ODD_PROCESSES_OF 8u /* among fewer none is odd */

enum odd_kind {
	ODD_ACCESS,  /* a call that succeeded */
	ODD_FAILURE, /* a call that failed */
	ODD_END,
};

struct odd_process {
	const struct tree_node *node;
	size_t of;   /* processes that are alike, with this one */
	bool lacks;  /* all others did it; false: none of them did */
	size_t more; /* what else it alone did, or did not */
	enum odd_kind kind;
	const struct access *access;   /* ODD_ACCESS: it, or that of another one */
	const struct failure *failure; /* ODD_FAILURE: the same */
	const struct tree_node *end;   /* ODD_END: who ended so */
};

struct odd_processes {
	struct odd_process items[ODD_PROCESSES]; /* those that differ least first */
	size_t n;
};

/* Of a process and those below it; the story has their accesses. 0 or -ENOMEM. */
int odd_processes_find(struct odd_processes *odd, struct story *s, const struct tree_node *top);

#endif
