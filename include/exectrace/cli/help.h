/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The help texts of exectrace as a whole. */
#ifndef EXECTRACE_CLI_HELP_H
#define EXECTRACE_CLI_HELP_H

#include <exectrace/options/command.h>

/* Prints what `exectrace --help` says. The exit status. */
int help_show_overview(void);

/* Prints what `exectrace help COMMAND` says. The exit status. */
int help_show_command(const struct command *command);

#endif
