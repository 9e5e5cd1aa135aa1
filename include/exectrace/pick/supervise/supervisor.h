/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run of a command tree: joins engine (what is executed), rules (is it meant) and actions (what is done with it),
 * and says what happened.
 */
#ifndef EXECTRACE_PICK_SUPERVISE_SUPERVISOR_H
#define EXECTRACE_PICK_SUPERVISE_SUPERVISOR_H

#include <exectrace/base/color.h>
#include <exectrace/base/exit_status.h>
#include <exectrace/base/strv.h>
#include <exectrace/pick/rules/ruleset.h>
#include <pwd.h>
#include <stdbool.h>

/* What `exectrace [run]` was asked to do. All pointers are the caller's. */
struct run_config {
	struct ruleset *rules;
	const char *engine;        /* --engine: a name of engine_at(); NULL: the first that works */
	bool behind;               /* -D */
	bool list;                 /* --list */
	bool keep_failed;          /* --keep=failed */
	const char *output;        /* -o DIR, NULL when not given */
	enum color_choice color;   /* --color */
	struct strv changes;       /* --set: of the command's environment: NAME=VALUE, or NAME to take that away */
	const struct passwd *user; /* --as: that the command runs as; NULL: ours */
	char **command;            /* the command and its arguments, ended by NULL; empty: none, only with pids */
	pid_t *pids;               /* --pid: processes that run already */
	size_t n_pids;
	bool force;     /* --force */
	bool allow_nnp; /* --allow-no-new-privs */
	/* Called when all has ended and is recorded, unless it is NULL. */
	void (*recorded)(const struct run_config *config);
};

/*
 * Runs it. Checks the actions first (unknown action, tool that is not installed, bad arguments): one line and
 * RUN_FAILED, nothing started. Returns the exit status for main; when a signal killed the command, dies of the same
 * signal instead of returning. With config->behind the calling process becomes the command and this returns only on
 * failure.
 */
int supervisor_run(const struct run_config *config);

#endif
