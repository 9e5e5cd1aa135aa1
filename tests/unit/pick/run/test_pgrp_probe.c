/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals to our group and to us alone are told apart. The test is in a process group of its own, with all signals
 * blocked, as the supervisor is.
 */
#include "program.h"
#include "tap.h"
#include <exectrace/pick/run/pgrp_probe.h>

/* Takes a pending signal away. */
static void take(int sig)
{
	const struct timespec none = {0};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	CHECK_INT(sigtimedwait(&set, NULL, &none), sig);
}

static void start(struct pgrp_probe *s)
{
	CHECK_INT(pgrp_probe_start(s), 0);
	CHECK_INT(pgrp_probe_ready(s), 0);
	CHECK(s->pid > 0 && s->fd > 2 && fcntl(s->fd, F_GETFD) == FD_CLOEXEC);
	CHECK(reaches_state(s->pid, "S"));
	nap(20);
}

/* A signal to the group, which has reached the pgrp_probe when this returns: a busy machine may take its time. */
static void to_group(const struct pgrp_probe *s, int sig)
{
	struct pollfd fd = {.fd = s->fd, .events = POLLIN};

	kill(0, sig);
	CHECK_INT(poll(&fd, 1, 5000), 1);
	nap(10);
}

static void stop(struct pgrp_probe *s)
{
	pid_t pid = s->pid;

	pgrp_probe_stop(s);
	CHECK_INT(s->fd, -1);
	CHECK(waitpid(pid, NULL, 0) < 0 && errno == ECHILD);
}

static void telling_apart(void)
{
	static const int sigs[] = {SIGUSR1, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCONT, SIGWINCH, SIGTSTP, SIGTTOU};
	struct pgrp_probe s;

	start(&s);
	CHECK_INT(getpgid(s.pid), getpgrp());
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		to_group(&s, sigs[i]);
		take(sigs[i]);
		CHECK(pgrp_probe_got(&s, sigs[i]));
		CHECK(!pgrp_probe_got(&s, sigs[i]));
		kill(getpid(), sigs[i]);
		take(sigs[i]);
		CHECK(!pgrp_probe_got(&s, sigs[i]));
	}
	to_group(&s, SIGUSR1);
	take(SIGUSR1);
	CHECK(!pgrp_probe_got(&s, SIGUSR2));
	stop(&s);
}

/* Two signals to the group, and we come to the later one first: none of them was for us alone. */
static void out_of_order(void)
{
	struct pgrp_probe s;

	start(&s);
	to_group(&s, SIGCONT);
	to_group(&s, SIGTERM);
	take(SIGTERM);
	CHECK(pgrp_probe_got(&s, SIGTERM));
	take(SIGCONT);
	CHECK(pgrp_probe_got(&s, SIGCONT));
	stop(&s);
}

/* Sent to the group twice and seen by us once, as two of a kind that are pending are one; the next is for us alone. */
static void repeated(void)
{
	struct pgrp_probe s;

	start(&s);
	to_group(&s, SIGUSR1);
	to_group(&s, SIGUSR1);
	take(SIGUSR1);
	CHECK(pgrp_probe_got(&s, SIGUSR1));
	kill(getpid(), SIGUSR1);
	take(SIGUSR1);
	CHECK(!pgrp_probe_got(&s, SIGUSR1));
	stop(&s);
}

/* It is gone, or never was: no signal was the group's. */
static void absent(void)
{
	struct pgrp_probe s, none = {.fd = -1};

	CHECK(!pgrp_probe_got(&none, SIGTERM));
	pgrp_probe_stop(&none);
	start(&s);
	kill(s.pid, SIGKILL);
	CHECK(reaches_state(s.pid, "Z"));
	CHECK(!pgrp_probe_got(&s, SIGTERM));
	stop(&s);
}

/* It holds nothing but its pipe, not even a directory, and ends with us. */
static void footprint(void)
{
	struct pgrp_probe s;
	char name[64], cwd[64] = "";
	struct stat st;
	size_t open_files = 0;
	int ends[2];
	pid_t pid, made = 0;

	start(&s);
	for (int fd = 0; fd < 100; fd++) {
		snprintf(name, sizeof(name), "/proc/%d/fd/%d", (int)s.pid, fd);
		open_files += lstat(name, &st) == 0;
	}
	CHECK_INT(open_files, 1);
	snprintf(name, sizeof(name), "/proc/%d/cwd", (int)s.pid);
	CHECK(readlink(name, cwd, sizeof(cwd) - 1) == 1 && cwd[0] == '/');
	stop(&s);
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = child();
	if (pid == 0) {
		(void)!pgrp_probe_start(&s);
		nap(20);
		(void)!write(ends[1], &s.pid, sizeof(s.pid));
		_exit(0);
	}
	CHECK_INT(read(ends[0], &made, sizeof(made)), sizeof(made));
	end_of(pid);
	for (int i = 0; i < 1000 && state_of(made) && state_of(made) != 'Z'; i++)
		nap(2);
	CHECK(!state_of(made) || state_of(made) == 'Z');
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	sigset_t set;

	scratch_begin(60);
	setpgid(0, 0);
	sigfillset(&set);
	sigdelset(&set, SIGALRM);
	sigprocmask(SIG_SETMASK, &set, NULL);
	telling_apart();
	out_of_order();
	repeated();
	absent();
	footprint();
	return TAP_DONE();
}
