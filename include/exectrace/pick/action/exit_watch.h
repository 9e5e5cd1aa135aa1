/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Following a process that is neither child nor tracee to its end, by pidfd: nothing is attached to it. */
#ifndef EXECTRACE_PICK_ACTION_EXIT_WATCH_H
#define EXECTRACE_PICK_ACTION_EXIT_WATCH_H

#include <exectrace/target/exec/print.h>
#include <sys/types.h>

struct exit_watch {
	pid_t pid;
	int fd; /* readable when the process has ended; -1 when there is none */
};

/* Descriptors that watches leave free: looking at a process needs some, starting a tool, too. */
#define WATCH_LEAVES 6u
#define WATCH_SPARE_LEAVES 10u

/* Begins. 0 or -errno (-ESRCH: gone; -EMFILE: then the end will not be seen). */
int exit_watch_open(struct exit_watch *watch, pid_t pid);

/* Likewise for a process that was not picked: it leaves some descriptors to those that will be. */
int exit_watch_open_spare(struct exit_watch *watch, pid_t pid);

/* True when it has ended, and may be reaped any moment. */
bool exit_watch_ended(const struct exit_watch *watch);

/*
 * Looks. True when it has ended: end->known tells whether the status could be had. That is so on Linux 6.15 and later
 * (PIDFD_GET_INFO), and before, when we see the zombie before its parent reaps it. Then what it used is known, too, see
 * exit_watch_usage.
 */
bool exit_watch_look(struct exit_watch *watch, struct exec_end *end);

/*
 * Of a process that has ended: completes what it used by what its zombie tells, if it is there still. That is the
 * processor time; for root also what it moved, unless it has had threads or reaped children.
 */
void exit_watch_usage(const struct exit_watch *watch, struct exec_end *end);

/* Sets the processor time of a process until now, or leaves it unknown: it was reaped. */
void exit_watch_cpu(const struct exit_watch *watch, struct exec_usage *usage);

/* Ends the watch. */
void exit_watch_close(struct exit_watch *watch);

#endif
