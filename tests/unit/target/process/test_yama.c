/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose doing it is that a process cannot be read; with and without Yama in the kernel. */
#include <exectrace/target/process/yama.h>

#include "tap.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Another user's, as seen by one that is not root. */
static void become_ordinary(void)
{
	if (geteuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		_exit(2);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

static void __attribute__((noreturn)) be_read(bool dumpable, int ready)
{
	pid_t pid = getpid();

	prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
	if (write(ready, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		_exit(2);
	alarm(60);
	for (;;)
		pause();
}

/* A process; orphan: its parent has ended. */
static pid_t make(bool dumpable, bool orphan)
{
	pid_t pid = -1;
	pid_t child = 0;
	int ready[2];

	if (pipe(ready))
		return -1;
	child = fork();
	if (child == 0 && (!orphan || fork() == 0))
		be_read(dumpable, ready[1]);
	if (child == 0)
		_exit(0);
	if (orphan)
		waitpid(child, NULL, 0);
	close(ready[1]);
	if (read(ready[0], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		pid = -1;
	close(ready[0]);
	return pid;
}

static bool refuses(bool dumpable, bool orphan)
{
	pid_t pid = make(dumpable, orphan);
	bool refused = yama_refuses(pid);

	if (pid > 0)
		kill(pid, SIGKILL);
	if (!orphan)
		waitpid(pid, NULL, 0);
	return refused;
}

int main(void)
{
	become_ordinary();
	CHECK(refuses(true, true));   /* its parent has ended */
	CHECK(!refuses(true, false)); /* a child: another reason */
	CHECK(!refuses(false, false));
	CHECK(!refuses(false, true)); /* not dumpable comes first */
	return TAP_DONE();
}
