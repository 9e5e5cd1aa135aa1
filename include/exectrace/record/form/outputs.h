/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace is written to, beside one file: a command, or a file for each thread. */
#ifndef EXECTRACE_RECORD_FORM_OUTPUTS_H
#define EXECTRACE_RECORD_FORM_OUTPUTS_H

#include <stdbool.h>
#include <sys/types.h>

/* A file for each thread: NAME.TID. */
struct outputs {
	const char *name;
	int directory; /* of the files, which then get the last part of the name; 0: none is given. It stays open. */
	bool appends;  /* to files that are there */
};

/* Whether a name is a command: the shell's, behind a | or an exclamation mark. */
bool outputs_is_command(const char *name);

/* Starts a command that reads what is written to the descriptor that is returned. Descriptor and *pid, or -errno. */
int outputs_command(const char *command, pid_t *pid);

/* Opens the file of a thread. A descriptor or -errno. */
int outputs_open(const struct outputs *outputs, pid_t tid);

#endif
