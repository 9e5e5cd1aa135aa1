/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <exectrace/base/parent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Tells its pid when it has asked, or (late) is about to ask. */
static void __attribute__((noreturn)) ask(pid_t parent, bool late, int tell)
{
	const pid_t pid = getpid();

	while (late && getppid() == parent)
		usleep(1000);
	if (!late && parent_die_with(parent))
		_exit(2);
	if (write(tell, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		_exit(1);
	if (late && parent_die_with(parent))
		_exit(2);
	sleep(60);
	_exit(3);
}

/* What becomes of a grandchild that asks while its parent is there, or (late) when that has ended. Its status. */
static int grandchild(bool late)
{
	int told[2], status = -1;
	pid_t parent, child = 0;

	if (!CHECK_INT(pipe2(told, O_CLOEXEC), 0))
		return -1;
	parent = fork();
	if (parent == 0) {
		const pid_t self = getpid();

		if (fork() == 0)
			ask(self, late, told[1]);
		while (!late)
			pause();
		_exit(0);
	}
	CHECK_INT(read(told[0], &child, sizeof(child)), (ssize_t)sizeof(child));
	close(told[0]);
	close(told[1]);
	if (!late)
		CHECK_INT(kill(parent, SIGKILL), 0);
	CHECK_INT(waitpid(parent, NULL, 0), parent);
	CHECK_INT(waitpid(child, &status, 0), child);
	return status;
}

int main(void)
{
	int status;
	pid_t pid;

	/* Grandchildren are ours when their parents have ended. */
	CHECK_INT(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	status = grandchild(false);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	status = grandchild(true);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* One whose parent is there goes on. */
	pid = fork();
	if (pid == 0)
		_exit(parent_die_with(getppid()) ? 1 : 7);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	/* Killed and reaped. */
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	parent_end_child(pid);
	CHECK(waitpid(pid, NULL, 0) < 0 && errno == ECHILD);
	return TAP_DONE();
}
