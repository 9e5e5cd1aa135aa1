/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to be done with an exec. */
#include "guest.h"
#include "private.h"

#include <errno.h>
#include <exectrace/action/process.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <string.h>
#include <unistd.h>

#define WALK_MAX 64 /* ancestors looked at */

static void note_setid(struct supervisor *s, const struct exec_record *rec)
{
	if (!s->launch.no_new_privs || !rec->setid || s->warned_setid)
		return;
	s->warned_setid = true;
	err_say(ERR_NOTE,
	        "%s is set-user-id or set-group-id: without root's rights it runs unprivileged below exectrace",
	        rec->exe ? rec->exe : rec->path);
}

/* The rule that wraps this process or an ancestor: its exec of the real program is not meant again. 0: none. */
static int wrapped_by(const struct supervisor *s, struct exec_record *rec)
{
	pid_t pid = 0;
	bool any = false;

	for (const struct job *job = s->jobs; job; job = job->next)
		any |= job->wrapped;
	if (any)
		exec_record_want(rec, EXEC_IDS);
	pid = rec->pid;
	for (int depth = 0; any && depth < WALK_MAX && pid > 1; depth++) {
		for (const struct job *job = s->jobs; job; job = job->next) {
			if (job->wrapped && job->rec.pid == pid)
				return job->rule;
		}
		pid = process_parent(pid);
	}
	return 0;
}

/* --list: one line an exec. */
static void list(struct supervisor *s, struct exec_record *rec)
{
	cleanup_buf struct buf why = BUF_INIT;
	cleanup_buf struct buf line = BUF_INIT;
	struct verdict verdict;

	exec_record_want(rec, EXEC_IDS);
	ruleset_match(s->config->rules, rec, false, &verdict, &why);
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

static void take_back(struct supervisor *s, struct verdict *verdict)
{
	ruleset_retract(s->config->rules, verdict);
	verdict->counted = 0;
}

/* It is traced by somebody else, or not ours to trace: it runs on. */
static void cannot_take(struct supervisor *s, struct job *job, int err)
{
	pid_t tracer = process_tracer(job->rec.tid);

	take_back(s, &job->verdict);
	if (tracer > 0 && !s->warned_traced)
		err_say(ERR_NOTE, "[%d] matches, but process %d traces it already; left alone", (int)job->rec.pid,
		        (int)tracer);
	else if (tracer <= 0)
		err_say(ERR_NOTE, "[%d] matches, but cannot be attached to: %s", (int)job->rec.pid, strerror(-err));
	s->warned_traced |= tracer > 0;
	job_free(s, job);
	engine_pass(s->engine);
}

/* Of threads that execute at once only one will: which one shows at the completion. */
static bool several_threads(struct exec_record *rec)
{
	exec_record_want(rec, EXEC_IDS);
	return rec->threads > 1;
}

/* The job whose tool has a process already: its own of before the exec, or that of an ancestor. NULL: none. */
static const struct job *covering(const struct supervisor *s, const struct job *job)
{
	pid_t pid = job->rec.pid;

	for (unsigned up = 0; pid > 1 && up < job->action->covers && up < WALK_MAX; up++) {
		for (const struct job *other = s->jobs; other; other = other->next)
			if (other != job && other->action == job->action && other->tool > 0 && other->rec.pid == pid)
				return other;
		pid = process_parent(pid);
	}
	return NULL;
}

/* It would be recorded twice. */
static void is_covered(struct supervisor *s, struct job *job, const struct job *other)
{
	err_say(ERR_NOTE, "[%d] matches, but %s has it already, with process %d; left alone", (int)job->rec.pid,
	        job->action->name, (int)other->rec.pid);
	take_back(s, &job->verdict);
	job_free(s, job);
	engine_pass(s->engine);
}

static void take(struct supervisor *s, struct job *job)
{
	/* Whoever traces it already would be mistaken for our tool. */
	pid_t tracer = process_tracer(job->rec.tid);
	int err = 0;

	if (tracer && tracer != getpid()) {
		cannot_take(s, job, -EPERM);
		return;
	}
	if (job->action->restarts && !several_threads(&job->rec) && job_hold(s, job))
		return;
	err = engine_take(s->engine, &job->tracee);
	if (err) {
		cannot_take(s, job, err);
		return;
	}
	job->tracee->user = job;
	job->state = JOB_TAKING;
	if (job->verdict.counted)
		s->unsettled++;
}

static void act(struct supervisor *s, const struct verdict *verdict, struct exec_record *rec)
{
	const struct action *action = &s->actions[verdict->rule - 1];
	const struct job *other = NULL;
	struct job *job = NULL;

	if (action->kind == ACTION_IGNORE) {
		engine_pass(s->engine);
		return;
	}
	exec_record_want(rec, EXEC_IDS | EXEC_USER | EXEC_TARGET | EXEC_CWD);
	if (action->kind == ACTION_LOG)
		exec_record_want(rec, EXEC_ANCESTORS);
	if (!engine_current(s->engine)) { /* it ended while we looked */
		ruleset_retract(s->config->rules, verdict);
		s->commands--;
		engine_pass(s->engine);
		return;
	}
	job = job_new(s, verdict, rec);
	if (!job) {
		err_say(ERR_ERROR, "[%d] matches, but there is no memory left", (int)rec->pid);
		engine_pass(s->engine);
		return;
	}
	other = covering(s, job);
	if (other) {
		is_covered(s, job, other);
	} else if (action->kind == ACTION_LOG && !several_threads(rec)) {
		job_describe(s, job);
		engine_pass(s->engine);
	} else {
		take(s, job);
	}
}

/* Every exec goes into the record of the run (-o). */
static void record(struct supervisor *s, struct exec_record *rec)
{
	struct verdict none = {0};
	struct job *job = NULL;

	if (!s->dir.path)
		return;
	exec_record_want(rec, EXEC_IDS | EXEC_USER | EXEC_TARGET | EXEC_CWD | EXEC_ANCESTORS);
	job = job_new(s, &none, rec);
	if (!job)
		return;
	job_describe(s, job);
}

/* The threads of a process that has executed nothing since make one command together, however often they try. */
static bool counts(struct supervisor *s, struct exec_record *rec)
{
	return !several_threads(rec) || attempts_first(&s->attempts, rec->tid);
}

/*
 * While a thread is being taken, its siblings must not be: attaching waits for the process's exec to end (ptrace_attach
 * takes cred_guard_mutex), and that exec waits for us to reap the thread that is attached.
 */
static bool sibling_is_taken(const struct supervisor *s, struct exec_record *rec)
{
	bool any = false;

	for (const struct job *job = s->jobs; job; job = job->next)
		any |= job->state == JOB_TAKING;
	if (!any || !several_threads(rec))
		return false;
	for (const struct job *job = s->jobs; job; job = job->next) {
		if (job->state == JOB_TAKING && job->rec.pid == rec->pid)
			return true;
	}
	return false;
}

/* No rule picks it. */
static void leave_alone(struct supervisor *s, struct exec_record *rec)
{
	if (!s->matches)
		nearest_look(&s->nearest, s->config->rules, rec);
}

/* An action may be for some programs only; others are as if the rule did not match. */
static bool is_for(const struct action *action, struct exec_record *rec)
{
	return action->kind != ACTION_GUEST || guest_wanted(action, rec);
}

static void match(struct supervisor *s, struct exec_record *rec)
{
	struct verdict verdict;
	int shield = wrapped_by(s, rec);

	if (sibling_is_taken(s, rec)) {
		engine_defer(s->engine);
		return;
	}
	ruleset_match(s->config->rules, rec, s->unsettled > 0, &verdict, NULL);
	if (verdict.rule == -EAGAIN) {
		engine_defer(s->engine);
		return;
	}
	if (counts(s, rec)) {
		s->commands++;
		record(s, rec);
	}
	if (verdict.rule && (verdict.rule == shield || !is_for(&s->actions[verdict.rule - 1], rec))) {
		take_back(s, &verdict);
		verdict.rule = 0;
	}
	if (verdict.rule) {
		act(s, &verdict, rec);
		return;
	}
	leave_alone(s, rec);
	engine_pass(s->engine);
}

/* An attempt that fails, such as of a PATH search, is no command; nor is that of a thread another's exec has ended. */
static bool is_command(struct supervisor *s, struct exec_record *rec)
{
	exec_record_want(rec, EXEC_ARGV | EXEC_TARGET);
	return !rec->outcome && engine_current(s->engine);
}

/* Something may have to be said, written or waited for: nothing for a glance. */
static bool needs_more(const struct supervisor *s)
{
	bool more = s->config->list || s->dir.path || s->unsettled;

	for (const struct job *job = s->jobs; job && !more; job = job->next)
		more = job->wrapped || job->state == JOB_TAKING || job->state == JOB_RESTARTING;
	return more;
}

bool supervisor_glance(void *user, struct exec_record *rec)
{
	struct supervisor *s = user;
	struct verdict verdict;
	bool leads = false;

	if (needs_more(s))
		return false;
	if (teller_possible(s, rec->tid))
		return false;
	exec_record_want(rec, EXEC_ARGV | (s->launch.no_new_privs ? EXEC_TARGET : 0));
	if (s->launch.no_new_privs && rec->setid)
		return false;
	ruleset_match(s->config->rules, rec, true, &verdict, NULL);
	if (verdict.rule)
		return false;
	exec_record_want(rec, EXEC_OUTCOME);
	if (rec->outcome || !engine_current(s->engine))
		return true;
	leads = process_leads(rec->tid);
	if (s->remember)
		(void)engine_note(s->engine, leads);
	if (leads || counts(s, rec)) /* of a leader the rest is not worth a look at /proc */
		s->commands++;
	leave_alone(s, rec);
	return true;
}

void supervisor_exec(struct supervisor *s, struct exec_record *rec)
{
	if (teller_first(s, rec))
		return;
	if (job_calls_again(s, rec)) {
		engine_pass(s->engine);
		return;
	}
	if (!is_command(s, rec)) {
		engine_pass(s->engine);
		return;
	}
	note_setid(s, rec);
	if (s->remember)
		(void)engine_note(s->engine, process_leads(rec->tid));
	if (s->config->list) {
		if (counts(s, rec)) {
			s->commands++;
			list(s, rec);
		}
		engine_pass(s->engine);
		return;
	}
	match(s, rec);
}
