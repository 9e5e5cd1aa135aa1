/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help texts, made from the tables. All lines fit 80 columns as long as no single word is too long. */
#ifndef EXECTRACE_OPTIONS_HELP_H
#define EXECTRACE_OPTIONS_HELP_H

#include <exectrace/base/buf.h>
#include <exectrace/options/command.h>
#include <exectrace/options/options.h>

/* Adds the options of a table under their headings, an empty line before each heading. 0 or -ENOMEM. */
int help_options(struct buf *out, const struct option_spec *table);

/* Adds a heading and one line for each command; the list ends with NULL. 0 or -ENOMEM. */
int help_commands(struct buf *out, const struct command *const *commands);

/* Adds all there is to say of one command: usage, what it does, options. 0 or -ENOMEM. */
int help_command(struct buf *out, const char *program, const struct command *command);

#endif
