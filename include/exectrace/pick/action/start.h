/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting the tool of an action, and seeing when it has the process. */
#ifndef EXECTRACE_PICK_ACTION_START_H
#define EXECTRACE_PICK_ACTION_START_H

#include <exectrace/pick/action/action.h>
#include <signal.h>
#include <sys/resource.h>

/* What a tool is given. It runs with exectrace's own environment and in its directory, in a process group of its own.
 */
struct start_setup {
	const sigset_t *mask;         /* signal mask, of exectrace's caller */
	const struct sigaction *chld; /* what SIGCHLD was set to */
	const struct rlimit *files;   /* RLIMIT_NOFILE; NULL: as ours */
	int nice;                     /* nice value */
	int socket;                   /* inherited under the same number; -1: none */
	int directory;                /* the same; that of the run */
	int tty;                      /* terminal for standard input, output and error and the foreground; -1: none */
};

/*
 * Starts program with argv. Without a terminal its standard input is /dev/null and standard output joins standard
 * error. The pid (a child of the caller) or -errno. A program that cannot be executed ends with 127.
 */
pid_t start_tool(const char *program, char *const *argv, const struct start_setup *setup);

/* A process that does nothing but be there, so that it can be killed: the handle of a stopped process. The pid or
 * -errno. */
pid_t start_handle(void);

/* True when `tool` has what it came for: process `pid` as action->ready asks. */
bool start_attached(const struct action *action, pid_t pid, pid_t tool);

/* True when a tool waits for something: a tracer for a stop, as a rule. */
bool start_sleeps(pid_t tool);

#endif
