/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sigchld COMMAND [ARG]...
 * Takes every SIGCHLD with its details: runs COMMAND 20 times one after the other, stops and continues another child,
 * and prints the signals in the order in which they came.
 */
#include "victim.h"

static void take(const sigset_t *set, pid_t pid)
{
	siginfo_t info;

	if (sigwaitinfo(set, &info) < 0) /* one that never comes is for whoever limits the run */
		printf("no SIGCHLD: %s\n", errno_name(errno));
	else
		printf("code %d status %d pid %s uid %s\n", info.si_code, info.si_status,
		       info.si_pid == pid ? "right" : "wrong", info.si_uid == getuid() ? "right" : "wrong");
}

static pid_t start(char **argv)
{
	sigset_t none;
	pid_t pid = fork();

	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (!argv)
			for (;;)
				pause();
		execvp(argv[0], argv);
		_exit(VICTIM_BROKEN);
	}
	return pid;
}

int main(int argc, char **argv)
{
	struct timespec now = {0, 0};
	sigset_t set;
	pid_t pid;
	int i;

	if (argc < 2)
		usage("sigchld COMMAND [ARG]...");
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < 20; i++) {
		pid = start(argv + 1);
		take(&set, pid);
		wait_status(pid);
	}
	pid = start(NULL);
	kill(pid, SIGSTOP);
	take(&set, pid);
	kill(pid, SIGCONT);
	take(&set, pid);
	kill(pid, SIGKILL);
	take(&set, pid);
	wait_status(pid);
	printf("one too many: %s\n", sigtimedwait(&set, NULL, &now) < 0 ? "no" : "yes");
	return 0;
}
