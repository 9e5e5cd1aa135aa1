/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seizer [-k] PID
 * Attaches to PID without stopping it (PTRACE_SEIZE alone) and waits for its end; it passes on each signal but SIGCONT.
 * -k: kills itself as soon as it has attached.
 */
#include "victim.h"
#include <sys/ptrace.h>

int main(int argc, char **argv)
{
	bool killed = argc > 2 && strcmp(argv[1], "-k") == 0;
	int status = 0;
	pid_t pid = 0;

	if (argc < 2)
		usage("seizer [-k] PID");
	pid = (pid_t)atoi(argv[argc - 1]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		die("PTRACE_SEIZE");
	if (killed)
		raise(SIGKILL);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		int sig = status >> 16 || WSTOPSIG(status) == SIGCONT ? 0 : WSTOPSIG(status);

		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)sig);
	}
	printf("%s %d\n", WIFEXITED(status) ? "exit" : "signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}
