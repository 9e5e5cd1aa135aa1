/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command's own process: signals that were meant for it, its stops and its end. */
#include "private.h"
#include "tracees.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/pick/action/process.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* nohup(1), and shells that start a command in the background: they do not want us to end. */
static bool is_ignored(int sig)
{
	struct sigaction now;

	return sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

/* Typed, or sent, when nothing but tools is waited for: they have process groups of their own and know nothing of it.
 */
static void to_tools(struct supervisor *s, int sig, bool typed)
{
	if (sig == SIGTSTP) {
		stop_like(sig);
	} else if ((ends(sig) || sig == SIGQUIT) && !(is_ignored(sig) && (typed || sig == SIGHUP))) {
		shutdown_ask(s, sig, false);
	}
}

static void to_command(struct supervisor *s, const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;
	union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};

	if (!is_hangup(info) && pgrp_probe_got(&s->pgrp_probe, sig) && getpgid(s->launch.root) == getpgrp())
		return;
	if (info->ssi_code == SI_QUEUE)
		sigqueue(s->launch.root, sig, value);
	else
		kill(s->launch.root, sig);
}

/* What the terminal sends (si_code > 0) reaches the command by itself; so does what was sent to our process group. */
static void pass_on(struct supervisor *s, const struct signalfd_siginfo *info)
{
	int sig = (int)info->ssi_signo;
	bool typed = info->ssi_code > 0 && !is_hangup(info);

	if (sig == SIGCHLD || info->ssi_pid == (uint32_t)getpid())
		return;
	if (s->root_ended) {
		to_tools(s, sig, typed);
		return;
	}
	if (!typed && !s->launch.behind)
		to_command(s, info);
	if (ends(sig) && !(is_ignored(sig) && (typed || sig == SIGHUP)) && !(typed && s->launch.behind))
		shutdown_ask(s, sig, typed);
}

void root_signals(struct supervisor *s)
{
	struct signalfd_siginfo info;

	while (read(s->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		pass_on(s, &info);
}

static void swallow(int sig)
{
	const struct timespec none = {0};
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, sig);
	(void)sigtimedwait(&only, NULL, &none);
}

/* We were continued: the command was, too, when the signal was for our process group; else it is to hear of it. */
static void continue_root(struct supervisor *s)
{
	if (!pgrp_probe_got(&s->pgrp_probe, SIGCONT) || getpgid(s->launch.root) != getpgrp())
		kill(s->launch.root, SIGCONT);
}

/* We are stopped until somebody continues us or the command alone; but what waits for its tracer is not to. */
static void stop_with_root(struct supervisor *s, int sig)
{
	if (!pgrp_probe_watch(&s->pgrp_probe, s->launch.root, engine_holds_tree(s->engine)))
		return;
	stop_like(sig);
	swallow(SIGCONT); /* passed on later, it would undo the command's next stop */
	switch (pgrp_probe_woke(&s->pgrp_probe)) {
	case SENTINEL_SLEPT:
		continue_root(s);
		break;
	case SENTINEL_NEEDED:
		s->stopped_by = sig;
		break;
	default:
		break;
	}
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
	s->stopped_by = sig;
}

/* It was stopped by an attach that has failed: when its tool ends it is continued. */
static bool is_left_by_tool(const struct supervisor *s, const struct job *job)
{
	return s->stopped_by == SIGSTOP && job->rec.pid == s->launch.root && job->tool > 0 && job_is_left(job);
}

/* Something of the tree waits for what neither a wait event nor the keeper tells of while we are stopped. */
static bool must_run(const struct supervisor *s)
{
	bool run = engine_holds_tree(s->engine) && engine_is_looking(s->engine);

	for (const struct job *job = s->jobs; job && !run; job = job->next)
		run = (job_wait_ms(s, job) >= 0 && job->action->kind != ACTION_STOP) || is_left_by_tool(s, job);
	return run;
}

void root_stop_with(struct supervisor *s)
{
	int sig = s->stopped_by;

	if (!sig)
		return;
	swallow(SIGCHLD); /* what it told of is looked at now, so that only news wake us */
	supervisor_children(s);
	if (must_run(s) && !s->root_ended && !process_was_continued(s->launch.root))
		return;
	s->stopped_by = 0;
	if (!s->root_ended && !s->shutdown.now && !process_was_continued(s->launch.root))
		stop_with_root(s, sig);
}

/* An end has the time at which it is seen: what has ended by now, and it may have waited for, is to be seen first. */
void root_look_at_zombie(struct supervisor *s)
{
	bool ended = false;

	if (s->root_ended || s->launch.behind)
		return;
	for (const struct job *job = s->jobs; job; job = job->next)
		ended |= job->rec.pid == s->launch.root && !job->end.ended && exit_watch_ended(&job->watch);
	for (struct job *job = ended ? s->jobs : NULL; job; job = job->next) {
		if (job->rec.pid != s->launch.root && !job->end.ended)
			(void)ends_look(s, job);
	}
	for (struct job *job = ended ? s->jobs : NULL; job; job = job->next) {
		if (job->rec.pid == s->launch.root && !job->end.ended)
			(void)exit_watch_look(&job->watch, &job->end);
	}
}

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_usec * NS_PER_US;
}

void root_used(struct supervisor *s, const struct rusage *used)
{
	s->tree_usage = (struct exec_usage){
		.cpu = true,
		.user = ns_of(&used->ru_utime),
		.system = ns_of(&used->ru_stime),
	};
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
	if (s->root_ended || !ends_look_at_root(s))
		return;
	root_ended(s, s->root_seen.wait_status);
	s->root_known = s->root_seen.known;
	exit_watch_close(&s->root_watch);
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
		cleanup_buf struct buf traced = BUF_INIT;

		if (!job_busy(job))
			continue;
		if (job->tool && tracees_print(&traced, job->tool, job->rec.pid))
			buf_reset(&traced, SIZE_MAX);
		err_say(ERR_NOTE, "%s; waiting for [%d] (%s)%s%s%s",
		        s->config->command[0] ? "the command has ended" : "no more will be picked", (int)job->rec.pid,
		        job->action->name, traced.len ? ", which has left " : "", traced.len ? traced.data : "",
		        traced.len ? " running" : "");
	}
}

int root_wait_for_tools(struct supervisor *s)
{
	int ms;

	if (!s->root_ended || running_goes_on(s))
		return -1;
	if (!s->said_waiting) {
		ms = ms_until(s->root_end + NS_PER_S);
		if (ms)
			return ms;
		say_waiting(s);
	}
	return -1;
}

int root_exit_status(const struct supervisor *s)
{
	const struct rlimit no_core = {0, 0};
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	bool runs = s->config->command[0] != NULL;
	int sig = runs && s->root_ended ? WTERMSIG(s->root_status) : s->shutdown.sig;
	sigset_t only;

	if (s->launch.behind) /* nobody waits for us, and the caller knows it from the command */
		return 0;
	if (runs ? s->root_ended && WIFEXITED(s->root_status) : !sig)
		return WEXITSTATUS(s->root_status);
	setrlimit(RLIMIT_CORE, &no_core); /* the core, if there is one, is the command's */
	sigemptyset(&only);
	sigaddset(&only, sig);
	sigaction(sig, &dfl, NULL);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &only, NULL);
	return 128 + sig;
}
