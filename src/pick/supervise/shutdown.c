/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shutdown.h"

#include "private.h"
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/pick/action/process.h>
#include <signal.h>
#include <time.h>

#define SAME_REQUEST (150 * NS_PER_MS) /* timeout(1) signals its child and then its process group */
#define STOPPED_GRACE NS_PER_S         /* for a command that a tool keeps stopped */
#define DEAF_GRACE (2 * NS_PER_S)      /* for a command that does not catch the signal */
#define COMMAND_GRACE (30 * NS_PER_S)  /* for one that does */
#define TOOLS_GRACE (5 * NS_PER_S)  /* a process that was told to end may have something to do, which its tool sees */
#define END_FOLLOWS (10 * NS_PER_S) /* an end so soon after a typed signal is taken for its effect */
#define TELL_GRACE NS_PER_S         /* between the signals for tools */
#define LOOK_MS 100
#define SETTLES 100 /* looks, of 1 ms or more: what is killed ends in less */

/* The terminal is that of a tool which the user talks to: it is not told by what was typed to the command. */
static bool is_meant(const struct supervisor *s, const struct job *job)
{
	return job->tool > 0 && !(s->shutdown.terminal && job->has_terminal);
}

static void signal_tools(struct supervisor *s, int sig, enum shutdown_tools stage)
{
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (!is_meant(s, job))
			continue;
		kill(job->tool, sig);
		kill(job->tool, SIGCONT); /* else one that is stopped would not hear of it */
	}
	s->shutdown.tools = stage;
	s->shutdown.told = clock_now();
}

static void tell_tools(struct supervisor *s)
{
	signal_tools(s, s->shutdown.sig == SIGQUIT ? SIGTERM : s->shutdown.sig, TOOLS_TOLD);
}

/* What waits for us goes on. */
static void release_all(struct supervisor *s)
{
	for (struct job *job = s->jobs; job; job = job->next) {
		if (job->state != JOB_HOLDING && job->state != JOB_QUEUED && job->state != JOB_ATTACHING)
			continue;
		if (job->tool > 0)
			kill(job->tool, job->action->kind == ACTION_STOP ? SIGKILL : SIGTERM);
		job_release(s, job);
	}
}

static void end_now(struct supervisor *s)
{
	if (s->shutdown.now)
		return;
	release_all(s);
	signal_tools(s, SIGKILL, TOOLS_KILLED);
	s->shutdown.now = true;
	if (!s->root_ended && !s->launch.behind)
		err_say(ERR_NOTE, "told to end; the command [%d] goes on without exectrace", (int)s->launch.root);
}

void shutdown_ask(struct supervisor *s, int sig, bool terminal)
{
	struct shutdown *shutdown = &s->shutdown;

	if (shutdown->sig && !shutdown->terminal) {
		if (!terminal && clock_now() - shutdown->since > SAME_REQUEST)
			end_now(s);
		return;
	}
	*shutdown = (struct shutdown){.sig = sig, .terminal = terminal, .since = clock_now()};
	if (terminal)
		return;
	release_all(s);
	if (s->root_ended || s->launch.behind)
		tell_tools(s);
}

/* ms until `when`, 0 when that is over. */
static int ms_until(uint64_t when)
{
	uint64_t now = clock_now();

	return now < when ? (int)((when - now) / NS_PER_MS) + 1 : 0;
}

/* Tools that were told and do not end. */
static int press_tools(struct supervisor *s)
{
	int ms = ms_until(s->shutdown.told + TELL_GRACE);

	if (ms)
		return ms;
	if (s->shutdown.tools == TOOLS_TOLD)
		signal_tools(s, SIGTERM, TOOLS_TERMINATED);
	else if (s->shutdown.tools == TOOLS_TERMINATED)
		signal_tools(s, SIGKILL, TOOLS_KILLED);
	else if (s->root_ended || s->launch.behind)
		end_now(s);
	else
		return -1;
	return s->shutdown.now ? 0 : (int)(TELL_GRACE / NS_PER_MS);
}

/* True when its tool has kept the process stopped for a while, as a debugger does that nobody talks to. */
static bool is_kept_stopped(const struct supervisor *s, struct job *job)
{
	uint64_t now = clock_now();
	uint64_t worked = clock_process(job->rec.pid);
	bool still =
		worked == job->worked && process_is_stopped(job->rec.pid) && process_tracer(job->rec.pid) == job->tool;

	if (!still || job->still < s->shutdown.since)
		job->still = now;
	job->worked = worked;
	return now - job->still > STOPPED_GRACE;
}

/* The command may wait for such a one. */
static bool any_is_kept_stopped(struct supervisor *s)
{
	bool any = false;

	for (struct job *job = s->jobs; job; job = job->next)
		any |= job->state == JOB_RUNNING && is_meant(s, job) && is_kept_stopped(s, job);
	return any;
}

/* The command was told, and runs. What it catches may change: so it is looked at again and again. */
static int press_command(struct supervisor *s)
{
	const struct shutdown *shutdown = &s->shutdown;
	uint64_t grace = process_catches(s->launch.root, shutdown->sig) ? COMMAND_GRACE : DEAF_GRACE;
	int ms = ms_until(shutdown->since + grace);

	if (shutdown->tools == TOOLS_WORK && any_is_kept_stopped(s))
		tell_tools(s);
	if (shutdown->terminal) /* it lives on as it would without us */
		return shutdown->tools == TOOLS_WORK && supervisor_busy(s) ? LOOK_MS : -1;
	if (!ms)
		end_now(s);
	return ms < LOOK_MS ? ms : LOOK_MS;
}

int shutdown_tick(struct supervisor *s)
{
	const struct shutdown *shutdown = &s->shutdown;
	int tools = -1;
	int ms = -1;

	if (!shutdown->sig || shutdown->now)
		return shutdown->now ? 0 : -1;
	if (s->launch.behind && !supervisor_busy(s)) { /* the command was not told */
		end_now(s);
		return 0;
	}
	if (shutdown->tools != TOOLS_WORK)
		tools = press_tools(s);
	if (!s->root_ended)
		ms = s->launch.behind ? -1 : press_command(s);
	else if (shutdown->terminal && s->root_end > shutdown->since + END_FOLLOWS)
		ms = -1;
	else if (shutdown->tools == TOOLS_WORK) {
		ms = ms_until(s->root_end + TOOLS_GRACE);
		if (!ms) {
			err_say(ERR_NOTE, "the command was told to end; its tools are now, too");
			tell_tools(s);
			ms = (int)(TELL_GRACE / NS_PER_MS);
		}
	}
	if (ms < 0 || tools < 0)
		return ms < 0 ? tools : ms;
	return ms < tools ? ms : tools;
}

static bool any_tool(const struct supervisor *s)
{
	const struct job *job = s->jobs;

	while (job && !is_meant(s, job))
		job = job->next;
	return job;
}

void shutdown_settle(struct supervisor *s)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};

	for (int i = 0; i < SETTLES && s->shutdown.now && any_tool(s); i++) {
		nanosleep(&moment, NULL);
		supervisor_children(s);
	}
}
