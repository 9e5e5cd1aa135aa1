/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process of its own session, without terminal and with no descriptor but the listener and, while the
 * supervisor lives, what leads to that. It answers for the supervisor when that is dead, stopped or done. Without it
 * every later execve in the tree would fail with ENOSYS (seccomp_unotify(2)).
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_KEEPER_H
#define EXECTRACE_SRC_PICK_LAUNCH_KEEPER_H

#include <exectrace/pick/launch/shared.h>
#include <exectrace/pick/launch/sources.h>
#include <sys/types.h>

#define KEEPER_NAME "exectrace-keep"

/* What leads to the supervisor. -1: there is none. */
struct keeper_ends {
	int sock; /* on it it says, an int, that it is ready, then gets the listener of the command's tree, and says an
	           * int when it has it */
	int orders; /* struct order: answered, as each is done, by a listener (fd_send), if there is one, and an int */
	int queue;  /* takes numbers of slots with what it has received and only the supervisor can answer */
	int wake;   /* see shared->armed */
};

/* To get the listener of a process that runs already, from a former keeper (handover.h) or it (attach.h). */
struct order {
	pid_t pid;
	pid_t top;       /* that of --pid below which it was found */
	unsigned source; /* which it is to be */
	bool rest;       /* not that of pid: another one that a former keeper has of what was below that */
	bool nnp;        /* no_new_privs may be set there */
	bool again;      /* a keeper was killed while it had the same order */
};

/*
 * Forks it from the supervisor, which it watches. It has the sources from the beginning. The pid, or -errno.
 */
pid_t keeper_start(struct shared *shared, const struct keeper_ends *ends, const struct sources *sources);

#endif
