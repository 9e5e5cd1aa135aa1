/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp FILE PROGRAM [ARG]...: adds the line "PID exec SECONDS" to FILE and executes PROGRAM. */
#include "now.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return 2;
	dprintf(fd, "%d exec %.9f\n", getpid(), now());
	execv(argv[2], argv + 2);
	return 127;
}
