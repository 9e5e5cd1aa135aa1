/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * killrace [-s SIGNAL] N COMMAND [ARG]...
 * Signals children (SIGKILL) around their exec, at a moment that moves from before to after it, N times: every one must
 * die at once of that signal or have ended before it, and none may hang.
 */
#include "victim.h"

static _Noreturn void run(char **command)
{
	execvp(command[0], command);
	_exit(VICTIM_BROKEN);
}

int main(int argc, char **argv)
{
	int i, n, killed = 0, ended = 0, other = 0, status, sig = SIGKILL;
	struct timespec delay = {0, 0};
	pid_t pid;

	if (argc > 3 && strcmp(argv[1], "-s") == 0) {
		sig = atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 3)
		usage("killrace [-s SIGNAL] N COMMAND [ARG]...");
	n = atoi(argv[1]);
	for (i = 0; i < n; i++) {
		pid = fork();
		if (pid == 0)
			run(argv + 2);
		delay.tv_nsec = (long)i * 2000000 / n;
		nanosleep(&delay, NULL);
		kill(pid, sig);
		status = wait_status(pid);
		killed += status == sig;
		ended += status == 0;
		other += status != sig && status != 0;
	}
	printf("%d children: %s\n", n, killed + ended == n && !other ? "all killed or ended" : "something else");
	fprintf(stderr, "killrace: %d killed, %d ended\n", killed, ended);
	return other != 0;
}
