/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sentinel.h"

#include <errno.h>
#include <exectrace/action/process.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#define WAIT_MS 3         /* kill(2) signals the processes of a group one after the other */
#define WAIT_LONG_MS 2000 /* for one that has it, and has not been able to say so */

static void __attribute__((noreturn)) stand(int out, pid_t supervisor)
{
	const int keep[1] = {out};
	siginfo_t info;
	sigset_t all;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_NAME, "exectrace-sig", 0, 0, 0);
	if (getppid() != supervisor || chdir("/"))
		_exit(0);
	fd_close_all_but(keep, 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	for (;;) {
		int sig = sigwaitinfo(&all, &info);

		if (sig > 0 && info.si_code <= 0 && fd_write_all(out, &sig, sizeof(sig)))
			_exit(0);
	}
}

int sentinel_start(struct sentinel *sentinel)
{
	pid_t self = getpid();
	int ends[2];
	int err = fd_pipe(ends, O_NONBLOCK);

	*sentinel = (struct sentinel){.fd = -1};
	if (err)
		return err;
	sentinel->pid = fork();
	if (sentinel->pid == 0)
		stand(ends[1], self);
	fd_close(&ends[1]);
	if (sentinel->pid < 0) {
		err = -errno;
		sentinel->pid = 0;
		fd_close(&ends[0]);
		return err;
	}
	sentinel->fd = ends[0];
	return 0;
}

static void drain(struct sentinel *sentinel)
{
	int got = 0;

	while (read(sentinel->fd, &got, sizeof(got)) == (ssize_t)sizeof(got)) {
		if (got > 0 && got < (int)(sizeof(sentinel->got) / sizeof(sentinel->got[0])))
			sentinel->got[got] = true;
	}
}

bool sentinel_got(struct sentinel *sentinel, int sig)
{
	struct pollfd fd = {.fd = sentinel->fd, .events = POLLIN};
	bool got = false;

	if (!sentinel->pid)
		return false;
	for (int i = 0; i < WAIT_LONG_MS; i++) {
		drain(sentinel);
		if (sentinel->got[sig] || (i >= WAIT_MS && !process_has_signal(sentinel->pid, sig)))
			break;
		if (poll(&fd, 1, 1) < 0 || (fd.revents & POLLHUP))
			break;
	}
	drain(sentinel);
	got = sentinel->got[sig];
	sentinel->got[sig] = false;
	return got;
}

void sentinel_stop(struct sentinel *sentinel)
{
	if (sentinel->pid)
		kill(sentinel->pid, SIGKILL);
	fd_close(&sentinel->fd);
}
