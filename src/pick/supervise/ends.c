/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How watched processes have ended, where their pidfds do not tell (before Linux 6.15), and what they used. */
#include "private.h"

#include <exectrace/base/clock.h>
#include <exectrace/target/exec/usage.h>
#include <time.h>

#define PATIENCE (100 * NS_PER_MS) /* from the end of a process until it is told how it was */

/* Somebody asks for ends: the log, a record of the run, or --keep. */
static bool are_needed(const struct supervisor *s)
{
	bool needed = s->config->keep_failed || s->dir.path;

	for (int i = 0; !needed && i < ruleset_count(s->config->rules); i++)
		needed = s->actions[i].kind == ACTION_LOG && ruleset_action(s->config->rules, i + 1);
	return needed && !s->config->list;
}

void ends_open(struct supervisor *s)
{
	s->ends_untold = are_needed(s) && !exits_are_told();
	if (s->ends_untold)
		(void)exits_open(&s->exits);
	if (are_needed(s)) /* where there are none less is known */
		(void)exit_stats_open(&s->exit_stats);
	s->root_followed = s->launch.behind && exits_follow(&s->exits, s->launch.root);
}

void ends_follow(struct supervisor *s, struct job *job)
{
	if (job->rec.threads > 1)
		return;
	if (!job->followed)
		job->followed = exits_follow(&s->exits, job->rec.pid);
	if (!job->counted)
		job->counted = exit_stats_follow(&s->exit_stats, job->rec.pid);
}

void ends_leave(struct supervisor *s, struct job *job)
{
	if (job->followed)
		exits_leave(&s->exits, job->rec.pid);
	if (job->counted)
		exit_stats_leave(&s->exit_stats, job->rec.pid);
	job->followed = job->counted = false;
}

void ends_heard(struct supervisor *s, pid_t pid, int status)
{
	for (struct job *job = s->jobs; job; job = job->next) {
		if (job->rec.pid != pid || job->end.known)
			continue;
		job->end.known = true;
		job->end.wait_status = status;
		if (job->watch.fd >= 0)
			exit_watch_usage(&job->watch, &job->end);
	}
}

/*
 * Statistics of a thread come when it begins to end, so its process is there for a moment more. When its parent reaps
 * it before we see the zombie, nothing but what ending itself takes is missing here.
 */
static void look_early(struct supervisor *s, struct job *job)
{
	unsigned ended = job->counted ? exit_stats_ended(&s->exit_stats, job->rec.pid) : 0;

	if (ended == job->heard)
		return;
	job->heard = ended;
	exit_watch_cpu(&job->watch, &job->early);
}

void ends_hear(struct supervisor *s)
{
	exits_hear(&s->exits);
	exit_stats_hear(&s->exit_stats);
	for (struct job *job = s->exit_stats.users ? s->jobs : NULL; job; job = job->next)
		look_early(s, job);
}

static void add_statistics(struct supervisor *s, const struct job *job, struct exec_end *end)
{
	exit_stats_hear(&s->exit_stats);
	if (job->heard == exit_stats_ended(&s->exit_stats, job->rec.pid))
		exec_usage_complete(&end->usage, &job->early);
	exit_stats_know(&s->exit_stats, job->rec.pid, end);
}

/* Looks, as exit_watch_look, at a job or the command (job: NULL); true when there is nothing to wait for. */
static bool look(struct supervisor *s, struct exit_watch *watch, struct exec_end *end, bool followed,
                 const struct job *job)
{
	uint64_t when = end->ended ? end->when : 0;

	if (!exit_watch_look(watch, end))
		return false;
	if (when)
		end->when = when;
	exits_hear(&s->exits);
	if (job && job->counted)
		add_statistics(s, job, end);
	if (!end->known && followed)
		end->known = exits_know(&s->exits, watch->pid, &end->wait_status);
	/* An engine that attaches to all of the tree hears it by wait. */
	if (!followed && (s->ends_over || !engine_holds_tree(s->engine)))
		return true;
	return end->known || clock_now() - end->when > PATIENCE;
}

bool ends_look(struct supervisor *s, struct job *job)
{
	return look(s, &job->watch, &job->end, job->followed, job);
}

bool ends_awaits(const struct job *job)
{
	return job->end.ended && !job->end.known && job->watch.fd >= 0;
}

bool ends_look_at_root(struct supervisor *s)
{
	return look(s, &s->root_watch, &s->root_seen, s->root_followed, NULL);
}

/* The filter goes before its process does (do_exit, Linux 6.11): who had it last is on its way. */
static bool is_ending(const struct supervisor *s, const struct job *job, bool finished)
{
	return finished && !engine_holds_tree(s->engine) && !job->end.ended && job->watch.fd >= 0;
}

void ends_settle(struct supervisor *s)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};
	const bool finished = engine_finished(s->engine);
	uint64_t limit = clock_now() + PATIENCE;
	bool awaited = true;

	s->ends_over = true;
	while (awaited && clock_now() < limit) {
		awaited = false;
		for (struct job *job = s->jobs; job; job = job->next)
			awaited |= !ends_look(s, job) && (ends_awaits(job) || is_ending(s, job, finished));
		if (awaited)
			nanosleep(&moment, NULL);
	}
	for (struct job *job = s->jobs; job; job = job->next) /* no longer */
		ends_leave(s, job);
}
