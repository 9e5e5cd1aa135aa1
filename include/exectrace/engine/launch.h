/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starting the command: fork, or step behind (-D), with a keeper beside; everything that a process inherits stays what
 * the caller gave.
 *
 *   parent model:  caller -> exectrace -> command          exectrace is the parent
 *   behind (-D):   caller -> command; exectrace apart      the calling process becomes the command
 */
#ifndef EXECTRACE_ENGINE_LAUNCH_H
#define EXECTRACE_ENGINE_LAUNCH_H

#include <exectrace/base/buf.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct shared;

struct launch {
	char **command;        /* ended by NULL */
	bool behind;           /* -D */
	pid_t root;            /* the command's process; 0 when it has ended */
	pid_t keeper;          /* 0 when there is none, or it was reaped */
	int sock;              /* to the root, until it executes */
	int keeper_sock;       /* for the root only: to the keeper */
	struct shared *shared; /* with the keeper */
	sigset_t mask;         /* what the caller had */
	struct sigaction chld; /* what the caller had */
	bool no_new_privs;     /* had to be set */
};

/*
 * Forks. In the process that is to supervise returns 0 with the root waiting; the root's side never returns but
 * executes the command when told to. All signals but the synchronous ones are blocked in the supervisor from here on.
 * -errno when nothing was started.
 */
int launch_start(struct launch *launch);

/* Has the root install a seccomp listener. The listener or -errno (-EBUSY: there is one already). */
int launch_install_listener(struct launch *launch);

/* Has the root allow us to attach where Yama is in the way, and wait until told to go on. 0 or -errno. */
int launch_prepare_ptrace(struct launch *launch);

/* Ends the waiting root with status 125: the command is not run. */
void launch_quit(struct launch *launch);

/* Lets the root execute the command. */
int launch_go(struct launch *launch);

#endif
