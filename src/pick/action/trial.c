/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/target/tracee/wait.h>
#include <unistd.h>

int trial_begin(struct trial *trial)
{
	char c = 0;

	if (fd_pipe(trial->go, 0))
		return -EMFILE;
	trial->pid = fork();
	if (trial->pid == 0) {
		close(trial->go[1]);
		(void)!read(trial->go[0], &c, 1);
		_exit(TRIAL_STATUS);
	}
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
