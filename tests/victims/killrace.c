/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * killrace N COMMAND [ARG]...
 * Kills children around their exec, at a moment that moves from before to after it, N times: every one must die at once
 * of that signal or have ended before it, and none may hang.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	int i, n, killed = 0, ended = 0, other = 0, status;
	struct timespec delay = {0, 0};
	pid_t pid;

	if (argc < 3)
		usage("killrace N COMMAND [ARG]...");
	n = atoi(argv[1]);
	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid == 0) {
			execvp(argv[2], argv + 2);
			_exit(VICTIM_BROKEN);
		}
		delay.tv_nsec = (long)i * 2000000 / n;
		nanosleep(&delay, NULL);
		kill(pid, SIGKILL);
		status = wait_status(pid);
		killed += status == SIGKILL;
		ended += status == 0;
		other += status != SIGKILL && status != 0;
	}
	printf("%d children: %s\n", n, killed + ended == n && !other ? "all killed or ended" : "something else");
	fprintf(stderr, "killrace: %d killed, %d ended\n", killed, ended);
	return other != 0;
}
