/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attach PID FILE: the least that a tool does: attaches, adds the line "PID attached SECONDS" to FILE, interrupts what
 * the process is at (as strace does), and lets it run to its end.
 */
#include "now.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
	pid_t pid = argc > 2 ? (pid_t)atol(argv[1]) : 0;
	int status;

	if (fd < 0 || ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		return 2;
	dprintf(fd, "%d attached %.9f\n", pid, now());
	ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		long sig = status >> 16 ? 0 : WSTOPSIG(status);

		ptrace(PTRACE_CONT, pid, NULL, sig);
	}
	return 0;
}
