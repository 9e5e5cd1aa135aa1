/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command's own process: signals that were meant for it, its stops and its end. */
#include "private.h"

#include <exectrace/action/process.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A process may have something to do when it is told to end, which its tool is there to see. */
#define TOOLS_GRACE (5 * NS_PER_S)
#define END_FOLLOWS (10 * NS_PER_S) /* an end so soon after a signal that asks for it is taken for its effect */

static void to_tools(const struct supervisor *s, int sig)
{
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (job->tool > 0 && !job->has_terminal)
			kill(job->tool, sig);
	}
}

static bool ends(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP;
}

/* A hang-up of the terminal is told to the session's leader alone (tty_signal_session_leader,
 * drivers/tty/tty_jobctrl.c). */
static bool is_hangup(const struct signalfd_siginfo *info)
{
	return info->ssi_signo == SIGHUP && info->ssi_code > 0 && getsid(0) == getpid();
}

/* What the terminal sends (si_code > 0) reaches the command by itself; so does what was sent to our process group. */
static void pass_on(struct supervisor *s, const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;
	union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};

	if (ends(sig) && !s->root_ended) {
		s->end_signal = sig;
		s->end_told = clock_now();
	}
	if (sig == SIGCHLD || (info->ssi_code > 0 && !is_hangup(info)) || info->ssi_pid == (uint32_t)getpid())
		return;
	if (s->root_ended) { /* nothing but tools is waited for: they may be told to end */
		if (ends(sig))
			to_tools(s, sig);
		return;
	}
	if (s->launch.behind)
		return;
	if (!is_hangup(info) && sentinel_got(&s->sentinel, sig) && getpgid(s->launch.root) == getpgrp())
		return;
	if (info->ssi_code == SI_QUEUE)
		sigqueue(s->launch.root, sig, value);
	else
		kill(s->launch.root, sig);
}

static void tell_tools(struct supervisor *s)
{
	err_say(ERR_NOTE, "the command was told to end; its tools are now, too");
	to_tools(s, s->end_signal);
	s->end_signal = 0;
}

void root_signals(struct supervisor *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		pass_on(s, &info);
}

/* Stops ourselves by the same signal, so that our parent sees what the command's parent would have seen. */
static void stop_like(int sig)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	struct sigaction old;
	sigset_t only;
	sigset_t mask;

	sigemptyset(&only);
	sigaddset(&only, sig);
	sigaction(sig, &dfl, &old);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &only, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(sig, &old, NULL);
}

/* We were continued: the command was, too, when the signal was for our process group; else it is to hear of it. */
static void continue_root(struct supervisor *s)
{
	const struct timespec none = {0};
	sigset_t only;

	/* It is dealt with here; passed on later, it would undo the command's next stop. */
	sigemptyset(&only);
	sigaddset(&only, SIGCONT);
	(void)sigtimedwait(&only, NULL, &none);
	if (!sentinel_got(&s->sentinel, SIGCONT) || getpgid(s->launch.root) != getpgrp())
		kill(s->launch.root, SIGCONT);
}

void root_stopped(struct supervisor *s, int sig)
{
	if (s->launch.behind || (sig != SIGSTOP && sig != SIGTSTP && sig != SIGTTIN && sig != SIGTTOU))
		return;
	if (s->terminal.lent && (sig == SIGTTIN || sig == SIGTTOU)) {
		if (s->terminal.stoppeds < sizeof(s->terminal.stopped) / sizeof(s->terminal.stopped[0]))
			s->terminal.stopped[s->terminal.stoppeds++] = s->launch.root;
		return;
	}
	engine_suspend(s->engine, true);
	stop_like(sig);
	engine_suspend(s->engine, false);
	continue_root(s);
}

void root_ended(struct supervisor *s, int status)
{
	s->root_ended = s->root_known = true;
	s->root_status = status;
	s->root_end = clock_now();
	if (s->launch.behind)
		return;
	for (struct job *job = s->jobs; job; job = job->next) { /* our wait took its status, no pidfd will tell */
		if (job->rec.pid != s->launch.root || job->end.ended)
			continue;
		job->end.known = true;
		job->end.wait_status = status;
	}
}

void root_look(struct supervisor *s)
{
	struct exec_end end = {0};

	if (s->root_ended || !watch_look(&s->root_watch, &end))
		return;
	root_ended(s, end.wait_status);
	s->root_known = end.known;
	watch_close(&s->root_watch);
}

static int ms_until(uint64_t when)
{
	uint64_t now = clock_now();

	return now < when ? (int)((when - now) / NS_PER_MS) + 1 : 0;
}

/* Says why the prompt does not return. */
static void say_waiting(struct supervisor *s)
{
	s->said_waiting = true;
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (job_busy(job))
			err_say(ERR_NOTE, "the command has ended; waiting for [%d] (%s)", (int)job->rec.pid,
			        job->action->name);
	}
}

int root_wait_for_tools(struct supervisor *s)
{
	int ms;

	if (!s->root_ended)
		return -1;
	if (!s->said_waiting) {
		ms = ms_until(s->root_end + NS_PER_S);
		if (ms)
			return ms;
		say_waiting(s);
	}
	if (!s->end_signal || s->root_end > s->end_told + END_FOLLOWS)
		return -1;
	ms = ms_until(s->root_end + TOOLS_GRACE);
	if (!ms)
		tell_tools(s);
	return ms ? ms : -1;
}

int root_exit_status(const struct supervisor *s)
{
	const struct rlimit no_core = {0, 0};
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	int sig = WTERMSIG(s->root_status);
	sigset_t only;

	if (s->launch.behind) /* nobody waits for us, and the caller knows it from the command */
		return 0;
	if (WIFEXITED(s->root_status))
		return WEXITSTATUS(s->root_status);
	setrlimit(RLIMIT_CORE, &no_core); /* the core, if there is one, is the command's */
	sigemptyset(&only);
	sigaddset(&only, sig);
	sigaction(sig, &dfl, NULL);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	return 128 + sig;
}
