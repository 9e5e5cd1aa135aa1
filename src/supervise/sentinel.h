/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside us in our process group that tells which signals were sent to the group: those reach the command
 * anyway, and only those sent to us alone are to be passed on. From the signal itself the two cannot be told apart.
 */
#ifndef EXECTRACE_SRC_SUPERVISE_SENTINEL_H
#define EXECTRACE_SRC_SUPERVISE_SENTINEL_H

#include <stdbool.h>
#include <sys/types.h>

struct sentinel {
	pid_t pid;    /* 0: there is none */
	int fd;       /* it writes an int a signal */
	bool got[65]; /* signals it has told of and nobody has asked for yet */
};

/* Starts it. 0 or -errno. */
int sentinel_start(struct sentinel *sentinel);

/* True when it got sig too. Takes a few ms; on a loaded machine as long as the other process needs to say so. */
bool sentinel_got(struct sentinel *sentinel, int sig);

/* Ends it. The caller reaps. */
void sentinel_stop(struct sentinel *sentinel);

#endif
