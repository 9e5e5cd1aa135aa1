/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How watched processes have ended, where their pidfds do not tell (before Linux 6.15). */
#include "private.h"

#include <exectrace/base/clock.h>
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
	s->root_followed = s->launch.behind && exits_follow(&s->exits, s->launch.root);
}

void ends_follow(struct supervisor *s, struct job *job)
{
	if (!job->followed && job->rec.threads <= 1)
		job->followed = exits_follow(&s->exits, job->rec.pid);
}

void ends_leave(struct supervisor *s, struct job *job)
{
	if (job->followed)
		exits_leave(&s->exits, job->rec.pid);
	job->followed = false;
}

void ends_heard(struct supervisor *s, pid_t pid, int status)
{
	for (struct job *job = s->jobs; job; job = job->next) {
		if (job->rec.pid != pid || job->end.known)
			continue;
		job->end.known = true;
		job->end.wait_status = status;
	}
}

/* Looks, as watch_look; true when there is nothing to wait for. */
static bool look(struct supervisor *s, struct watch *watch, struct exec_end *end, bool followed)
{
	uint64_t when = end->ended ? end->when : 0;

	if (!watch_look(watch, end))
		return false;
	if (when)
		end->when = when;
	exits_hear(&s->exits);
	if (!end->known && followed)
		end->known = exits_know(&s->exits, watch->pid, &end->wait_status);
	/* An engine that attaches to all of the tree hears it by wait. */
	if (!followed && (s->ends_over || !engine_holds_tree(s->engine)))
		return true;
	return end->known || clock_now() - end->when > PATIENCE;
}

bool ends_look(struct supervisor *s, struct job *job)
{
	return look(s, &job->watch, &job->end, job->followed);
}

bool ends_awaits(const struct job *job)
{
	return job->end.ended && !job->end.known && job->watch.fd >= 0;
}

bool ends_look_at_root(struct supervisor *s)
{
	return look(s, &s->root_watch, &s->root_seen, s->root_followed);
}

void ends_settle(struct supervisor *s)
{
	const struct timespec moment = {.tv_nsec = NS_PER_MS};
	uint64_t limit = clock_now() + PATIENCE;
	bool awaited = true;

	s->ends_over = true;
	while (awaited && clock_now() < limit) {
		awaited = false;
		for (struct job *job = s->jobs; job; job = job->next)
			awaited |= !ends_look(s, job) && ends_awaits(job);
		if (awaited)
			nanosleep(&moment, NULL);
	}
	for (struct job *job = s->jobs; job; job = job->next) /* no longer */
		ends_leave(s, job);
}
