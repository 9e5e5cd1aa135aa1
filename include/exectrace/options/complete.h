/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion scripts for shells, made from the tables. The first command of the list is the one whose options are also
 * understood without its name.
 */
#ifndef EXECTRACE_OPTIONS_COMPLETE_H
#define EXECTRACE_OPTIONS_COMPLETE_H

#include <exectrace/base/buf.h>
#include <exectrace/options/command.h>

/* Adds a script for bash 4 or newer; it uses the bash-completion package when that is loaded. 0 or -ENOMEM. */
int complete_bash(struct buf *out, const char *program, const struct command *const *commands);

/* Adds a script for zsh, to be found as _PROGRAM in $fpath or to be sourced. 0 or -ENOMEM. */
int complete_zsh(struct buf *out, const char *program, const struct command *const *commands);

#endif
