/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/parent.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/pidfd.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define END_MS 200

int parent_die_with(pid_t parent)
{
	int err = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ? -errno : 0;

	if (getppid() != parent) /* it ended before that */
		_exit(0);
	return err;
}

void parent_end_child(pid_t child)
{
	cleanup_fd int fd = pidfd_of(child);
	struct pollfd end = {.fd = fd, .events = POLLIN};

	if (kill(child, SIGKILL) == 0 && fd >= 0)
		(void)poll(&end, 1, END_MS);
	(void)waitpid(child, NULL, WNOHANG);
}
