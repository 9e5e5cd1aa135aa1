/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchstops [-c] [-g] COMMAND [ARG]...
 * A parent that looks at every change of its child's state, as a job-control shell or a test harness does: it prints
 * each event that waitid reports. -c: continues the child 20 ms after each stop. -g: the child gets a process group of
 * its own, so that terminal stop signals stop it.
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

/* Prints one event; false when it was the last. */
static bool watch(pid_t pid, bool go_on)
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
	return info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED || info.si_code == CLD_TRAPPED;
}

int main(int argc, char **argv)
{
	bool go_on = false, group = false;
	pid_t pid;
	int opt;

	while ((opt = getopt(argc, argv, "+cg")) != -1) {
		go_on |= opt == 'c';
		group |= opt == 'g';
	}
	if (optind >= argc)
		usage("watchstops [-c] [-g] COMMAND [ARG]...");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		if (group)
			setpgid(0, 0);
		execvp(argv[optind], argv + optind);
		_exit(VICTIM_BROKEN);
	}
	while (watch(pid, go_on))
		;
	return 0;
}
