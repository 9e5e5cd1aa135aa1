/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undoing an EINTR that execve never returns without us.
 *
 * Until a notification is received its caller sleeps interruptibly; a signal in that moment ends the wait, and if its
 * handler lacks SA_RESTART the kernel will make execve return EINTR (seccomp_unotify(2)). The receiver then finds
 * nothing (ENOENT) - but it runs on the caller's processor, and before the caller gets as far as its signal handler:
 * the call is over, the signal not yet delivered. So the receiver looks for a thread of the tree that is about to
 * handle a signal, attaches to it for this moment, and where its registers say "execve, interrupted" (-ERESTARTSYS),
 * sets them so that execve restarts when the handler returns, as it does with SA_RESTART. The program sees its
 * handler run and its execve succeed.
 *
 * On another processor, or when ours is taken from us for a moment, that race is lost now and then. So a process that
 * catches signals and has called many times in a row, which a search along PATH does not, is kept attached to; a few
 * times are enough where signals have just met a caller. Each of its signals stops it, and is looked at in that way. It
 * is let go as soon as it does not go on calling, or when a call needs more than a fast_path.
 */
#ifndef EXECTRACE_SRC_PICK_ENGINE_EINTR_RESTART_H
#define EXECTRACE_SRC_PICK_ENGINE_EINTR_RESTART_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RESCUE_RECENT 64u /* threads remembered */
#define RESCUE_OWED 8u    /* attached to and not yet stopped */
#define RESCUE_TRIES                                                                                                 \
	2u /* calls of one thread in a row behind a first one, from which on it may be such a thread, and is held if \
	      signals meet callers */
#define RESCUE_REPEATS 16u /* calls of one thread in a row, from which on it is taken for one that goes on calling */
#define RESCUE_HOLD 32u    /* calls of one thread in a row, from which on it is held */

struct eintr_restart {
	pid_t root;
	pid_t recent[RESCUE_RECENT]; /* threads that called execve last: where to look first */
	unsigned at;
	unsigned repeats; /* calls in a row by the thread that called last */
	pid_t last;
	pid_t owed[RESCUE_OWED]; /* 0: free. Attached to by the calling thread, to be let go as soon as they stop */
	pid_t held;              /* 0: none. Attached to, and running */
	uint64_t called;         /* held: when it called last (clock_now()) */
	int foreseen;            /* calls of it that were restarted and whose loss is still to be noticed */
	uint64_t alert;          /* 0, or until when more signals are expected to meet callers (clock_now()) */
	bool met;                /* one has, and whether its thread can be held was not looked at yet */
	unsigned long saved;
};

/* Remembers a thread that calls execve. */
void eintr_note(struct eintr_restart *rescue, pid_t tid);

/* True while one thread calls execve again and again (they fail): it is the one that an interruption will meet. */
bool eintr_repeats(const struct eintr_restart *rescue);

/* True when one thread has called a few times in a row: it may be the beginning of that, or a search along PATH. */
bool eintr_tries(const struct eintr_restart *rescue);

/* True while signals are known to meet callers. */
bool eintr_alert(const struct eintr_restart *rescue);

/*
 * To be called, by the receiving thread, when a notification was lost. waits: a call that `last` made since is received
 * and unanswered (a loss is reported after what came later, seccomp_notify_recv): nothing of
 * that thread can be mended any more, and it is about to be decided about.
 */
void eintr_lost(struct eintr_restart *rescue, bool waits);

/* True when tid is attached to: it is held, or has been asked to stop, to be let go. */
bool eintr_holds(const struct eintr_restart *rescue, pid_t tid);

/* True when tid is held: then it has been asked to stop, and will be let go; its call has to restart after that. */
bool eintr_release(struct eintr_restart *rescue, pid_t tid);

/* Looks after the held thread: to be called when it has not called for as long as eintr_settle says. */
void eintr_attend(struct eintr_restart *rescue);

/*
 * Lets go of threads that took longer to stop. In how many ns eintr_attend and this are to be called again, unless
 * there is a call before; 0: nothing is attached to.
 */
uint64_t eintr_settle(struct eintr_restart *rescue);

#endif
