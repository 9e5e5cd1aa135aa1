/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was probably meant by a command line of `exectrace run` that cannot be run. */
#ifndef EXECTRACE_CLI_HINTS_H
#define EXECTRACE_CLI_HINTS_H

#include <exectrace/base/buf.h>
#include <exectrace/options/options.h>

/*
 * After the message about an unknown option: when it stands behind --run=ACTION, adds that arguments of an action
 * belong to its text. last: the option before. -EINVAL, or -ENOMEM.
 */
int hint_option(const struct option_use *last, const char *unknown, struct buf *err);

/*
 * Says that there is no rule, and what may be wrong with this command: it has options that belong in front of it, or
 * is the name of an action, or nearly that of a command of exectrace. table: the options of run. -EINVAL or -ENOMEM.
 */
int hint_no_rule(const struct option_spec *table, char *const *command, struct buf *err);

#endif
