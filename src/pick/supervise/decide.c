/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decide.h"

#include "private.h"
#include <exectrace/pick/action/process.h>
#include <string.h>
#include <unistd.h>

#define WALK_MAX 64 /* ancestors looked at */

/* The rule that wraps this process or an ancestor: its exec of the real program is not meant again. 0: none. */
static int wrapped_by(const struct supervisor *s, struct exec_record *rec)
{
	pid_t pid = 0;
	bool any = false;

	for (const struct job *job = s->jobs; job; job = job->next)
		any |= job->wrapped;
	if (!any)
		return 0;
	exec_record_want(rec, EXEC_IDS);
	pid = rec->pid;
	for (int depth = 0; depth < WALK_MAX && pid > 1; depth++) {
		for (const struct job *job = s->jobs; job; job = job->next) {
			if (job->wrapped && job->rec.pid == pid)
				return job->rule;
		}
		pid = process_parent(pid);
	}
	return 0;
}

/* Of threads that execute at once only one will: which one shows at the completion. */
static bool several_threads(struct exec_record *rec)
{
	exec_record_want(rec, EXEC_IDS);
	return rec->threads > 1;
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

/* The job whose tool has a process already: its own of before the exec, or that of an ancestor. NULL: none. */
static struct job *covering(const struct supervisor *s, const struct action *action, pid_t pid)
{
	for (unsigned up = 0; pid > 1 && up < action->covers && up < WALK_MAX; up++) {
		for (struct job *job = s->jobs; job; job = job->next)
			if (job->action == action && job->tool > 0 && job->rec.pid == pid)
				return job;
		pid = process_parent(pid);
	}
	return NULL;
}

static bool same_command(struct exec_record *a, const struct exec_record *b)
{
	exec_record_want(a, EXEC_ARGV | EXEC_TARGET);
	return a->path && b->path && strcmp(a->path, b->path) == 0 && a->cmdline.len == b->cmdline.len &&
	       memcmp(a->cmdline.data, b->cmdline.data, b->cmdline.len) == 0;
}

/* A thread whose execve a tool has: it may try again by itself, have been interrupted, or have gone on. */
static bool is_awaited(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	struct job *job = s->jobs;

	while (job && !(job->state == JOB_RESTARTING && !job->tracee && job->rec.tid == rec->tid))
		job = job->next;
	if (!job)
		return false;
	decision->job = job;
	decision->outcome = job_outcome(job);
	decision->kind = DECISION_SETTLE;
	if (decision->outcome == OUTCOME_OPEN && same_command(rec, &job->rec))
		decision->kind = DECISION_RESUME;
	else if (decision->outcome == OUTCOME_OPEN)
		decision->outcome = OUTCOME_FAILED;
	return true;
}

/* Its tracer, when that is one of ours, may have to be told first. */
static bool is_to_be_told(const struct supervisor *s, const struct exec_record *rec, struct decision *decision)
{
	static const enum decision_kind kinds[] =
		{[TELLER_ASK] = DECISION_ASK, [TELLER_WAIT] = DECISION_WAIT, [TELLER_AGAIN] = DECISION_AGAIN};
	enum exec_handshake_step step = exec_handshake_see(s, rec->tid, &decision->job);

	if (step == TELLER_NONE || step == TELLER_GO)
		return false;
	decision->kind = kinds[step];
	return true;
}

/* What stands in the way of a pick. */
static void look_at_pick(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	const struct action *action = &s->actions[decision->verdict.rule - 1];

	exec_record_want(rec, EXEC_IDS | EXEC_USER | EXEC_TARGET | EXEC_CWD);
	if (action->kind == ACTION_LOG)
		exec_record_want(rec, EXEC_ANCESTORS);
	decision->job = covering(s, action, rec->pid);
	if (decision->job) {
		decision->kind = DECISION_COVERED;
		return;
	}
	decision->kind = DECISION_TAKE;
	if (action->kind == ACTION_LOG && !several_threads(rec))
		return;
	decision->tracer = process_tracer(rec->tid);
	/* The keeper has it for a moment, to see whether it is watched (engine_adopt). */
	if (decision->tracer && decision->tracer == s->launch.keeper)
		decision->kind = DECISION_AGAIN;
	else if (decision->tracer && decision->tracer != getpid())
		decision->kind = DECISION_TRACED;
}

/* A rule that matches, but is not for this program or this process, is as one that does not match. */
static void drop_unfit(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	int rule = decision->verdict.rule;
	const struct action *action = rule ? &s->actions[rule - 1] : NULL;

	if (!rule)
		return;
	if (action->kind == ACTION_GUEST)
		decision->fit = guest_fits(action, rec);
	if (decision->fit != GUEST_FITS)
		decision->unfit = action;
	if (decision->unfit || rule == wrapped_by(s, rec))
		decision->verdict = (struct verdict){0};
}

static void ask_rules(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	if (s->config->list) {
		decision->kind = DECISION_LIST;
		decision->verdict = (struct verdict){0};
		return;
	}
	if (sibling_is_taken(s, rec) || (decision->verdict.counted && s->unsettled)) {
		decision->kind = DECISION_DEFER;
		return;
	}
	drop_unfit(s, rec, decision);
	if (decision->verdict.rule && s->actions[decision->verdict.rule - 1].kind != ACTION_IGNORE)
		look_at_pick(s, rec, decision);
}

/*
 * The threads of a process that has executed nothing since make one command together, however often they try. That a
 * leader has no other threads is not worth a look at /proc, unless each command is recorded or shown.
 */
static bool counts(const struct supervisor *s, struct exec_record *rec, bool leads)
{
	bool exact = s->dir.path || s->config->list || (rec->have & EXEC_IDS);

	return (leads && !exact) || !several_threads(rec) || !attempts_known(&s->attempts, rec->tid);
}

/* What is known of the exec as such, and what the rules say of it. */
static void look_at_exec(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	exec_record_want(rec, EXEC_ARGV | (s->launch.no_new_privs ? EXEC_TARGET : 0));
	/* Before the outcome: a rule that looks at the file learns that as well. */
	ruleset_match(s->config->rules, rec, &decision->verdict, NULL);
	exec_record_want(rec, EXEC_OUTCOME);
	if (s->dir.path && !rec->outcome)
		exec_record_want(rec, RECORD_FIELDS);
	if (!rec->outcome && !engine_must_look(s->engine))
		ask_rules(s, rec, decision);
	decision->setid = s->launch.no_new_privs && rec->setid;
	decision->leads = process_leads(rec->tid);
	if (!rec->outcome && decision->kind != DECISION_DEFER)
		decision->counts = counts(s, rec, decision->leads);
}

void decide(const struct supervisor *s, struct exec_record *rec, struct decision *decision)
{
	bool news = false;

	*decision = (struct decision){.kind = DECISION_PASS, .fit = GUEST_FITS};
	if (is_to_be_told(s, rec, decision))
		return;
	news = !is_awaited(s, rec, decision);
	if (news)
		look_at_exec(s, rec, decision);
	/* What was read is its own only while it still waits. An attempt that fails, such as of a PATH search, is no
	 * command; nor is that of a thread another's exec has ended. */
	if (engine_must_look(s->engine))
		*decision = (struct decision){.kind = DECISION_LOOK};
	else if (news && (rec->outcome || !engine_current(s->engine)))
		*decision = (struct decision){.kind = DECISION_ATTEMPT};
}
