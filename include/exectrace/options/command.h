/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command of a program, as data: what help and completion need to know of it, and the function that does it. */
#ifndef EXECTRACE_OPTIONS_COMMAND_H
#define EXECTRACE_OPTIONS_COMMAND_H

#include <exectrace/options/options.h>
#include <stdbool.h>

#define PROGRAM "exectrace"

struct command {
	const char *name;
	const char *args;                  /* what follows the name in the usage line */
	const char *summary;               /* one line for lists of commands */
	const char *about;                 /* more lines, each ended by a newline; may be NULL */
	const struct option_spec *options; /* its table */
	const char *(*words)(size_t i);  /* what its first argument may be, as in struct option_spec; NULL: anything */
	bool takes_file;                 /* its first argument is a file or a directory */
	bool runs_program;               /* its arguments are the command line of a program */
	int (*run)(char **argv, int at); /* does it; argv[at] is the first argument after its name. The exit status */
};

#endif
