/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that ran before exectrace did, and what is below them (--pid). */
#include "private.h"

#include <errno.h>
#include <exectrace/base/err.h>
#include <string.h>

/* What one --pid is about. */
struct asking {
	struct supervisor *s;
	pid_t pid;
	bool refused; /* that process itself */
};

static void see(void *user, pid_t pid, struct exec_record *rec, const char *why)
{
	struct asking *asking = user;

	if (rec) {
		supervisor_record(asking->s, rec);
		asking->s->adopted++;
		asking->s->watched += pid == asking->pid;
		return;
	}
	asking->refused |= pid == asking->pid;
	err_say(pid == asking->pid ? ERR_ERROR : ERR_NOTE, "[%d] cannot be watched: %s", (int)pid, why);
}

static void events(void *user)
{
	supervisor_meanwhile(((struct asking *)user)->s);
}

/* We are told to end. */
static bool enough(void *user)
{
	return ((struct asking *)user)->s->shutdown.sig != 0;
}

static int adopt(struct supervisor *s, pid_t pid)
{
	struct asking asking = {.s = s, .pid = pid};
	const struct engine_sees sees = {see, events, enough, &asking};
	int err = 0;

	if (pid == 1 && !s->config->force) {
		err_say(ERR_ERROR, "--pid=1: everything on this machine is below process 1; --force watches it all");
		return -EINVAL;
	}
	err = engine_adopt(s->engine, pid, s->config->force, &sees);
	if (err == -ENOTSUP)
		err_say(ERR_ERROR, "--pid=%d: engine %s sees only what it has started; --engine=ptrace sees it",
		        (int)pid, engine_name(s->engine));
	else if (err)
		err_say(ERR_ERROR, "--pid=%d: %s", (int)pid, strerror(-err));
	return !err && asking.refused ? -EPERM : err;
}

int running_adopt(struct supervisor *s)
{
	int err = 0;

	s->adopting = true;
	for (size_t i = 0; i < s->config->n_pids && !err && !s->shutdown.sig; i++)
		err = adopt(s, s->config->pids[i]);
	s->adopting = false;
	launch_adopted(&s->launch);
	s->unkept |=
		s->config->n_pids && s->launch.keeper <= 0; /* it was killed, and the next order was to have another */
	if (s->adopted && !s->watched)
		s->tree_ended = !engine_lives_on(s->engine);
	if (!err && s->config->n_pids)
		err_say(ERR_VERBOSE, "%u processes are watched", s->adopted);
	return err;
}

void running_ended(struct supervisor *s, pid_t pid)
{
	bool asked = false;

	/* Beside a command that is not asked for (running_goes_on). */
	if (s->config->command[0])
		return;
	for (size_t i = 0; i < s->config->n_pids; i++)
		asked |= s->config->pids[i] == pid;
	s->watched -= s->watched && asked;
	s->tree_ended = !s->adopting && !s->watched && !engine_lives_on(s->engine);
}

/* How a picked process ends is said or recorded, though nothing is owed to it any more. */
static bool awaits(const struct supervisor *s)
{
	bool awaits = false;

	for (const struct job *job = s->jobs; job && !awaits; job = job->next)
		awaits = job->action && job->state != JOB_DONE;
	return awaits;
}

bool running_goes_on(const struct supervisor *s)
{
	if (s->config->command[0] || s->shutdown.sig)
		return false;
	if (!s->unsettled && ruleset_over(s->config->rules))
		return awaits(s);
	return s->adopted && !s->tree_ended && !engine_finished(s->engine);
}

void running_last_words(struct supervisor *s)
{
	if (engine_has_adopted(s->engine) && s->launch.keeper > 0)
		err_say(ERR_NOTE,
		        "what ran already goes on with a seccomp listener: process %d (exectrace-keep) answers it",
		        (int)s->launch.keeper);
}
