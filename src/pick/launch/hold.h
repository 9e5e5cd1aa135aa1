/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All threads of a running process, stopped for a moment and let go as they were. A thread that waits in the kernel and
 * cannot be stopped there, as the parent of vfork(2) does, is as good as stopped unless that is an execve: it would
 * stop before it does anything else.
 *
 * That is done in a thread of its own, whose end lets all go at once (exit_ptrace, kernel/ptrace.c), those that have
 * not stopped yet, too: PTRACE_DETACH takes one that has. And one after the other would be seen: while a thread is
 * traced its ignored SIGCHLD is queued (sig_ignored, kernel/signal.c), and wakes another one that is not, whose
 * epoll_wait(2) then fails with EINTR.
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

/* Called in the tracing thread while all stand still. 0 or -errno. */
typedef int hold_held(void *user, const struct hold *hold);

/*
 * Stops them, calls `held`, lets them go. What that returns; -EAGAIN: not all would stop, or there is no thread for it,
 * try again; -ESRCH: the process has ended; another -errno: one may not be attached to.
 */
int hold_while(pid_t pid, hold_held *held, void *user);

#endif
