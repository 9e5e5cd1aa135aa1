/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchstops [-c] [-g] COMMAND [ARG]...
 * A parent that looks at every change of its child's state, as a job-control shell or a test harness does: it prints
 * each event that waitid reports. -c: continues the child 20 ms after each stop. -g: the child gets a process group of
 * its own, so that terminal stop signals stop it. After each continuation that it was told of, a byte goes into a pipe,
 * whose read end has the number WATCH_FD for the child.
 */
#include "victim.h"

static const char *event_name(int code)
{
	switch (code) {
	case CLD_EXITED:
		return "exited";
	case CLD_KILLED:
		return "killed";
	case CLD_DUMPED:
		return "dumped";
	case CLD_STOPPED:
		return "stopped";
	case CLD_CONTINUED:
		return "continued";
	case CLD_TRAPPED:
		return "trapped";
	default:
		return "?";
	}
}

/* Prints one event and tells `told` of a continuation; false when it was the last. */
static bool watch(pid_t pid, bool go_on, int told)
{
	siginfo_t info;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WCONTINUED) < 0)
		die("waitid");
	printf("%s %d\n", event_name(info.si_code), info.si_status);
	fflush(stdout);
	if (info.si_code == CLD_STOPPED && go_on) {
		sleep_ms(20);
		kill(pid, SIGCONT);
	}
	if (info.si_code == CLD_CONTINUED && write(told, "", 1) != 1)
		die("write");
	return info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED || info.si_code == CLD_TRAPPED;
}

int main(int argc, char **argv)
{
	bool go_on = false, group = false;
	char number[16];
	int ends[2];
	pid_t pid;
	int opt;

	while ((opt = getopt(argc, argv, "+cg")) != -1) {
		go_on |= opt == 'c';
		group |= opt == 'g';
	}
	if (optind >= argc)
		usage("watchstops [-c] [-g] COMMAND [ARG]...");
	if (pipe(ends) < 0)
		die("pipe");
	snprintf(number, sizeof(number), "%d", ends[0]);
	setenv("WATCH_FD", number, 1);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		close(ends[1]);
		if (group)
			setpgid(0, 0);
		execvp(argv[optind], argv + optind);
		_exit(VICTIM_BROKEN);
	}
	while (watch(pid, go_on, ends[1]))
		;
	return 0;
}
