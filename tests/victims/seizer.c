/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seizer [-k|-l] PID
 * Attaches to PID without stopping it (PTRACE_SEIZE alone) and waits for its end; it passes on each signal but SIGCONT.
 * -k: kills itself as soon as it has attached. -l: computes for 0.3 s after its attach and stops the process then, as
 * on a busy machine; it says so when that was too late.
 */
#include "victim.h"
#include <sys/ptrace.h>
#include <time.h>

static void stop_late(pid_t pid)
{
	clock_t until = clock() + CLOCKS_PER_SEC * 3 / 10;
	char path[32], text[256] = "";
	FILE *file;

	while (clock() < until)
		;
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL))
		die("PTRACE_INTERRUPT");
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (file && fgets(text, sizeof(text), file) && strstr(text, ") Z "))
		puts("it has ended");
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	bool killed = argc > 2 && strcmp(argv[1], "-k") == 0, late = argc > 2 && strcmp(argv[1], "-l") == 0;
	int status = 0;
	pid_t pid = 0;

	if (argc < 2)
		usage("seizer [-k|-l] PID");
	pid = (pid_t)atoi(argv[argc - 1]);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL))
		die("PTRACE_SEIZE");
	if (killed)
		raise(SIGKILL);
	if (late)
		stop_late(pid);
	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		int sig = status >> 16 || WSTOPSIG(status) == SIGCONT ? 0 : WSTOPSIG(status);

		ptrace(PTRACE_CONT, pid, NULL, (void *)(long)sig);
	}
	printf("%s %d\n", WIFEXITED(status) ? "exit" : "signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return 0;
}
