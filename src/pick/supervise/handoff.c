/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A match whose process is handed to a tool: starting it, seeing that it has the process, the terminal, its end. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <exectrace/pick/action/handshake.h>
#include <exectrace/pick/action/process.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTACH_LIMIT (30 * NS_PER_S)  /* a tool that has not attached by then never will */
#define WAKE_AFTER (20 * NS_PER_MS)   /* a tool that sleeps after its attach has stopped it by then, or never will */
#define STOP_WORK NS_PER_S            /* a tool that never sleeps has before it uses so much CPU time */
#define STOP_LIMIT (10 * NS_PER_S)    /* or by then */
#define RESTART_LIMIT (10 * NS_PER_S) /* an execve that has not failed by then is taken for one that succeeds */
#define RESTART_WORK NS_PER_S         /* an execve that takes more CPU time has failed */

static int push_socket(struct strv *argv, const char *name, int fd)
{
	char option[32];

	snprintf(option, sizeof(option), "--%s=%d", name, fd);
	return strv_push(argv, option);
}

/*
 * A socket for its tool, which gets it as an option; *theirs is closed when the tool has been started. --execs says as
 * well that the process has a filter of ours.
 */
static int prepare_telling(const struct supervisor *s, struct job *job, bool parked, struct strv *argv, int *theirs)
{
	bool filtered = job->tracee && engine_has_filter(s->engine, job->tracee);
	int err = 0;

	if (!job->action->tells || handshake_open(&job->handshake, theirs))
		return 0; /* without, it sees execs at a price */
	err = push_socket(argv, "ends", *theirs);
	if (!err && parked)
		err = push_socket(argv, "parked", *theirs);
	job->waits = !err && parked;
	return err || !filtered ? err : push_socket(argv, "execs", *theirs);
}

/* The directory of the run, by descriptor: under its name there may be another by now. */
static int prepare_directory(struct supervisor *s, const struct job *job, struct strv *argv)
{
	char option[32];

	s->setup.directory = job->action->in_dir ? s->dir.fd : -1;
	if (s->setup.directory < 0)
		return 0;
	snprintf(option, sizeof(option), "--directory=%d", s->setup.directory);
	return strv_push(argv, option);
}

static int start(struct supervisor *s, struct job *job, bool parked)
{
	struct template_values values = job_values(s, job);
	cleanup_strv struct strv argv = STRV_INIT;
	cleanup_fd int theirs = -1;
	int err = template_expand_strv(&argv, &job->action->args, &values);

	if (!err)
		err = prepare_telling(s, job, parked, &argv, &theirs);
	if (!err)
		err = prepare_directory(s, job, &argv);
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
	output_note(s, job);
	job->tool = start_tool(job->action->program, argv.items, &s->setup);
	if (job->tool > 0 && job->has_terminal)
		terminal_to(&s->terminal, job->tool);
	return job->tool < 0 ? (int)job->tool : 0;
}

static void give_terminal_back(struct supervisor *s, struct job *job)
{
	if (!job->has_terminal)
		return;
	terminal_return(&s->terminal);
	job->has_terminal = false;
	job_say_held(s);
}

/* Starts the tool for a process that waits, parked or in its execve. */
void job_start_attaching(struct supervisor *s, struct job *job, enum job_state state)
{
	int err = start(s, job, state == JOB_ATTACHING);

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
	job->entry = engine_entry(job->tracee);
	if (job->tracee->closed)
		err_say(ERR_ERROR,
		        "[%d] kernel.yama.ptrace_scope is 1: no tool can attach, "
		        "as its own seccomp filter may not allow it to permit that; root can",
		        (int)job->rec.pid);
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
	job_unsettle(s, job);
	job->tracee->user = job;
	job_matched(s, job);
	job_start_attaching(s, job, JOB_HOLDING);
	return true;
}

/*
 * True when the tool has all that it attaches for and the process can go on. Not between its attach and its stop, which
 * may be two calls (PTRACE_SEIZE, PTRACE_INTERRUPT) and a wait for a processor: it would miss how the program begins.
 */
static bool has_attached(struct job *job)
{
	pid_t tracer = process_tracer(job->rec.pid);
	bool attached =
		job->action->kind == ACTION_STOP ? tracer > 0 : start_attached(job->action, job->rec.tid, job->tool);
	uint64_t waited, worked;

	job->traced |= tracer > 0;
	if (!attached || tracer <= 0 || job->state != JOB_ATTACHING || process_is_stopped(job->rec.tid))
		return attached;
	worked = clock_process(tracer);
	if (!job->seized) {
		job->seized = clock_now();
		job->tracer_worked = worked;
	}
	waited = clock_now() - job->seized;
	if (waited <= STOP_LIMIT && worked <= job->tracer_worked + STOP_WORK && !start_sleeps(tracer))
		return false;
	if (!engine_sleeps(job->tracee)) /* one of ours waits until then */
		return !job->waits || waited > STOP_LIMIT || !engine_spins(job->tracee);
	/* Only who traces it can stop it in its sleep. */
	if (waited > WAKE_AFTER) {
		engine_wake(job->tracee);
		job->seized = 0;
	}
	return false;
}

void job_look_for_tool(struct supervisor *s, struct job *job)
{
	bool stop = job->action->kind == ACTION_STOP;

	if (has_attached(job)) {
		if (stop)
			kill(job->tool, SIGKILL);
		if (job->state == JOB_HOLDING) {
			job_set_state(job, JOB_RESTARTING);
			job->call = job->tracee->call;
			engine_restart(s->engine, job->tracee);
			return;
		}
		job_release(s, job);
	} else if (!stop && clock_now() - job->since > ATTACH_LIMIT) {
		err_say(ERR_ERROR, "[%d] %s has not attached after %d s; the process runs on without it",
		        (int)job->rec.pid, job->action->name, (int)(ATTACH_LIMIT / NS_PER_S));
		job_release(s, job);
	}
}

/*
 * How an execve under a tool has ended. No time says so: a file server or a busy machine may make it wait. It has
 * failed when its thread is in another call, or works for longer than an execve does.
 */
enum exec_outcome job_outcome(const struct job *job)
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

void job_settle_outcome(struct supervisor *s, struct job *job, enum exec_outcome outcome)
{
	if (outcome == OUTCOME_FAILED)
		failed(s, job);
	job_settle(s, job);
	job_set_free(s, job);
}

void job_look_for_success(struct supervisor *s, struct job *job)
{
	bool late = clock_now() - job->since > RESTART_LIMIT;
	enum exec_outcome outcome = OUTCOME_OPEN;

	if (job->tracee) { /* its execve has not restarted yet: its tool may be stopped */
		if (late && job->unsettled)
			job_settle(s, job);
		return;
	}
	outcome = job_outcome(job);
	/* What waits for it cannot wait for ever: it may be what serves the file. */
	if (outcome == OUTCOME_OPEN && late)
		outcome = OUTCOME_GOOD;
	if (outcome != OUTCOME_OPEN)
		job_settle_outcome(s, job, outcome);
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

bool job_is_left(const struct job *job)
{
	return (job->traced || job->action->ready & READY_STOPS) && process_is_left_at(job->rec.pid, job->entry);
}

static bool is_stopping(pid_t pid)
{
	return process_is_stopped(pid) || process_pends(pid, SIGSTOP);
}

/* The stop may be neither pending any more nor there yet (JOBCTL_STOP_DEQUEUED, do_signal_stop in kernel/signal.c). */
static bool may_be_stopping(const struct job *job)
{
	const pid_t pid = job->rec.pid;

	return (job->action->ready & READY_STOPS) && !is_stopping(pid) && !process_catches(pid, SIGCONT);
}

/*
 * A debugger that is ended while it attaches detaches before the stop has been taken that it attached by
 * (PTRACE_ATTACH, ptrace(2)), and leaves that behind: nobody else would continue the process. Only where it was told to
 * end, or killed, or where the program has not begun and it may have attached: any other stop is somebody's.
 */
static void continue_left(const struct supervisor *s, const struct job *job, int status)
{
	const bool told = s->shutdown.sig || WIFSIGNALED(status);
	const pid_t pid = job->rec.pid;

	if (job->watch.fd < 0 || process_tracer(pid))
		return;
	if ((told && is_stopping(pid)) || job_is_left(job) || may_be_stopping(job))
		kill(pid, SIGCONT);
}

bool job_tool_ended(struct supervisor *s, pid_t pid, int status)
{
	for (struct job *job = s->jobs; job; job = job->next) {
		if (job->tool != pid)
			continue;
		job->tool = 0;
		exec_handshake_listen(s); /* its last words */
		exec_handshake_end(s, job);
		report_tool(job, status);
		continue_left(s, job, status);
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
