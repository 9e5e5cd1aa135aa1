/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptracer COMMAND [ARG]...
 * A small tracer: its child asks to be traced (PTRACE_TRACEME) and executes COMMAND. Prints the errno of the request,
 * the stop at the exec, and the end.
 */
#include "victim.h"
#include <sys/ptrace.h>

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 2)
		usage("ptracer COMMAND [ARG]...");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
			fprintf(stderr, "PTRACE_TRACEME: %s\n", errno_name(errno));
			_exit(1);
		}
		execvp(argv[1], argv + 1);
		_exit(VICTIM_BROKEN);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		printf("stopped by %d\n", WSTOPSIG(status));
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	print_status(stdout, status);
	return 0;
}
