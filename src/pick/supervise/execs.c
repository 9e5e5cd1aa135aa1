/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was decided on an exec is done: the one place for it. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <string.h>

static void note_setid(struct supervisor *s, const struct exec_record *rec)
{
	if (s->warned_setid)
		return;
	s->warned_setid = true;
	err_say(ERR_NOTE,
	        "%s is set-user-id or set-group-id: without root's rights it runs unprivileged below exectrace",
	        rec->exe ? rec->exe : rec->path);
}

/* Every exec goes into the record of the run (-o). */
void supervisor_record(struct supervisor *s, struct exec_record *rec)
{
	struct verdict none = {0};
	struct job *job = NULL;

	if (!s->dir.path)
		return;
	exec_record_want(rec, RECORD_FIELDS);
	job = job_new(s, &none, rec);
	if (job)
		job_describe(s, job);
}

/* It is a command. What is counted here is taken back when it turns out to be none. */
static void count(struct supervisor *s, struct exec_record *rec, const struct decision *decision)
{
	if (decision->setid)
		note_setid(s, rec);
	if (s->remember)
		(void)engine_note(s->engine, decision->leads);
	ruleset_commit(s->config->rules, &decision->verdict);
	if (!decision->counts)
		return;
	s->commands++;
	if (rec->threads > 1)
		attempts_note(&s->attempts, rec->tid);
	supervisor_record(s, rec);
}

static void pass(struct supervisor *s, struct exec_record *rec, const struct decision *decision)
{
	if (decision->unfit)
		guest_say(decision->unfit, rec, decision->fit);
	if (!decision->verdict.rule && !s->matches)
		nearest_look(&s->nearest, s->config->rules, rec);
}

/* --list: one line an exec. */
static void list(struct supervisor *s, struct exec_record *rec)
{
	cleanup_buf struct buf why = BUF_INIT;
	cleanup_buf struct buf line = BUF_INIT;
	struct verdict verdict;

	exec_record_want(rec, EXEC_IDS);
	ruleset_match(s->config->rules, rec, &verdict, &why);
	ruleset_commit(s->config->rules, &verdict);
	(void)exec_print_cmdline(&line, rec, 0);
	if (verdict.rule > 0) {
		const char *action = ruleset_action(s->config->rules, verdict.rule);

		s->matches++;
		err_say(ERR_ERROR, "[%d] rule %d (%s) matches: %s", (int)rec->pid, verdict.rule, action ? action : "-",
		        line.data ? line.data : "");
	} else {
		err_say(ERR_ERROR, "[%d] no match (%s): %s", (int)rec->pid, why.len ? why.data : "no rules",
		        line.data ? line.data : "");
	}
}

/* It is picked, and yet runs on as it is: the pick does not count. */
static void leave(struct supervisor *s, struct job *job)
{
	ruleset_retract(s->config->rules, &job->verdict);
	job_free(s, job);
	engine_pass(s->engine);
}

/* It is traced by somebody else, or not ours to trace. */
static void cannot_take(struct supervisor *s, struct job *job, pid_t tracer, int err)
{
	if (tracer > 0 && !s->warned_traced)
		err_say(ERR_NOTE, "[%d] matches, but process %d traces it already; left alone", (int)job->rec.pid,
		        (int)tracer);
	else if (tracer <= 0)
		err_say(ERR_NOTE, "[%d] matches, but cannot be attached to: %s", (int)job->rec.pid, strerror(-err));
	s->warned_traced |= tracer > 0;
	leave(s, job);
}

/* It would be recorded twice. */
static void is_covered(struct supervisor *s, struct job *job, const struct job *other)
{
	err_say(ERR_NOTE, "[%d] matches, but %s has it already, with process %d; left alone", (int)job->rec.pid,
	        job->action->name, (int)other->rec.pid);
	leave(s, job);
}

static void take(struct supervisor *s, struct job *job)
{
	int err = 0;

	if (job->action->restarts && job->rec.threads <= 1 && job_hold(s, job))
		return;
	err = engine_take(s->engine, &job->tracee);
	if (err) {
		cannot_take(s, job, 0, err);
		return;
	}
	job->tracee->user = job;
	job_set_state(job, JOB_TAKING);
	job_unsettle(s, job);
}

/* From here on its end is seen, whatever becomes of us: before anything is done to it. 0 or -errno. */
static int follow(struct supervisor *s, struct job *job)
{
	int err = exit_watch_open(&job->watch, job->rec.pid);

	if (!err && !engine_current(s->engine)) /* it ended while we looked: the pidfd may be of another process */
		err = -ESRCH;
	if (!err)
		ends_follow(s, job);
	return err;
}

static void pick(struct supervisor *s, struct exec_record *rec, const struct decision *decision)
{
	struct job *job = job_new(s, &decision->verdict, rec);
	bool log = job && job->action->kind == ACTION_LOG && rec->threads <= 1;
	int err = job && !log ? follow(s, job) : 0;

	if (!job) {
		err_say(ERR_ERROR, "[%d] matches, but there is no memory left", (int)rec->pid);
		ruleset_retract(s->config->rules, &decision->verdict);
		engine_pass(s->engine);
	} else if (err == -ESRCH) {
		s->commands -= decision->counts && s->commands;
		leave(s, job);
	} else if (log) {
		job_describe(s, job);
		engine_pass(s->engine);
	} else if (decision->kind == DECISION_COVERED) {
		is_covered(s, job, decision->job);
	} else if (decision->kind == DECISION_TRACED || err) {
		cannot_take(s, job, err ? 0 : decision->tracer, err);
	} else {
		take(s, job);
	}
}

/* Execs that are no news: of a process that a tool of ours has. False when it is to be decided again. */
static bool go_on(struct supervisor *s, struct exec_record *rec, const struct decision *decision)
{
	switch (decision->kind) {
	case DECISION_SETTLE:
		job_settle_outcome(s, decision->job, decision->outcome);
		return false;
	case DECISION_ASK:
		if (!exec_handshake_ask(s, decision->job, rec->tid))
			return false;
		engine_defer(s->engine);
		return true;
	case DECISION_LOOK:
		engine_look(s->engine);
		return true;
	case DECISION_AGAIN:
		engine_again(s->engine);
		return true;
	default: /* DECISION_WAIT, DECISION_DEFER */
		engine_defer(s->engine);
		return true;
	}
}

/* False when it is to be decided again. */
static bool apply(struct supervisor *s, struct exec_record *rec, const struct decision *decision)
{
	switch (decision->kind) {
	case DECISION_ATTEMPT:
	case DECISION_RESUME:
		engine_pass(s->engine);
		return true;
	case DECISION_PASS:
		count(s, rec, decision);
		pass(s, rec, decision);
		engine_pass(s->engine);
		return true;
	case DECISION_LIST:
		count(s, rec, decision);
		if (decision->counts)
			list(s, rec);
		engine_pass(s->engine);
		return true;
	case DECISION_TAKE:
	case DECISION_TRACED:
	case DECISION_COVERED:
		count(s, rec, decision);
		pick(s, rec, decision);
		return true;
	default:
		return go_on(s, rec, decision);
	}
}

/* Something may have to be said, written or waited for: nothing for a fast_path. */
static bool needs_more(const struct supervisor *s)
{
	bool more = s->config->list || s->dir.path || s->unsettled;

	for (const struct job *job = s->jobs; job && !more; job = job->next)
		more = job->wrapped || job->state == JOB_TAKING || job->state == JOB_RESTARTING;
	return more;
}

bool supervisor_fast_path(void *user, struct exec_record *rec)
{
	struct supervisor *s = user;
	struct decision decision;

	if (needs_more(s) || exec_handshake_concerns(s, rec->tid))
		return false;
	decide(s, rec, &decision);
	if (decision.kind == DECISION_ATTEMPT)
		return true;
	if (decision.kind != DECISION_PASS || decision.setid || decision.unfit)
		return false;
	count(s, rec, &decision);
	pass(s, rec, &decision);
	return true;
}

void supervisor_exec(struct supervisor *s, struct exec_record *rec)
{
	struct decision decision;
	pid_t tid = rec->tid;

	exec_handshake_hear(s, tid);
	do
		decide(s, rec, &decision);
	while (!apply(s, rec, &decision));
	if (decision.kind < DECISION_UNSETTLED)
		exec_handshake_done(s, tid);
}
