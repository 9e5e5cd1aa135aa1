/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process beside us in our process group that tells which signals were sent to the group: those reach the command
 * anyway, and only those sent to us alone are to be passed on. From the signal itself the two cannot be told apart.
 * While we are stopped because the command was, it also looks whether somebody continues the command alone: then it
 * continues us, for nobody else would.
 */
#ifndef EXECTRACE_PICK_RUN_PGRP_PROBE_H
#define EXECTRACE_PICK_RUN_PGRP_PROBE_H

#include <stdbool.h>
#include <sys/types.h>

/* Why we run again after pgrp_probe_watch. */
enum pgrp_probe_woke {
	SENTINEL_SLEPT,     /* somebody has continued us */
	SENTINEL_CONTINUED, /* it has, because the command was continued */
	SENTINEL_NEEDED,    /* it has, because a tracee waits for us */
};

struct pgrp_probe {
	pid_t pid;    /* 0: there is none */
	int fd;       /* it writes an int a signal */
	bool got[65]; /* signals it has told of and nobody has asked for yet */
	enum pgrp_probe_woke woke;
};

/* Starts it. 0 or -errno. */
int pgrp_probe_start(struct pgrp_probe *pgrp_probe);

/* Waits until it is at work. 0 or -errno. */
int pgrp_probe_ready(struct pgrp_probe *pgrp_probe);

/* True when it got sig too. Takes a few ms; on a loaded machine as long as the other process needs to say so. */
bool pgrp_probe_got(struct pgrp_probe *pgrp_probe, int sig);

/* It was killed: starts another one, or there is none from now on. */
void pgrp_probe_again(struct pgrp_probe *pgrp_probe);

/* To be called before we stop ourselves as process `root` has stopped. tracer: we are also needed for wait events.
 * False: there is none, and nobody would continue us. */
bool pgrp_probe_watch(struct pgrp_probe *pgrp_probe, pid_t root, bool tracer);

/* We run again: ends the watch. */
enum pgrp_probe_woke pgrp_probe_woke(struct pgrp_probe *pgrp_probe);

/* Ends it, and reaps it, as parent_end_child does. */
void pgrp_probe_stop(struct pgrp_probe *pgrp_probe);

#endif
