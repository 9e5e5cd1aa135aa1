/* SPDX-License-Identifier: GPL-2.0-or-later */
/* storm N PROGRAM [ARG]...: runs PROGRAM N times, one after the other, and prints the seconds that took. */
#include "now.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv)
{
	int i, n = argc > 2 ? atoi(argv[1]) : 0;
	double start = now();

	for (i = 0; i < n; i++) {
		int status;
		pid_t pid;

		if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ) || waitpid(pid, &status, 0) != pid ||
		    status != 0)
			return 1;
	}
	printf("%.6f\n", now() - start);
	return n < 1;
}
