/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The controlling terminal, lent to one interactive tool at a time. */
#ifndef EXECTRACE_PICK_RUN_TERMINAL_H
#define EXECTRACE_PICK_RUN_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct terminal {
	int fd; /* /dev/tty; -1: there is none */
	bool lent;
	pid_t home; /* foreground process group before it was lent */
	struct termios modes;
	pid_t stopped[16]; /* processes of the tree that were stopped for wanting it meanwhile */
	unsigned stoppeds;
};

/* Opens it, if there is one. 0, also without; -errno when something is short. */
int terminal_open(struct terminal *terminal);

/* True when it can be lent now. */
bool terminal_free(const struct terminal *terminal);

/* Remembers how it is, before a tool takes it. 0 or -errno. */
int terminal_lend(struct terminal *terminal);

/* Makes process group `group` its foreground (once the tool is there). */
void terminal_to(struct terminal *terminal, pid_t group);

/* Gives it back to the tree as it was. */
void terminal_return(struct terminal *terminal);

void terminal_close(struct terminal *terminal);

#endif
