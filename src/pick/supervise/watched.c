/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that are only followed to their end. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/err.h>
#include <sys/resource.h>

/* Its end will not be seen. */
static void is_unwatched(struct supervisor *s, struct job *job)
{
	struct rlimit files = {0};

	(void)getrlimit(RLIMIT_NOFILE, &files);
	if (!s->warned_files)
		err_say(ERR_NOTE, "too few descriptors (ulimit -n %llu): of some processes the end is not known",
		        (unsigned long long)files.rlim_cur);
	s->warned_files = true;
	job->end = (struct exec_end){.ended = true};
	job_report_end(s, job);
	job_set_state(job, JOB_DONE);
}

void job_describe(struct supervisor *s, struct job *job)
{
	int err = job->watch.fd < 0 ? exit_watch_open_spare(&job->watch, job->rec.pid) : 0;

	if (!err)
		ends_follow(s, job);
	if (job->action && job->action->format == LOG_TREE)
		job->node = log_add(&s->log, &job->rec);
	if (job->action)
		job->n = ++s->matches;
	job_set_state(job, JOB_WATCHED);
	if (err == -EMFILE)
		is_unwatched(s, job);
}
