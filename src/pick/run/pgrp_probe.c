/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <exectrace/pick/run/pgrp_probe.h>

#include <errno.h>
#include <exectrace/base/fd.h>
#include <exectrace/base/parent.h>
#include <exectrace/pick/action/process.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 3         /* kill(2) signals the processes of a group one after the other */
#define WAIT_LONG_MS 2000 /* for one that has it, and has not been able to say so */

/* The order to look after a process, with its pid; negative: for a tracer; 0: not any more. No program sends it to a
 * group. */
#define WATCH (SIGRTMIN + 9)

struct post {
	int out;
	pid_t supervisor;
	pid_t root; /* to look after, 0: none */
	bool tracer;
};

/* what: the number of a signal, or -enum pgrp_probe_woke */
static void say(const struct post *post, int what)
{
	if (fd_write_all(post->out, &what, sizeof(what)))
		_exit(0);
}

/* The supervisor may not have stopped yet: then it would not hear of it. */
static void look_after(struct post *post)
{
	enum pgrp_probe_woke why = SENTINEL_SLEPT;

	if (!process_is_stopped(post->supervisor))
		return;
	if (process_was_continued(post->root))
		why = SENTINEL_CONTINUED;
	else if (post->tracer && process_pends(post->supervisor, SIGCHLD))
		why = SENTINEL_NEEDED;
	if (why == SENTINEL_SLEPT)
		return;
	say(post, -(int)why);
	kill(post->supervisor, SIGCONT);
	post->root = 0;
}

static void hear(struct post *post, const siginfo_t *info)
{
	if (info->si_signo == WATCH && info->si_code == SI_QUEUE && info->si_pid == post->supervisor) {
		post->root = abs(info->si_value.sival_int);
		post->tracer = info->si_value.sival_int < 0;
	} else if (info->si_code <= 0) {
		say(post, info->si_signo);
	}
}

static void __attribute__((noreturn)) stand(int out, pid_t supervisor)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	struct post post = {.out = out, .supervisor = supervisor};
	const int keep[1] = {out};
	siginfo_t info;
	sigset_t all;
	int err = parent_die_with(supervisor);

	prctl(PR_SET_NAME, "exectrace-sig", 0, 0, 0);
	if (!err && chdir("/"))
		err = -errno;
	fd_close_all_but(keep, 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (fd_write_all(out, &err, sizeof(err)) || err)
		_exit(1);
	for (;;) {
		int sig = post.root ? sigtimedwait(&all, &info, &moment) : sigwaitinfo(&all, &info);

		if (sig > 0)
			hear(&post, &info);
		if (post.root)
			look_after(&post);
	}
}

int pgrp_probe_start(struct pgrp_probe *pgrp_probe)
{
	pid_t self = getpid();
	int ends[2];
	int err = fd_pipe(ends, O_NONBLOCK);

	*pgrp_probe = (struct pgrp_probe){.fd = -1};
	if (err)
		return err;
	pgrp_probe->pid = fork();
	if (pgrp_probe->pid == 0)
		stand(ends[1], self);
	fd_close(&ends[1]);
	if (pgrp_probe->pid < 0) {
		err = -errno;
		pgrp_probe->pid = 0;
		fd_close(&ends[0]);
		return err;
	}
	pgrp_probe->fd = ends[0];
	return 0;
}

int pgrp_probe_ready(struct pgrp_probe *pgrp_probe)
{
	int said = -ECHILD;
	long n = fd_read_all(pgrp_probe->fd, &said, sizeof(said));

	return n < 0 ? (int)n : said;
}

static void drain(struct pgrp_probe *pgrp_probe)
{
	int got = 0;

	while (read(pgrp_probe->fd, &got, sizeof(got)) == (ssize_t)sizeof(got)) {
		if (got < 0)
			pgrp_probe->woke = (enum pgrp_probe_woke)(-got);
		if (got > 0 && got < (int)(sizeof(pgrp_probe->got) / sizeof(pgrp_probe->got[0])))
			pgrp_probe->got[got] = true;
	}
}

bool pgrp_probe_got(struct pgrp_probe *pgrp_probe, int sig)
{
	struct pollfd fd = {.fd = pgrp_probe->fd, .events = POLLIN};
	bool got = false;

	if (!pgrp_probe->pid)
		return false;
	for (int i = 0; i < WAIT_LONG_MS; i++) {
		drain(pgrp_probe);
		if (pgrp_probe->got[sig] || (i >= WAIT_MS && !process_has_signal(pgrp_probe->pid, sig)))
			break;
		if (poll(&fd, 1, 1) < 0 || (fd.revents & POLLHUP))
			break;
	}
	drain(pgrp_probe);
	got = pgrp_probe->got[sig];
	pgrp_probe->got[sig] = false;
	return got;
}

void pgrp_probe_again(struct pgrp_probe *pgrp_probe)
{
	int err = 0;

	drain(pgrp_probe);
	fd_close(&pgrp_probe->fd);
	err = pgrp_probe_start(pgrp_probe);
	if (!err && pgrp_probe_ready(pgrp_probe))
		pgrp_probe_stop(pgrp_probe);
}

static bool was_killed(const struct pgrp_probe *pgrp_probe)
{
	struct pollfd fd = {.fd = pgrp_probe->fd};

	return poll(&fd, 1, 0) == 1 && (fd.revents & POLLHUP);
}

bool pgrp_probe_watch(struct pgrp_probe *pgrp_probe, pid_t root, bool tracer)
{
	if (pgrp_probe->pid && was_killed(pgrp_probe))
		pgrp_probe_again(pgrp_probe); /* its end is still to be reaped */
	pgrp_probe->woke = SENTINEL_SLEPT;
	return pgrp_probe->pid &&
	       sigqueue(pgrp_probe->pid, WATCH, (union sigval){.sival_int = tracer ? -root : root}) == 0;
}

enum pgrp_probe_woke pgrp_probe_woke(struct pgrp_probe *pgrp_probe)
{
	if (!pgrp_probe->pid)
		return SENTINEL_SLEPT;
	(void)sigqueue(pgrp_probe->pid, WATCH, (union sigval){.sival_int = 0});
	drain(pgrp_probe);
	return pgrp_probe->woke;
}

void pgrp_probe_stop(struct pgrp_probe *pgrp_probe)
{
	if (pgrp_probe->pid)
		parent_end_child(pgrp_probe->pid);
	pgrp_probe->pid = 0;
	fd_close(&pgrp_probe->fd);
}
