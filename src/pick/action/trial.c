/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/tracee/wait.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In our memory, which a fork would have to copy, and with our errno: nothing but calls that succeed. */
static int be_trial(void *arg)
{
	const struct trial *trial = arg;
	char c = 0;

	syscall(SYS_close, trial->its[1]);
	syscall(SYS_read, trial->its[0], &c, 1);
	syscall(SYS_exit, TRIAL_STATUS);
	return TRIAL_STATUS;
}

int trial_begin(struct trial *trial)
{
	if (fd_pipe(trial->go, 0))
		return -EMFILE;
	memcpy(trial->its, trial->go, sizeof(trial->its));
	trial->pid = clone(be_trial, trial->stack + sizeof(trial->stack), CLONE_VM | SIGCHLD, trial);
	fd_close(&trial->go[0]);
	if (trial->pid > 0)
		return 0;
	fd_close(&trial->go[1]);
	return -EAGAIN;
}

void trial_end(struct trial *trial)
{
	struct wait_event ev;

	fd_close(&trial->go[1]);
	(void)wait_for(trial->pid, &ev);
}
