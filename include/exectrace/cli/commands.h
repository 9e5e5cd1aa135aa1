/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands of exectrace. A new one is a row in COMMANDS and a file src/cli/NAME.c that defines cmd_NAME. */
#ifndef EXECTRACE_CLI_COMMANDS_H
#define EXECTRACE_CLI_COMMANDS_H

#include <exectrace/base/buf.h>
#include <exectrace/options/command.h>
#include <stdbool.h>

/* In the order in which help shows them; the first is the one that may go without its name. */
#define COMMANDS(HAVE) \
	HAVE(run)      \
	HAVE(why)      \
	HAVE(report)   \
	HAVE(calls)    \
	HAVE(graph)    \
	HAVE(timeline) \
	HAVE(syscalls) \
	HAVE(tree)     \
	HAVE(diff)     \
	HAVE(export)   \
	HAVE(import)   \
	HAVE(help)     \
	HAVE(completion)

#define COMMANDS_DECLARE(name) extern const struct command cmd_##name;
COMMANDS(COMMANDS_DECLARE)

/* All commands, ended by NULL. */
const struct command *const *commands_all(void);

/* The command of that name, or NULL. */
const struct command *commands_find(const char *name);

/*
 * Reads the options of a command that has only --help, and at most one word after them. 0 with *at at that word (or the
 * NULL); 1 when help is asked for; -EINVAL with a line in err; -ENOMEM.
 */
int commands_read_word(const struct command *command, char **argv, int *at, struct buf *err);

#endif
