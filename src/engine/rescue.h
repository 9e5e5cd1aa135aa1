/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undoing an EINTR that execve never returns without us.
 *
 * Until a notification is received its caller sleeps interruptibly; a signal in that moment ends the wait, and if its
 * handler lacks SA_RESTART the kernel will make execve return EINTR (seccomp_unotify(2)). The receiver then finds
 * nothing (ENOENT) - but it runs on the caller's processor, and before the caller gets as far as its signal handler:
 * the call is over, the signal not yet delivered. So the receiver looks for a thread of the tree that is about to
 * handle a signal, attaches to it for this moment, and where its registers say "execve, interrupted" (-ERESTARTSYS),
 * sets them so that execve begins anew when the handler returns, as it does with SA_RESTART. The program sees its
 * handler run and its execve succeed.
 */
#ifndef EXECTRACE_SRC_ENGINE_RESCUE_H
#define EXECTRACE_SRC_ENGINE_RESCUE_H

#include <stdbool.h>
#include <sys/types.h>

#define RESCUE_RECENT 64u  /* threads remembered */
#define RESCUE_OWED 8u     /* attached to and not yet stopped */
#define RESCUE_REPEATS 16u /* calls of one thread in a row, from which on it is taken for one that goes on calling */

struct rescue {
	pid_t root;
	pid_t recent[RESCUE_RECENT]; /* threads that called execve last: where to look first */
	unsigned at;
	unsigned repeats; /* calls in a row by the thread that called last */
	pid_t last;
	pid_t owed[RESCUE_OWED]; /* 0: free. Attached to by the calling thread, to be let go as soon as they stop */
	unsigned long saved;
};

/* Remembers a thread that calls execve. */
void rescue_note(struct rescue *rescue, pid_t tid);

/* True while one thread calls execve again and again (they fail): it is the one that an interruption will meet. */
bool rescue_repeats(const struct rescue *rescue);

/* True when the last three calls were of one thread: it may be the beginning of that, or of a search along PATH. */
bool rescue_tries(const struct rescue *rescue);

/* To be called, by the receiving thread, when a notification was lost. */
void rescue_lost(struct rescue *rescue);

/* Lets go of threads that took longer to stop. True while there are any: then call it again within a ms. */
bool rescue_settle(struct rescue *rescue);

#endif
