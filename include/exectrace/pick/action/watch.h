/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a process that is neither child nor tracee to its end, by pidfd: nothing is attached to it. */
#ifndef EXECTRACE_PICK_ACTION_WATCH_H
#define EXECTRACE_PICK_ACTION_WATCH_H

#include <exectrace/target/exec/print.h>
#include <sys/types.h>

struct watch {
	pid_t pid;
	int fd; /* readable when the process has ended; -1 when there is none */
};

/* Descriptors that watches leave free: looking at a process needs some, starting a tool, too. */
#define WATCH_LEAVES 6u
#define WATCH_SPARE_LEAVES 10u

/* Begins. 0 or -errno (-ESRCH: gone; -EMFILE: then the end will not be seen). */
int watch_open(struct watch *watch, pid_t pid);

/* The same for a process that was not picked: it leaves some descriptors to those that will be. */
int watch_open_spare(struct watch *watch, pid_t pid);

/*
 * Looks. True when it has ended: end->known tells whether the status could be had. That is so on Linux 6.15 and later
 * (PIDFD_GET_INFO), and before, when we see the zombie before its parent reaps it.
 */
bool watch_look(struct watch *watch, struct exec_end *end);

/* Ends the watch. */
void watch_close(struct watch *watch);

#endif
