/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/base/parent.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

int parent_die_with(pid_t parent)
{
	int err = prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) ? -errno : 0;

	if (getppid() != parent) /* it ended before that */
		_exit(0);
	return err;
}
