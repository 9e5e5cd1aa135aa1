/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waitstatus [-t SECONDS] [-p PIDFILE] [-g] FILE COMMAND [ARG]...
 * Runs COMMAND and writes its raw wait status to FILE: what a parent sees, the core flag included. A command that lasts
 * longer than SECONDS is killed. -p: the child's pid goes to PIDFILE. -g: the child gets a process group of its own. A
 * FILE of "-" is standard output.
 */
#include "victim.h"
#include <poll.h>
#include <sys/syscall.h>

struct options {
	int seconds;
	bool group;
	const char *pidfile;
	const char *file;
};

static void write_pid(const char *name, pid_t pid)
{
	char temporary[4096];
	FILE *file;

	snprintf(temporary, sizeof(temporary), "%s.new", name);
	file = fopen(temporary, "we");
	if (!file)
		die(temporary);
	fprintf(file, "%d\n", (int)pid);
	fclose(file);
	if (rename(temporary, name) < 0)
		die(name);
}

/* True when it ended in time; a pidfd needs no signal handler, so the child inherits all signals as they were. */
static bool wait_end(pid_t pid, int seconds)
{
	struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int n;

	if (end.fd < 0)
		die("pidfd_open");
	fcntl(end.fd, F_SETFD, FD_CLOEXEC);
	while ((n = poll(&end, 1, seconds * 1000)) < 0 && errno == EINTR)
		;
	close(end.fd);
	return n > 0;
}

static pid_t start(const struct options *o, char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	signal(SIGINT, SIG_DFL); /* a shell without job control ignores them for what it starts behind */
	signal(SIGQUIT, SIG_DFL);
	if (o->group)
		setpgid(0, 0);
	execvp(argv[0], argv);
	fprintf(stderr, "waitstatus: %s: %s\n", argv[0], strerror(errno));
	_exit(VICTIM_BROKEN);
}

int main(int argc, char **argv)
{
	struct options o = {.seconds = 30};
	int opt, status;
	bool ended;
	FILE *file;
	pid_t pid;

	while ((opt = getopt(argc, argv, "+gp:t:")) != -1) {
		if (opt == 'g')
			o.group = true;
		else if (opt == 'p')
			o.pidfile = optarg;
		else if (opt == 't')
			o.seconds = atoi(optarg);
		else
			usage("waitstatus [-t SECONDS] [-p PIDFILE] [-g] FILE COMMAND [ARG]...");
	}
	if (argc - optind < 2)
		usage("waitstatus [-t SECONDS] [-p PIDFILE] [-g] FILE COMMAND [ARG]...");
	pid = start(&o, argv + optind + 1);
	if (o.pidfile)
		write_pid(o.pidfile, pid);
	ended = wait_end(pid, o.seconds);
	if (!ended)
		kill(pid, SIGKILL);
	status = wait_status(pid);
	file = strcmp(argv[optind], "-") == 0 ? stdout : fopen(argv[optind], "we");
	if (!file)
		die(argv[optind]);
	if (ended)
		fprintf(file, "raw 0x%04x ", status), print_status(file, status);
	else
		fprintf(file, "timed out after %d s\n", o.seconds);
	return 0;
}
