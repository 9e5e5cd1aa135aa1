/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which program a process was: that of its last exec. */
#ifndef EXECTRACE_ANSWER_RECORDING_PROGRAM_H
#define EXECTRACE_ANSWER_RECORDING_PROGRAM_H

#include <exectrace/answer/recording/tree.h>

/* Its last command line, as one writes it in a shell; "?" when none is known. */
const char *program_command(const struct tree_node *node);

/* Adds its name, without directories: "gcc" of "/usr/bin/gcc -c a.c"; "?" when it has none. 0 or -ENOMEM. */
int program_name(struct buf *out, const struct tree_node *node);

#endif
