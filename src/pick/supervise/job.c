/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One match, from the take to the end of its tool: a small state, moved by the engine's events, by time and by what
 * ends. */
#include "private.h"

#include "guest.h"
#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/pick/action/guest.h>
#include <exectrace/pick/action/handshake.h>
#include <exectrace/pick/action/process.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1000 /* of a command line in a message */
#define MATCHES_SHOWN 100u  /* a line each */
#define TAKE_LIMIT \
	(10 * NS_PER_S) /* execs that wait for how this one ends go on then: they may be what it waits for itself */

struct job *job_new(struct supervisor *s, const struct verdict *verdict, const struct exec_record *rec)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job || exec_record_copy(&job->rec, rec)) {
		free(job);
		return NULL;
	}
	job->rule = verdict->rule;
	job->verdict = *verdict;
	job->action = verdict->rule > 0 ? &s->actions[verdict->rule - 1] : NULL;
	job->watch.fd = -1;
	job->handshake = -1;
	job->since = clock_now();
	job->next = s->jobs;
	s->jobs = job;
	return job;
}

void job_free(struct supervisor *s, struct job *job)
{
	struct job **link = &s->jobs;

	while (*link && *link != job)
		link = &(*link)->next;
	if (*link)
		*link = job->next;
	s->unsettled -= job->unsettled;
	exec_handshake_end(s, job);
	ends_leave(s, job);
	exit_watch_close(&job->watch);
	exec_record_release(&job->rec);
	free(job);
}

void job_set_state(struct job *job, enum job_state state)
{
	job->state = state;
	job->since = clock_now();
}

void job_matched(struct supervisor *s, struct job *job)
{
	cleanup_buf struct buf line = BUF_INIT, text = BUF_INIT;

	job->n = ++s->matches;
	(void)exec_print_cmdline(&line, &job->rec, LINE_MAX_BYTES);
	(void)buf_printf(&text, "[%d] match %lu, rule %d (%s): %s", (int)job->rec.pid, job->n, job->rule,
	                 job->action->name, line.data ? line.data : "");
	if (job->n == MATCHES_SHOWN + 1)
		err_say(ERR_NOTE, "more than %u matches: the others are counted, and shown with --verbose",
		        MATCHES_SHOWN);
	if (job->n > MATCHES_SHOWN && err_verbosity() <= 0)
		return;
	if (!text.err && (!s->terminal.lent || strv_push(&s->held, text.data)))
		err_say(ERR_NOTE, "%s", text.data);
}

void job_say_held(struct supervisor *s)
{
	for (size_t i = 0; i < s->held.n; i++)
		err_say(ERR_NOTE, "%s", s->held.items[i]);
	strv_release(&s->held);
	s->held = STRV_INIT;
}

struct template_values job_values(const struct supervisor *s, const struct job *job)
{
	const char *name = job->rec.argv.n ? job->rec.argv.items[0] : job->rec.path ? job->rec.path : "";
	const char *slash = strrchr(name, '/');

	return (struct template_values){
		.pid = job->rec.pid,
		.n = job->n,
		.comm = slash ? slash + 1 : name,
		.rule = job->rule,
		.time = job->rec.when_wall,
		.dir = s->dir.path,
		.dir_fd = s->dir.fd > 0 ? s->dir.fd : 0,
	};
}

/* Nobody is to release a process that has ended. */
static void end_handle(const struct job *job)
{
	if (job->action->kind == ACTION_STOP && job->tool > 0)
		kill(job->tool, SIGKILL);
}

/* It is out of our hands and runs; its tool, if any, goes on. */
void job_set_free(struct supervisor *s, struct job *job)
{
	(void)s;
	job->tracee = NULL;
	if (job->tool > 0)
		job_set_state(job, JOB_RUNNING);
	else
		job_set_state(job, job->watch.fd >= 0 ? JOB_WATCHED : JOB_DONE);
}

void job_unsettle(struct supervisor *s, struct job *job)
{
	job->unsettled = job->verdict.counted != 0;
	s->unsettled += job->unsettled;
}

void job_settle(struct supervisor *s, struct job *job)
{
	s->unsettled -= job->unsettled;
	job->unsettled = false;
	engine_retry(s->engine);
}

void job_release(struct supervisor *s, struct job *job)
{
	int err = 0;

	if (!job->tracee)
		return;
	if (job->state == JOB_HOLDING) {
		engine_let_go(s->engine, job->tracee);
		job_settle(s, job);
	} else {
		err = engine_release(s->engine, job->tracee);
		if (job->waits && handshake_ask(job->handshake, 0, job->rec.tid)) /* the end of it says the same */
			exec_handshake_end(s, job);
		job->waits = false;
	}
	if (err && err != -ESRCH)
		err_say(ERR_ERROR, "[%d] cannot restore its first bytes: %s", (int)job->rec.pid, strerror(-err));
	job_set_free(s, job);
}

/* The exec has happened: from here on the match is certain. */
static void on_taken(struct supervisor *s, struct job *job)
{
	job->rec.pid = job->tracee->tid; /* another than the calling thread's when that was not the leader */
	job->rec.tid = job->tracee->tid;
	if (job->action->kind == ACTION_LOG) {
		engine_let_go(s->engine, job->tracee);
		job->tracee = NULL;
		job_describe(s, job);
		return;
	}
	job_matched(s, job);
	if (job->action->kind == ACTION_WRAP) {
		job_wrap(s, job);
	} else if (job->action->kind == ACTION_ARGS || job->action->kind == ACTION_GUEST) {
		job_edit(s, job);
	} else {
		job_set_state(job, JOB_PARKING);
		engine_park(s->engine, job->tracee);
	}
}

/* The exec did not happen: nothing was matched. */
static void on_failed(struct supervisor *s, struct job *job)
{
	ruleset_retract(s->config->rules, &job->verdict);
	job_settle(s, job);
	if (s->commands)
		s->commands--;
	job->tracee = NULL;
	job_set_state(job, JOB_DONE);
}

static void on_gone(struct supervisor *s, struct job *job)
{
	if (job->state == JOB_TAKING) { /* killed, or another thread's exec came first */
		on_failed(s, job);
		return;
	}
	if (job->state == JOB_HOLDING || job->state == JOB_RESTARTING)
		job_settle(s, job);
	if (job->state == JOB_HOLDING || job->state == JOB_ATTACHING)
		err_say(ERR_VERBOSE, "[%d] ended before %s had it", (int)job->rec.pid, job->action->name);
	end_handle(job);
	job_set_free(s, job);
}

void job_event(struct supervisor *s, const struct engine_event *ev)
{
	struct job *job = ev->tracee ? ev->tracee->user : NULL;

	if (!job)
		return;
	switch (ev->type) {
	case ENGINE_TAKEN:
		job_settle(s, job);
		on_taken(s, job);
		break;
	case ENGINE_FAILED:
		on_failed(s, job);
		break;
	case ENGINE_PARKED:
		job_parked(s, job);
		break;
	case ENGINE_PARK_FAILED:
		err_say(ERR_ERROR, "[%d] cannot be parked for %s: %s", (int)job->rec.pid, job->action->name,
		        strerror(-ev->err));
		job_set_free(s, job);
		break;
	case ENGINE_WRAP_FAILED:
		err_say(ERR_ERROR, "[%d] cannot execute %s in its place: %s; it runs as it is", (int)job->rec.pid,
		        job->action->program, ev->why ? ev->why : strerror(-ev->err));
		job->wrapped = false;
		job_set_free(s, job);
		break;
	case ENGINE_GONE:
		on_gone(s, job);
		break;
	case ENGINE_RESTARTED:
		job->tracee = NULL; /* look_for_success goes on */
		job->worked = clock_process(job->rec.pid);
		break;
	default: /* ENGINE_WRAPPED */
		job_set_free(s, job);
		break;
	}
}

void job_report_end(struct supervisor *s, struct job *job)
{
	cleanup_buf struct buf line = BUF_INIT;
	cleanup_buf struct buf name = BUF_INIT;
	struct template_values values = job_values(s, job);
	int err = 0;

	if (job->action && job->action->kind != ACTION_LOG)
		return;
	if (!job->action || !s->dir.path) /* what is recorded may be logged, too */
		s->unknown += job->end.ended && !job->end.known;
	if (job->node) {
		log_end(job->node, &job->end);
		return;
	}
	if (job->action && job->action->format == LOG_TEXT)
		err = exec_print_text(&line, &job->rec, &job->end);
	else
		err = exec_print_json(&line, &job->rec, &job->end);
	if (job->action && job->action->output)
		err = err ? err : template_expand(&name, job->action->output, &values);
	if (!err)
		err = job->action ? log_write(&s->log, name.data, &line) : output_exec(s, &line);
	if (err && log_failed_first(&s->log, name.data ? name.data : "the log"))
		err_say(ERR_ERROR, "cannot write %s: %s", name.data ? name.data : "the log", strerror(-err));
}

/* The process has ended, in whatever state: what waits for it is settled. False: it was no match at all. */
static bool leave_state(struct supervisor *s, struct job *job)
{
	bool taking = job->state == JOB_TAKING;

	if (job->tracee)
		engine_forget(s->engine, job->tracee);
	job->tracee = NULL;
	if (taking) {
		on_failed(s, job);
		return false;
	}
	if (job->state == JOB_WATCHED || job->state == JOB_RUNNING)
		return true;
	job_settle(s, job);
	end_handle(job);
	job_set_state(job, job->tool > 0 ? JOB_RUNNING : JOB_WATCHED);
	return true;
}

static void on_end(struct supervisor *s, struct job *job)
{
	bool matched = leave_state(s, job);

	if (matched) {
		exec_handshake_hear_end(s, job);
		job_report_end(s, job);
	}
	ends_leave(s, job);
	exit_watch_close(&job->watch);
	if (job->state != JOB_WATCHED)
		return;
	job_drop_output(s, job);
	job_set_state(job, JOB_DONE);
}

void job_tick(struct supervisor *s, struct job *job)
{
	if (ends_look(s, job))
		on_end(s, job);
	if (job->state == JOB_HOLDING || job->state == JOB_ATTACHING)
		job_look_for_tool(s, job);
	else if (job->state == JOB_RESTARTING)
		job_look_for_success(s, job);
	else if (job->state == JOB_TAKING && job->unsettled && clock_now() - job->since > TAKE_LIMIT)
		job_settle(s, job);
	else if (job->state == JOB_QUEUED && terminal_free(&s->terminal))
		job_start_attaching(s, job, JOB_ATTACHING);
	if (job->state == JOB_DONE)
		job_free(s, job);
}

int job_wait_ms(const struct supervisor *s, const struct job *job)
{
	if (job->state == JOB_DONE)
		return 0;
	if (ends_awaits(job))
		return 1;
	if (job->state == JOB_HOLDING || job->state == JOB_ATTACHING)
		return job->action->kind == ACTION_STOP ? 20 : 1;
	if (job->state == JOB_QUEUED && terminal_free(&s->terminal))
		return 0;
	if (job->state == JOB_PARKING)
		return 1;
	if (job->state == JOB_RESTARTING)
		return 2;
	return job->state == JOB_TAKING ? 100 : -1;
}

bool job_busy(const struct job *job)
{
	return job->state != JOB_WATCHED && job->state != JOB_DONE;
}
