/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said at the end of a run. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <exectrace/base/quote.h>
#include <string.h>
#include <unistd.h>

/* What stood in the way, and what can be done. */
static const char *remedy(const struct engine_counts *counts)
{
	int why = counts->why;

	if (why == -EMFILE || why == -ENFILE)
		return "a higher limit of open files helps (ulimit -n)";
	if (why == -ENOMEM)
		return "there was no memory";
	if (why == -EAGAIN)
		return "for the moment; files that are renamed all the time may be the reason";
	if (counts->yama)
		return "kernel.yama.ptrace_scope is 1, and their parents had ended: --engine=ptrace can, or root";
	if (geteuid() != 0)
		return "they are another user's or not dumpable: root can";
	return "a sandbox around exectrace, or a security module, denies what that takes";
}

/* What was executed and could not be looked at: no rule that asks for it can have matched. */
static void say_unread(const struct engine_counts *counts)
{
	if (counts->unreadable)
		err_say(ERR_NOTE, "%lu commands could not be read (%s): %s", counts->unreadable, strerror(-counts->why),
		        remedy(counts));
	if (counts->slow)
		err_say(ERR_NOTE, "the files of %lu commands did not answer within 10 s: not known to --exe",
		        counts->slow);
}

bool supervisor_did_well(struct supervisor *s, const struct job *job)
{
	if (job->end.ended && !job->end.known && !s->said_unknown) {
		s->said_unknown = true;
		err_say(ERR_NOTE, "how [%d] ended is not known (Linux 6.15 tells): what was recorded is kept",
		        (int)job->rec.pid);
	}
	return job->end.known && job->end.wait_status == 0;
}

/* What became of guests, and what shows it: the last line. */
static void say_guests(const struct supervisor *s)
{
	cleanup_buf struct buf dir = BUF_INIT;

	if (!s->guests)
		return;
	if (s->dir.path && strcmp(s->dir.path, RUNDIR_DEFAULT) != 0) {
		buf_putc(&dir, ' ');
		quote_shell(&dir, s->dir.path, strlen(s->dir.path));
	}
	if (s->guests_in_trouble > 1)
		err_say(ERR_NOTE, "the kernels of %u guests %s; exectrace why%s shows where", s->guests_in_trouble,
		        "panicked, oopsed or hung", dir.len ? dir.data : "");
	else
		err_say(ERR_NOTE, "[%d] the guest%s %s; exectrace why%s shows %s", (int)s->guest_pid,
		        s->guests_in_trouble ? "'s kernel" : "", guest_outcomes[s->guest_outcome],
		        dir.len ? dir.data : "", s->guests_in_trouble ? "where" : "its course");
}

static void summary(struct supervisor *s)
{
	cleanup_buf struct buf line = BUF_INIT;
	struct engine_counts counts = engine_counts(s->engine);

	if (!s->commands && s->config->command[0])
		return; /* the command itself could not be run, and said so */
	(void)buf_printf(&line, "%lu of %lu commands matched", s->matches, s->commands);
	if (!s->matches && !s->config->list) {
		(void)ruleset_explain_none(s->config->rules, &line);
		(void)nearest_print(&s->nearest, &line);
	}
	err_say(ERR_NOTE, "%s", line.data);
	say_unread(&counts);
	if (s->unknown && s->ends_untold)
		err_say(ERR_NOTE, "how %lu commands ended is not known (Linux 6.15 tells)", s->unknown);
	if (!s->config->n_pids && engine_lives_on(s->engine))
		err_say(ERR_NOTE, "processes of the tree live on: what they execute from now on is not looked at");
	if (counts.cut)
		err_say(ERR_NOTE,
		        "the exectrace around this one ended before: not all was seen that was executed after that");
	if (counts.lost)
		err_say(ERR_VERBOSE,
		        "%lu execs were interrupted or killed before they were seen, %lu of them restarted",
		        counts.lost, counts.rescued);
	say_guests(s);
}

/* To where the first rule that asks for a tree wants it. */
static void print_tree(struct supervisor *s, const struct buf *tree)
{
	cleanup_buf struct buf name = BUF_INIT;
	struct template_values values = {.pid = s->launch.root,
	                                 .comm = "tree",
	                                 .time = clock_wall(),
	                                 .dir = s->dir.path};
	const struct action *action = s->actions;
	int err = 0;

	while (action->kind != ACTION_LOG || action->format != LOG_TREE)
		action++;
	err = action->output ? template_expand(&name, action->output, &values) : 0;
	if (!err)
		err = log_write(&s->log, name.data, tree);
	if (err)
		err_say(ERR_ERROR, "cannot write %s: %s", name.data ? name.data : "the tree", strerror(-err));
}

/* Processes that outlive the command are described as running; one that ended when everything else did may not have
 * been looked at since. */
void supervisor_last_words(struct supervisor *s)
{
	cleanup_buf struct buf tree = BUF_INIT;
	struct job *next = NULL;

	ends_settle(s);
	for (struct job *job = s->jobs; job; job = next) {
		next = job->next;
		job_tick(s, job);
	}
	for (struct job *job = s->jobs; job; job = job->next) {
		job->end = (struct exec_end){.when = clock_now()};
		if (job->state == JOB_WATCHED)
			job_report_end(s, job);
	}
	if (s->log.all && log_tree(&s->log, &tree) == 0 && tree.len) {
		tree.len--; /* log_write ends it */
		print_tree(s, &tree);
	}
	summary(s);
}
