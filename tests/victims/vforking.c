/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vforking FILE
 * Its child of vfork waits until FILE is there; until then the parent is where no signal but SIGKILL reaches it.
 */
#include "victim.h"

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc != 2)
		usage("vforking FILE");
	printf("%d\n", (int)getpid());
	fflush(stdout);
	pid = vfork();
	if (pid == 0) {
		while (access(argv[1], F_OK) != 0)
			sleep_ms(10);
		_exit(3);
	}
	print_status(stdout, wait_status(pid));
	return 4;
}
