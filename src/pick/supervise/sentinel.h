/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside us in our process group that tells which signals were sent to the group: those reach the command
 * anyway, and only those sent to us alone are to be passed on. From the signal itself the two cannot be told apart.
 * While we are stopped because the command was, it also looks whether somebody continues the command alone: then it
 * continues us, for nobody else would.
 */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_SENTINEL_H
#define EXECTRACE_SRC_PICK_SUPERVISE_SENTINEL_H

#include <stdbool.h>
#include <sys/types.h>

/* Why we run again after sentinel_watch. */
enum sentinel_woke {
	SENTINEL_SLEPT,     /* somebody has continued us */
	SENTINEL_CONTINUED, /* it has, because the command was continued */
	SENTINEL_NEEDED,    /* it has, because a tracee waits for us */
};

struct sentinel {
	pid_t pid;    /* 0: there is none */
	int fd;       /* it writes an int a signal */
	bool got[65]; /* signals it has told of and nobody has asked for yet */
	enum sentinel_woke woke;
};

/* Starts it. 0 or -errno. */
int sentinel_start(struct sentinel *sentinel);

/* Waits until it is at work. 0 or -errno. */
int sentinel_ready(struct sentinel *sentinel);

/* True when it got sig too. Takes a few ms; on a loaded machine as long as the other process needs to say so. */
bool sentinel_got(struct sentinel *sentinel, int sig);

/* It was killed: starts another one, or there is none from now on. */
void sentinel_again(struct sentinel *sentinel);

/* To be called before we stop ourselves as process `root` has stopped. tracer: we are also needed for wait events.
 * False: there is none, and nobody would continue us. */
bool sentinel_watch(struct sentinel *sentinel, pid_t root, bool tracer);

/* We run again: ends the watch. */
enum sentinel_woke sentinel_woke(struct sentinel *sentinel);

/* Ends it. The caller reaps. */
void sentinel_stop(struct sentinel *sentinel);

#endif
