/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child of ours that ends when it is told to: what tells of ends is tried on it. */
#ifndef EXECTRACE_SRC_PICK_ACTION_TRIAL_H
#define EXECTRACE_SRC_PICK_ACTION_TRIAL_H

#include <sys/types.h>

#define TRIAL_LIMIT_MS 100 /* for what is to tell of its end */
#define TRIAL_STATUS 42    /* it exits with */

struct trial {
	pid_t pid;
	int go[2];
	/* The child's: */
	int its[2]; /* numbers of its copies of `go` */
	_Alignas(16) char stack[8192];
};

/* Starts it; the trial stays where it is until trial_end. 0 or -errno. */
int trial_begin(struct trial *trial);

/* Lets it end, and reaps it. */
void trial_end(struct trial *trial);

#endif
