/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said at the end of a run. */
#include "private.h"

#include <exectrace/base/cleanup.h>
#include <exectrace/base/clock.h>
#include <exectrace/base/err.h>
#include <string.h>

static void summary(struct supervisor *s)
{
	cleanup_buf struct buf line = BUF_INIT;
	struct engine_counts counts = engine_counts(s->engine);

	if (!s->commands)
		return; /* the command itself could not be run, and said so */
	(void)buf_printf(&line, "%lu of %lu commands matched", s->matches, s->commands);
	if (!s->matches && !s->config->list)
		(void)nearest_print(&s->nearest, &line);
	err_say(ERR_NOTE, "%s", line.data);
	if (counts.unreadable)
		err_say(ERR_NOTE, "%lu commands could not be read (another user's, or not dumpable)",
		        counts.unreadable);
	if (counts.lost)
		err_say(ERR_VERBOSE,
		        "%lu execs were interrupted or killed before they were seen, %lu of them restarted",
		        counts.lost, counts.rescued);
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
