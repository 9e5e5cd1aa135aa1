/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm PROCESSES EACH COMMAND [ARG]...
 * PROCESSES at once run COMMAND EACH times one after the other, by vfork and exec. Prints how many runs did not end
 * with 0 and how many could not be started.
 */
#include "victim.h"
#include <sys/mman.h>

struct totals {
	int failed, not_started;
};

static void run_once(char **argv, struct totals *totals)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(VICTIM_BROKEN);
	}
	if (pid < 0)
		__atomic_fetch_add(&totals->not_started, 1, __ATOMIC_RELAXED);
	else if (wait_status(pid) != 0)
		__atomic_fetch_add(&totals->failed, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	struct totals *totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int i, processes, each;

	if (argc < 4)
		usage("storm PROCESSES EACH COMMAND [ARG]...");
	processes = atoi(argv[1]);
	each = atoi(argv[2]);
	for (i = 0; i < processes; i++)
		if (fork() == 0) {
			while (each-- > 0)
				run_once(argv + 3, totals);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	printf("failed %d, not started %d\n", totals->failed, totals->not_started);
	return totals->failed || totals->not_started;
}
