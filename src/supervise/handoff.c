/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A match whose process is handed to a tool: starting it, seeing that it has the process, the terminal, its end. */
#include "private.h"

#include <errno.h>
#include <exectrace/action/process.h>
#include <exectrace/action/tell.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTACH_LIMIT (30 * NS_PER_S)  /* a tool that has not attached by then never will */
#define RESTART_LIMIT (10 * NS_PER_S) /* an execve that has not failed by then is taken for one that succeeds */
#define RESTART_WORK NS_PER_S         /* an execve that takes more CPU time has failed */

/* A socket for its tool, which gets it as an option; *theirs is closed when the tool has been started. */
static int prepare_telling(struct job *job, struct strv *argv, int *theirs)
{
	char option[32];

	if (!job->action->told || tell_open(&job->teller, theirs))
		return 0; /* without, it sees execs at a price */
	snprintf(option, sizeof(option), "--execs=%d", *theirs);
	return strv_push(argv, option);
}

static int start(struct supervisor *s, struct job *job)
{
	struct template_values values = job_values(s, job);
	cleanup_strv struct strv argv = STRV_INIT;
	cleanup_fd int theirs = -1;
	int err = template_expand_strv(&argv, &job->action->args, &values);

	if (!err)
		err = prepare_telling(job, &argv, &theirs);

	if (err)
		return err;
	s->setup.socket = theirs;
	s->setup.tty = job->action->interactive ? s->terminal.fd : -1;
	if (job->action->interactive) {
		err = terminal_lend(&s->terminal);
		if (err)
			return err;
		job->has_terminal = true;
	}
	job->tool = start_tool(job->action->program, argv.items, &s->setup);
	if (job->tool > 0 && job->has_terminal)
		terminal_to(&s->terminal, job->tool);
	return job->tool < 0 ? (int)job->tool : 0;
}

static void give_terminal_back(struct supervisor *s, struct job *job)
{
	if (job->has_terminal)
		terminal_return(&s->terminal);
	job->has_terminal = false;
}

/* Starts the tool for a process that waits, parked or in its execve. */
void job_start_attaching(struct supervisor *s, struct job *job, enum job_state state)
{
	int err = start(s, job);

	job_set_state(job, state);
	if (!err)
		return;
	job->tool = 0;
	give_terminal_back(s, job);
	err_say(ERR_ERROR, "[%d] cannot start %s: %s", (int)job->rec.pid, job->action->name, strerror(-err));
	job_release(s, job);
}

/* `stop`: a process of ours is the handle by which it is released. */
static void start_stop(struct supervisor *s, struct job *job)
{
	pid_t handle = start_handle();

	if (handle < 0) {
		err_say(ERR_ERROR, "[%d] cannot be stopped: %s", (int)job->rec.pid, strerror(-handle));
		job_release(s, job);
		return;
	}
	job->tool = handle;
	job_set_state(job, JOB_ATTACHING);
	err_say(ERR_ERROR,
	        "[%d] stopped before its first instruction; "
	        "attach: gdb -p %d (or strace -p %d); release: kill %d",
	        (int)job->rec.pid, (int)job->rec.pid, (int)job->rec.pid, (int)handle);
}

static void no_terminal(struct supervisor *s, struct job *job)
{
	err_say(ERR_ERROR,
	        "[%d] %s needs a terminal and there is none; "
	        "use --run='gdb -batch -x FILE', --run=gdbserver or --run=stop",
	        (int)job->rec.pid, job->action->name);
	job_release(s, job);
}

void job_parked(struct supervisor *s, struct job *job)
{
	(void)watch_open(&job->watch, job->rec.pid);
	if (job->action->kind == ACTION_STOP)
		start_stop(s, job);
	else if (!job->action->interactive)
		job_start_attaching(s, job, JOB_ATTACHING);
	else if (s->terminal.fd < 0)
		no_terminal(s, job);
	else if (terminal_free(&s->terminal))
		job_start_attaching(s, job, JOB_ATTACHING);
	else
		job_set_state(job, JOB_QUEUED);
}

bool job_hold(struct supervisor *s, struct job *job)
{
	if (!process_image(job->rec.tid, job->image) || engine_hold(s->engine, &job->tracee))
		return false;
	if (job->verdict.counted)
		s->unsettled++;
	job->tracee->user = job;
	(void)watch_open(&job->watch, job->rec.pid);
	job_matched(s, job);
	job_start_attaching(s, job, JOB_HOLDING);
	return true;
}

void job_look_for_tool(struct supervisor *s, struct job *job)
{
	bool stop = job->action->kind == ACTION_STOP;

	if (stop ? process_tracer(job->rec.pid) > 0 : start_attached(job->action, job->rec.tid, job->tool)) {
		if (stop)
			kill(job->tool, SIGKILL);
		if (job->state == JOB_HOLDING) {
			job_set_state(job, JOB_RESTARTING);
			job->call = job->tracee->call;
			(void)engine_restart(s->engine, job->tracee);
			return;
		}
		job_release(s, job);
	} else if (!stop && clock_now() - job->since > ATTACH_LIMIT) {
		err_say(ERR_ERROR, "[%d] %s has not attached after %d s; the process runs on without it",
		        (int)job->rec.pid, job->action->name, (int)(ATTACH_LIMIT / NS_PER_S));
		job_release(s, job);
	}
}

enum outcome { OUTCOME_OPEN, OUTCOME_GOOD, OUTCOME_FAILED };

/*
 * How an execve under a tool has ended. No time says so: a file server or a busy machine may make it wait. It has
 * failed when its thread is in another call, or works for longer than an execve does.
 */
static enum outcome look(const struct job *job)
{
	unsigned char now[16];
	long call = -1;
	int err = process_call(job->rec.tid, &call);
	bool elsewhere = !err && call >= 0 && call != job->call;

	elsewhere |= clock_process(job->rec.pid) > job->worked + RESTART_WORK;
	/* After that: where the program is still the old one it was so then. */
	if (process_image(job->rec.tid, now)) {
		if (memcmp(now, job->image, sizeof(now)) != 0)
			return OUTCOME_GOOD;
		return elsewhere ? OUTCOME_FAILED : OUTCOME_OPEN;
	}
	return err == -EACCES || err == -EPERM ? OUTCOME_GOOD : OUTCOME_OPEN; /* a program that may not be read */
}

/* Then the tool is not wanted where it is. */
static void failed(struct supervisor *s, struct job *job)
{
	err_say(ERR_NOTE, "[%d] match %lu: its execve failed after all; not counted", (int)job->rec.pid, job->n);
	ruleset_retract(s->config->rules, &job->verdict);
	s->matches--;
	s->commands--;
	if (job->tool > 0)
		kill(job->tool, SIGTERM);
}

static void settle(struct supervisor *s, struct job *job, enum outcome outcome)
{
	if (outcome == OUTCOME_FAILED)
		failed(s, job);
	job_settle(s, job);
	job_set_free(s, job);
}

void job_look_for_success(struct supervisor *s, struct job *job)
{
	enum outcome outcome = job->watch.fd < 0 ? OUTCOME_GOOD : look(job); /* it has ended: there is no telling */

	/* What waits for it cannot wait for ever: it may be what serves the file. */
	if (outcome == OUTCOME_OPEN && clock_now() - job->since > RESTART_LIMIT)
		outcome = OUTCOME_GOOD;
	if (outcome != OUTCOME_OPEN)
		settle(s, job, outcome);
}

static bool same_command(struct exec_record *a, const struct exec_record *b)
{
	exec_record_want(a, EXEC_ARGV | EXEC_TARGET);
	return a->path && b->path && strcmp(a->path, b->path) == 0 && a->cmdline.len == b->cmdline.len &&
	       memcmp(a->cmdline.data, b->cmdline.data, b->cmdline.len) == 0;
}

bool job_calls_again(struct supervisor *s, struct exec_record *rec)
{
	struct job *job = s->jobs;
	enum outcome outcome = OUTCOME_OPEN;

	while (job && !(job->state == JOB_RESTARTING && !job->tracee && job->rec.tid == rec->tid))
		job = job->next;
	if (!job)
		return false;
	outcome = look(job);
	/* It may try again by itself, or have been interrupted. */
	if (outcome == OUTCOME_OPEN && same_command(rec, &job->rec))
		return true;
	settle(s, job, outcome == OUTCOME_GOOD ? OUTCOME_GOOD : OUTCOME_FAILED);
	return false;
}

static void report_tool(const struct job *job, int status)
{
	bool waits = job->state == JOB_ATTACHING || job->state == JOB_HOLDING;

	if (job->action->kind == ACTION_STOP)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && waits)
		err_say(ERR_ERROR, "[%d] cannot execute %s", (int)job->rec.pid, job->action->program);
	else if (waits && job->action->ready)
		err_say(ERR_NOTE, "[%d] %s ended without attaching; the process runs on", (int)job->rec.pid,
		        job->action->name);
}

bool job_tool_ended(struct supervisor *s, pid_t pid, int status)
{
	for (struct job *job = s->jobs; job; job = job->next) {
		if (job->tool != pid)
			continue;
		job->tool = 0;
		teller_end(s, job);
		report_tool(job, status);
		give_terminal_back(s, job);
		if (job->state == JOB_ATTACHING || job->state == JOB_HOLDING)
			job_release(s, job);
		else if (job->state == JOB_RUNNING && job->watch.fd >= 0)
			job_set_state(job, JOB_WATCHED);
		else if (job->state == JOB_RUNNING) {
			job_drop_output(s, job);
			job_set_state(job, JOB_DONE);
		}
		return true;
	}
	return false;
}
