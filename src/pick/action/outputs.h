/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file a tool writes, told by its words. */
#ifndef EXECTRACE_SRC_PICK_ACTION_OUTPUTS_H
#define EXECTRACE_SRC_PICK_ACTION_OUTPUTS_H

#include <exectrace/pick/action/action.h>

/* How a tool's words are to be read: as getopt_long(3) reads them. -o and --output name the file. */
struct output_options {
	const char *valued;     /* letters that take a value, in the rest of their word or in the next one */
	char separate;          /* letter which given twice makes a file NAME.PID for each process; 0: none */
	const char *separately; /* the long option for that, NULL: none */
	const char *appends[2]; /* options with which it adds to a file that was there, NULL: none */
	bool pipes;             /* a name that begins with | or ! is a command */
};

extern const struct output_options strace_outputs, ltrace_outputs, perf_outputs;

/* Sets output and output_each of an action by its args, of which the first is the program. 0 or -ENOMEM. */
int outputs_find(struct action *action, const struct output_options *how);

#endif
