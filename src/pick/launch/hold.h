/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All threads of a running process, stopped for a moment and let go as they were. A thread that waits in the kernel and
 * cannot be stopped there, as the parent of vfork(2) does, is as good as stopped unless that is an execve: it will stop
 * before it does anything else. It is let go when it has (hold_look).
 */
#ifndef EXECTRACE_SRC_PICK_LAUNCH_HOLD_H
#define EXECTRACE_SRC_PICK_LAUNCH_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct hold_thread {
	pid_t tid;
	bool stopped;
};

struct hold {
	struct hold_thread *threads;
	size_t n, cap;
};

/*
 * Stops them. 0; -EAGAIN: not all would, try again; -ESRCH: the process has ended; another -errno: one may not be
 * attached to. The caller lets them go (hold_let_go) whatever the result.
 */
int hold_stop(struct hold *hold, pid_t pid);

/* Lets go of those that are stopped. Others stay on record. */
void hold_let_go(struct hold *hold);

/* Lets go of those that have stopped since. How many have not yet. */
size_t hold_look(struct hold *hold);

/* Adds those that have not stopped yet to `others`, and frees the rest. */
void hold_leave(struct hold *hold, struct hold *others);

#endif
