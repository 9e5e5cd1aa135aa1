/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/action/start.h>

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/parent.h>
#include <exectrace/target/process/procdir.h>
#include <exectrace/target/process/procfs.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define FDS 256 /* a tool has a perf event among the first of its descriptors */

static void take_terminal(int tty)
{
	sigset_t ttou;

	/* From the background, tcsetpgrp is stopped by SIGTTOU unless that is blocked (tcsetpgrp(3)). */
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, NULL);
	tcsetpgrp(tty, getpid());
	for (int fd = 0; fd <= 2; fd++)
		dup2(tty, fd);
}

static void __attribute__((noreturn)) be_tool(const char *program, char *const *argv, const struct start_setup *setup)
{
	setpgid(0, 0);
	if (setup->tty >= 0) {
		take_terminal(setup->tty);
	} else {
		fd_null(0, O_RDONLY);
		dup2(2, 1);
	}
	if (setup->socket >= 0)
		(void)fcntl(setup->socket, F_SETFD, 0);
	if (setup->directory >= 0)
		(void)fcntl(setup->directory, F_SETFD, 0);
	setpriority(PRIO_PROCESS, 0, setup->nice);
	if (setup->files)
		setrlimit(RLIMIT_NOFILE, setup->files);
	sigaction(SIGCHLD, setup->chld, NULL);
	if (sigprocmask(SIG_SETMASK, setup->mask, NULL)) /* it would hear of no signal */
		_exit(127);
	execv(program, argv);
	_exit(127);
}

pid_t start_tool(const char *program, char *const *argv, const struct start_setup *setup)
{
	pid_t pid = fork();

	if (pid == 0)
		be_tool(program, argv, setup);
	if (pid < 0)
		return -errno;
	setpgid(pid, pid); /* both sides do it: whoever comes first */
	return pid;
}

pid_t start_handle(void)
{
	const pid_t supervisor = getpid();
	pid_t pid = fork();
	sigset_t term;

	if (pid != 0)
		return pid < 0 ? -errno : pid;
	setpgid(0, 0);
	prctl(PR_SET_NAME, "exectrace-stop", 0, 0, 0);
	(void)parent_die_with(supervisor);
	fd_close_all_but(NULL, 0);
	sigfillset(&term);
	sigdelset(&term, SIGTERM);
	sigdelset(&term, SIGINT);
	sigdelset(&term, SIGHUP);
	sigprocmask(SIG_SETMASK, &term, NULL);
	for (;;)
		pause();
}

static int see_perf_event(void *user, pid_t tool, int fd)
{
	cleanup_buf struct buf target = BUF_INIT;
	char name[32];

	(void)user;
	snprintf(name, sizeof(name), "fd/%d", fd);
	return proc_link(tool, name, &target) == 0 && strcmp(target.data, "anon_inode:[perf_event]") == 0;
}

/* True when one of the tool's descriptors is a perf event (perf_event_open(2)). */
static bool has_perf_event(pid_t tool)
{
	int found = proc_fds(tool, see_perf_event, NULL);

	if (found < 0 && found != -ESRCH) { /* without memory for the list of them */
		found = 0;
		for (int fd = 0; fd < FDS && !found; fd++)
			found = see_perf_event(NULL, tool, fd);
	}
	return found == 1;
}

bool start_sleeps(pid_t pid)
{
	struct proc_status status;

	return proc_status(pid, &status) == 0 && status.signals.state == 'S';
}

bool start_attached(const struct action *action, pid_t pid, pid_t tool)
{
	pid_t tracer = 0;

	/* It has all its events when it sleeps after the first one. */
	if ((action->ready & READY_PERF) && has_perf_event(tool) && start_sleeps(tool))
		return true;
	if (!(action->ready & READY_TRACER))
		return false;
	tracer = proc_tracer(pid);
	if (tracer <= 0)
		return false;
	return !(action->ready & READY_SETTLED) || start_sleeps(tracer);
}
