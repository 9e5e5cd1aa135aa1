/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals at random moments for random processes of a run; the plain run is the oracle. */
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const struct {
	int sig;
	unsigned weight;
} choices[] = {{SIGKILL, 30}, {SIGNAL_PAUSE, 30}, {SIGTERM, 16}, {SIGINT, 12}, {SIGHUP, 12}};

static const char *signal_text(const struct shot *shot)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s%s", shot->sig == SIGNAL_PAUSE ? "STOP+CONT" : sigabbrev_np(shot->sig),
	         shot->twice ? " twice" : "");
	return text;
}

static int choose_signal(struct rng *rng)
{
	unsigned at = rng_below(rng, 100);

	for (size_t i = 0;; i++) {
		if (at < choices[i].weight)
			return choices[i].sig;
		at -= choices[i].weight;
	}
}

/* A process that this action has. */
static enum role choose_target(const struct action *action, bool behind, struct rng *rng)
{
	static const enum role targets[] = {ROLE_SUPERVISOR, ROLE_SUPERVISOR, ROLE_SUPERVISOR, ROLE_KEEPER,
	                                    ROLE_SENTINEL,   ROLE_LOOK,       ROLE_TOOL,       ROLE_TOOL,
	                                    ROLE_GUARD,      ROLE_PICK,       ROLE_PICK,       ROLE_PICK,
	                                    ROLE_OTHER,      ROLE_COMMAND,    ROLE_GROUP};

	for (;;) {
		enum role target = targets[rng_below(rng, sizeof(targets) / sizeof(targets[0]))];

		if ((target == ROLE_SENTINEL && behind) ||
		    (target == ROLE_GUARD && strncmp(action->name, "trace", 5)) ||
		    (target == ROLE_TOOL && !action->attaches))
			continue;
		return target;
	}
}

static void choose_shot(struct shot *shot, const struct action *action, bool behind, struct rng *rng)
{
	static const int triggers[] = {-1, ROLE_PICK, ROLE_PICK, ROLE_TOOL, ROLE_KEEPER, ROLE_OTHER};

	shot->trigger = triggers[rng_below(rng, sizeof(triggers) / sizeof(triggers[0]))];
	if (shot->trigger == ROLE_TOOL && !action->attaches)
		shot->trigger = ROLE_PICK;
	shot->delay_us = rng_log(rng, shot->trigger < 0 ? 150000 : 30000);
	shot->target = choose_target(action, behind, rng);
	shot->sig = choose_signal(rng);
	shot->pause_us = rng_log(rng, 400000);
	shot->twice = shot->sig != SIGNAL_PAUSE && rng_percent(rng, 25);
}

/* Does this line of the plain run have a right to be missing, or to read otherwise? */
static bool may_differ(const struct run *run, const char *line, const struct action *action)
{
	for (int i = 0; i < run->shot_count; i++) {
		const struct shot *shot = &run->shots[i];
		bool about_pick = strstr(line, "pick ") || strstr(line, "other 5");

		if (!shot->hit)
			continue;
		if (shot->target == ROLE_COMMAND || shot->target == ROLE_GROUP)
			return true;
		/* What ends exectrace passes it on to the command, when that is not the very process. */
		if (shot->target == ROLE_SUPERVISOR && shot->sig != SIGNAL_PAUSE && shot->sig != SIGKILL)
			return true;
		if (shot->target == ROLE_PICK && about_pick)
			return true;
		if (shot->target == ROLE_TOOL && about_pick && action->breakpoints)
			return true;
		if (shot->target == ROLE_OTHER && strstr(line, "other "))
			return true;
	}
	return action->release && strcmp(action->name, "gdbserver") == 0; /* ended by a signal for the run */
}

/* Can this signal come from a shot? */
static bool is_shot(const struct run *run, int sig, const struct action *action)
{
	if (sig == SIGTRAP && action->breakpoints)
		return true;
	for (int i = 0; i < run->shot_count; i++) {
		if (run->shots[i].hit && run->shots[i].sig == sig)
			return true;
	}
	return sig == SIGTERM && action->release;
}

static void check_line(const struct run *run, const char *line, const struct lines *plain, const struct action *action,
                       struct verdict *verdict)
{
	int number = 0;
	char word[16];

	if (lines_have(plain, line))
		return;
	if (strstr(line, "CHANGED")) {
		/* A debugger that was killed leaves its own. */
		if (!action->breakpoints)
			verdict_say(verdict, "code of a program was left changed", "%s", line);
		return;
	}
	for (int i = 0; i < plain->count; i++) {
		if (about_same_child(plain->at[i], line) && may_differ(run, line, action) &&
		    sscanf(line, "child %*s %*s %15s %d", word, &number) == 2 && strcmp(word, "signal") == 0 &&
		    is_shot(run, number, action))
			return;
	}
	verdict_say(verdict, "output", "a line that the plain run does not have: %s", line);
}

/* It says that it could not start, because somebody has killed one of its processes. */
static bool was_kept_from_starting(const struct run *run)
{
	char path[PATH_MAX];
	char text[4096];
	bool killed = false;

	for (int i = 0; i < run->shot_count; i++) {
		const struct shot *shot = &run->shots[i];

		killed |= shot->hit && shot->sig == SIGKILL &&
		          (shot->target <= ROLE_SENTINEL || shot->target == ROLE_COMMAND);
	}
	snprintf(path, sizeof(path), "%s/err", run->dir);
	file_read(path, text, sizeof(text));
	return killed && (strstr(text, "cannot start: ") || strstr(text, "cannot watch the command: "));
}

/*
 * Neither is left to start the other again, or to end what was begun: the system calls that wait for them fail, and
 * what is parked stays so.
 */
static bool are_both_killed(const struct run *run)
{
	bool supervisor = false;
	bool keeper = false;

	for (int i = 0; i < run->shot_count; i++) {
		const struct shot *shot = &run->shots[i];

		if (!shot->hit || shot->sig != SIGKILL)
			continue;
		supervisor |= shot->target == ROLE_SUPERVISOR || shot->target == ROLE_GROUP;
		keeper |= shot->target == ROLE_KEEPER;
	}
	return supervisor && keeper;
}

/* A signal that ended exectrace before it had started anything. */
static bool never_started(const struct run *run, const struct lines *got)
{
	if (!got->count && was_kept_from_starting(run))
		return true;
	for (int i = 0; i < run->shot_count; i++) {
		const struct shot *shot = &run->shots[i];

		if (!got->count && shot->hit && shot->trigger < 0 && WIFSIGNALED(run->status) &&
		    WTERMSIG(run->status) == shot->sig)
			return true;
	}
	return false;
}

static void check_output(const struct run *run, const struct lines *plain, const struct action *action,
                         struct verdict *verdict)
{
	char path[PATH_MAX];
	struct lines got;

	snprintf(path, sizeof(path), "%s/out", run->dir);
	lines_read(&got, path);
	for (int i = 0; i < got.count; i++)
		check_line(run, got.at[i], plain, action, verdict);
	for (int i = 0; i < plain->count && !never_started(run, &got); i++) {
		bool found = lines_have(&got, plain->at[i]);

		for (int k = 0; k < got.count && !found; k++)
			found = about_same_child(plain->at[i], got.at[k]);
		if (!found && !may_differ(run, plain->at[i], action))
			verdict_say(verdict, "output", "a line of the plain run is missing: %s", plain->at[i]);
	}
	lines_free(&got);
}

/* The status may be that of a signal that was for the process that was started, or that it died of with the command. */
static void check_status(const struct run *run, int plain, const struct action *action, bool behind,
                         struct verdict *verdict)
{
	int sig = WIFSIGNALED(run->status) ? WTERMSIG(run->status) : 0;

	if (run->status == plain)
		return;
	if (WIFEXITED(run->status) && WEXITSTATUS(run->status) == 125 && was_kept_from_starting(run))
		return;
	for (int i = 0; i < run->shot_count; i++) {
		const struct shot *shot = &run->shots[i];

		if (!shot->hit || shot->sig != sig)
			continue;
		if (shot->target == ROLE_COMMAND || shot->target == ROLE_GROUP)
			return;
		/* Before it is known who the supervisor is, it may be the command. */
		if (shot->target == ROLE_SUPERVISOR && (!behind || shot->trigger < 0))
			return;
	}
	if (sig == SIGTERM && action->release)
		return;
	verdict_say(verdict, "status", "%s instead of %s", status_text(run->status), status_text(plain));
}

static void plain_run(const struct setup *setup, const char *dir, struct lines *lines, int *status)
{
	struct run run = {.dir = dir, .limit_ms = setup->limit_ms};
	char path[PATH_MAX];

	words_addf(run.argv, "%s/work", setup->build);
	run_do(&run);
	*status = run.status;
	snprintf(path, sizeof(path), "%s/out", dir);
	lines_read(lines, path);
	remove(path);
}

static void describe(const struct run *run, struct verdict *verdict)
{
	char text[400];
	size_t len = strlen(verdict->detail);

	for (int i = 0; i < run->shot_count && len < sizeof(verdict->detail); i++) {
		const struct shot *shot = &run->shots[i];

		snprintf(text, sizeof(text), "%s%s to %s %ld us after %s%s", len ? "; " : "", signal_text(shot),
		         role_names[shot->target], shot->delay_us,
		         shot->trigger < 0 ? "the start" : role_names[shot->trigger], shot->hit ? "" : " (not there)");
		len += (size_t)snprintf(verdict->detail + len, sizeof(verdict->detail) - len, "%s", text);
	}
}

void signals_trial(const struct setup *setup, struct rng *rng, const char *dir, struct verdict *verdict)
{
	const struct action *action = &actions[rng_below(rng, (unsigned)action_count)];
	const char *engine = rng_percent(rng, 60) ? "notify" : "ptrace";
	bool behind = rng_percent(rng, 30);
	bool output = action->records || rng_percent(rng, 40);
	struct run run = {.dir = dir,
	                  .ours = true,
	                  .pty = action->pty || rng_percent(rng, 15),
	                  .limit_ms = setup->limit_ms};
	struct lines plain = {0};
	char why[256];
	int status = 0;

	snprintf(verdict->what, sizeof(verdict->what), "signals: %s, %s%s", action->name, engine, behind ? ", -D" : "");
	run.release = action->release;
	run.end_all = strcmp(action->name, "gdbserver") == 0 && rng_percent(rng, 50);
	run.behind = behind;
	run.shot_count = rng_percent(rng, 30) ? 2 : 1;
	for (int i = 0; i < run.shot_count; i++)
		choose_shot(&run.shots[i], action, behind, rng);
	run.rng = rng_of(rng_next(rng), 0);
	if (action->tool && !have_tool(action->tool)) {
		verdict->skipped = true;
		snprintf(verdict->detail, sizeof(verdict->detail), "%s is not installed", action->tool);
		return;
	}
	words_add(run.argv, setup->exectrace);
	words_addf(run.argv, "--engine=%s", engine);
	if (behind)
		words_add(run.argv, "-D");
	if (output)
		words_add(run.argv, "--output=rec");
	words_addf(run.argv, "--run=%s", action->run);
	words_add(run.argv, "--exe=pick");
	words_add(run.argv, "--");
	words_addf(run.argv, "%s/work", setup->build);
	plain_run(setup, dir, &plain, &status);
	run_do(&run);
	if (run.problem[0] && !(are_both_killed(&run) && strncmp(run.problem, "crash", 5)))
		verdict_say(verdict, run.problem, "%s", "");
	if (!are_both_killed(&run)) {
		check_status(&run, status, action, behind, verdict);
		check_output(&run, &plain, action, verdict);
	}
	if (output && !recording_reads(setup, dir, why, sizeof(why)))
		verdict_say(verdict, "unreadable", "%s", why);
	describe(&run, verdict);
	lines_free(&plain);
}
