/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/kerrno.h>
#include <exectrace/base/pidfd.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static void test_restarts(void)
{
	CHECK(is_restart(-ERESTARTSYS) && is_restart(-ERESTARTNOINTR) && is_restart(-ERESTARTNOHAND));
	CHECK(is_restart(-ERESTART_RESTARTBLOCK));
	CHECK(!is_restart(-ENOIOCTLCMD) && !is_restart(0) && !is_restart(ERESTARTSYS) && !is_restart(-EINTR));
	CHECK(!is_restart(-511) && !is_restart(-517));
}

int main(void)
{
	pid_t pid = fork(), parent = 0;
	int fd = -1, rc, status = 0;

	if (pid == 0) {
		for (;;)
			pause();
	}
	test_restarts();
	fd = pidfd_of(pid);
	if (!CHECK(fd > STDERR_FILENO))
		return TAP_DONE();
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	CHECK(pidfd_exists(fd) && !pidfd_exists(-1));
	rc = pidfd_parent(fd, &parent);
	CHECK(rc == -ENOTTY || rc == -EINVAL || (rc == 0 && parent == getpid()));
	CHECK(pidfd_exit_status(fd, &status) != 0); /* it runs */
	CHECK_INT(kill(pid, SIGKILL), 0);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
	CHECK(!pidfd_exists(fd));
	CHECK(pidfd_parent(fd, &parent) < 0);
	rc = pidfd_exit_status(fd, &status);
	CHECK(rc == -ENOTSUP || (rc == 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	printf("# how it ended: %d, %#x\n", rc, (unsigned)status);
	CHECK_INT(pidfd_of(pid), -ESRCH);
	fd_close(&fd);
	return TAP_DONE();
}
