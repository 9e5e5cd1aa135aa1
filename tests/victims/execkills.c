/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * execkills N FROM_US TO_US COMMAND [ARG]...: N children that execute COMMAND get SIGSTOP at a moment around that, from
 * FROM_US to TO_US microseconds after their fork, and SIGKILL once they are stopped, or 20 ms later: where they are
 * then they would seldom be met by SIGKILL alone. Prints how many have ended.
 */
#include "victim.h"

/* Waits for its stop for a moment: one that is held by `stop` is not stopped. True when it has ended instead. */
static bool has_ended(pid_t pid)
{
	int status = 0;

	for (int i = 0; i < 20; i++) {
		if (waitpid(pid, &status, WUNTRACED | WNOHANG) == pid)
			return !WIFSTOPPED(status);
		sleep_ms(1);
	}
	return false;
}

int main(int argc, char **argv)
{
	int many = argc > 4 ? atoi(argv[1]) : 0, gone = 0;

	if (!many)
		usage("execkills N FROM_US TO_US COMMAND [ARG]...");
	for (int i = 0; i < many; i++) {
		long from = atol(argv[2]), to = atol(argv[3]);
		struct timespec moment = {0, (from + (to - from) * i / many) * 1000};
		pid_t pid = fork();

		if (pid == 0) {
			execv(argv[4], argv + 4);
			die(argv[4]);
		}
		nanosleep(&moment, NULL);
		kill(pid, SIGSTOP);
		if (has_ended(pid)) {
			gone++;
			continue;
		}
		kill(pid, SIGKILL);
		gone += waitpid(pid, NULL, 0) == pid;
	}
	printf("%d gone\n", gone);
	return 0;
}
