/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A filter cannot be taken back, and a tree that has a listener can get no second one (EBUSY, seccomp(2)). So an
 * exectrace that is to watch a tree once more has its keeper get the listeners from the keeper of the one before.
 *
 * What there is: each keeper has a door, a socket of which one end is always its descriptor DOOR_FD (door.h), and a
 * table of what its listeners are of (struct watched). Nothing has a name: who wants to ask fetches that end by
 * pidfd_getfd(2), which the kernel lets those do who may attach to the keeper (PTRACE_MODE_ATTACH_REALCREDS,
 * ptrace(2)): the same user or root, and no sandbox of the same user's, as a check of credentials at an abstract socket
 * would.
 *
 *   new keeper                                    old keeper, which receives and answers all the time
 *   1 asks, with a socket for the answers
 *                                                 2 offers a copy of a listener, and what it is of
 *   3 sends it to its exectrace, listens to it
 *   4 says that both have it
 *                                                 5 closes its own; ends if that was the last one
 *
 * Until 5 both may receive from it. The kernel gives each call to one of them, who answers it; the old keeper does so
 * before it looks at the next message. So no call is lost or answered twice. Where the new keeper is killed before 4,
 * the old one still has the listener, and what exectrace has of it already makes no difference: its next keeper asks
 * again. Where exectrace is killed, its keeper has it. Where both are killed before 4, all is as it was; after that it
 * is as when any exectrace and its keeper are killed. A keeper asks for one listener at a time.
 *
 * Not everything that is called exectrace-keep is one: it has to have made its door itself (SO_PEERCRED, unix(7)), and
 * to be ours or of the user whose process it is about; who lies then, lies about what is his.
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_HANDOVER_H
#define EXECTRACE_SRC_PICK_LAUNCH_HANDOVER_H

#include "door.h"

/* What was handed over. */
struct handed {
	int listener; /* the caller's */
	int line;     /* for handover_done */
	pid_t by;     /* -EADDRINUSE: the exectrace that is still there */
	struct watched watched;
};

/*
 * Asks all other keepers on this machine that have been there at the first call. 0; -ENOENT: nobody has what is asked
 * for, or none that may be asked; -EADDRINUSE: an exectrace is there for it; -ENOMEM. Waits at most 2 s for each of
 * those that do not answer, once.
 */
int handover_ask(struct keepers *keepers, const struct ask *ask, struct handed *handed);

/* yes: others have the listener, too, and the old keeper gives it up, for which it has 2 s. No: it goes on. */
void handover_done(struct handed *handed, bool yes);

#endif
