/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Being told to end: SIGTERM, SIGINT or SIGHUP sent to exectrace, or typed on the terminal when the command has ended
 * already (then SIGQUIT, too). The command is told as well (root.c) and its end is waited for, because its exit status
 * is ours; but whatever it and the tools do, exectrace ends in bounded time:
 *
 *   at once                 what waits for us (held, queued, parked) goes on, its tools are told
 *   1 s                     tools are told, if one keeps its process stopped, which the command may wait for
 *   2 s                     the end, when the command does not catch the signal and lives on
 *   30 s                    the end, when it does
 *   5 s behind its end      tools are told (at once, when it had ended before)
 *   2 s after being told    tools are killed; 1 s later the end
 *   a second signal         the end
 *
 * At the end of a run whose command lives on, that and the processes below it are left to the keeper.
 */
#ifndef EXECTRACE_SRC_PICK_SUPERVISE_SHUTDOWN_H
#define EXECTRACE_SRC_PICK_SUPERVISE_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

struct supervisor;

/* How far it has come with the tools. */
enum shutdown_tools { TOOLS_WORK, TOOLS_TOLD, TOOLS_TERMINATED, TOOLS_KILLED };

struct shutdown {
	int sig;        /* that asked for it, 0: none */
	bool terminal;  /* it was typed while the command ran, whose affair it is */
	uint64_t since; /* clock_now() of that */
	enum shutdown_tools tools;
	uint64_t told; /* clock_now() of the last change of `tools` */
	bool now;      /* nothing is waited for any more */
};

/* A signal that asks us to end has come. terminal: it was typed. */
void shutdown_ask(struct supervisor *s, int sig, bool terminal);

/* Where all ends now: has the killed tools end, for a moment, so that what they leave stopped is continued. */
void shutdown_settle(struct supervisor *s);

/* Does what is due. ms until there is something to do again; -1: nothing. */
int shutdown_tick(struct supervisor *s);

#endif
