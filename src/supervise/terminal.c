/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "terminal.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

void terminal_open(struct terminal *terminal)
{
	*terminal = (struct terminal){.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};
	if (terminal->fd >= 0)
		terminal->fd = fd_high(terminal->fd);
}

bool terminal_free(const struct terminal *terminal)
{
	return terminal->fd >= 0 && !terminal->lent;
}

int terminal_lend(struct terminal *terminal)
{
	terminal->home = tcgetpgrp(terminal->fd);
	if (terminal->home < 0 || tcgetattr(terminal->fd, &terminal->modes))
		return -errno;
	terminal->lent = true;
	return 0;
}

void terminal_to(struct terminal *terminal, pid_t group)
{
	/* SIGTTOU is blocked in the supervisor, so this works from the background (tcsetpgrp(3)). */
	tcsetpgrp(terminal->fd, group);
}

void terminal_return(struct terminal *terminal)
{
	if (!terminal->lent)
		return;
	terminal->lent = false;
	tcsetpgrp(terminal->fd, terminal->home);
	tcsetattr(terminal->fd, TCSADRAIN, &terminal->modes);
	for (unsigned i = 0; i < terminal->stoppeds; i++)
		kill(terminal->stopped[i], SIGCONT);
	terminal->stoppeds = 0;
}

void terminal_close(struct terminal *terminal)
{
	terminal_return(terminal);
	fd_close(&terminal->fd);
}
