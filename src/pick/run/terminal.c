/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/run/terminal.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int terminal_open(struct terminal *terminal)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	int err = fd < 0 ? errno : 0;

	*terminal = (struct terminal){.fd = -1};
	if (err)
		return err == EMFILE || err == ENFILE || err == ENOMEM ? -err : 0;
	fd = fd_high(fd);
	if (fd < 0)
		return fd;
	terminal->fd = fd;
	return 0;
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
