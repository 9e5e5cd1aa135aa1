/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nsform NAMESPACES COMMAND [ARG]...
 * Runs COMMAND as a child in new namespaces (a list of user, pid, mnt, net, uts, ipc) and prints its wait status. In a
 * new pid namespace the child is pid 1. Exits with 77 when the kernel allows no such namespace here.
 */
#include "victim.h"
#include <sched.h>

static int namespace_flags(const char *list)
{
	static const struct {
		const char *name;
		int flag;
	} names[] = {
		{"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"mnt", CLONE_NEWNS},
		{"net", CLONE_NEWNET},   {"uts", CLONE_NEWUTS}, {"ipc", CLONE_NEWIPC},
	};
	int flags = 0;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(list, names[i].name))
			flags |= names[i].flag;
	return flags;
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc < 3)
		usage("nsform NAMESPACES COMMAND [ARG]...");
	if (unshare(namespace_flags(argv[1])) < 0) {
		printf("unshare: %s\n", errno_name(errno));
		return 77;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		printf("pid is 1: %s\n", getpid() == 1 ? "yes" : "no");
		fflush(stdout);
		execvp(argv[2], argv + 2);
		printf("execvp: %s\n", errno_name(errno));
		exit(127);
	}
	print_status(stdout, wait_status(pid));
	return 0;
}
