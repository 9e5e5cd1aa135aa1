/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A seccomp listener for a process that runs already. It is the keeper that attaches: it lives on when exectrace is
 * killed or stopped, and it needs the listener first.
 *
 *   keeper                                     if it is killed here
 *   1 stops all threads, looks whether it may  they run on, nothing is changed
 *   2 has one make seccomp(2) for all of them  the thread makes it and goes on by itself
 *                                                (target/tracee/detour.h); the listener is open
 *                                                in the process: execs wait, and the next keeper,
 *                                                which exectrace starts for that, begins at 3
 *   3 fetches the listener (pidfd_getfd(2))    the same
 *   4 sends it to exectrace                    the same
 *   5 has it closed inside, takes its code     the same; exectrace has the listener, whether it is
 *     away                                       still open inside or not
 *   6 lets all go                              the same
 *
 * exectrace itself may be killed or stopped at any of them: nothing in the process depends on it, and the keeper
 * answers. Only if both are killed between 2 and 4 does nobody have the listener. A process that has one open when all
 * begins is left alone: so one that is found later is ours.
 *
 * In 1 all threads stand still, none of them in an execve: one that had begun would close the listener (close-on-exec)
 * in a program that has the filter already.
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_ATTACH_H
#define EXECTRACE_SRC_PICK_LAUNCH_ATTACH_H

#include <exectrace/pick/launch/shared.h>
#include <stdbool.h>
#include <stdint.h>

struct attach_order {
	pid_t pid;
	uint32_t mark;   /* of the filter: listener_lay_out */
	bool nnp;        /* no_new_privs may be set there */
	bool again;      /* a keeper was killed while it did the same */
	unsigned source; /* which it is to be */
};

/* Called with the listener before it is closed inside. */
typedef void attach_got(void *user, int listener);

/* Called when execs may wait for its answer, and nobody else gives one yet. */
typedef void attach_pass(void *user, unsigned source, int listener);

struct attach_user {
	attach_got *got;
	attach_pass *pass;
	void *user;
	const struct shared *shared;
};

/*
 * The listener, or -errno with nothing changed: -EEXIST: it has the filter of that mark, or of one that was taken over;
 * -EBUSY: it has a listener of somebody else's; -EACCES: it needs no_new_privs for it; -EKEYREJECTED: its own filter
 * may not allow it; -ENOTUNIQ: its threads have filters of their own; -ENOTSUP: no x86-64 program, or no room for the
 * code; -EAGAIN: it cannot be stopped; -ESRCH: it has ended; -EPERM: it may not be attached to.
 */
int attach(const struct attach_order *order, const struct attach_user *user);

/* Whether a descriptor of a process is a seccomp listener. */
bool attach_is_listener(pid_t pid, int fd);

/* A descriptor of a seccomp listener that a process has open; -ENOENT: none. */
int attach_find(pid_t pid);

#endif
