/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is changed of a program that stands before its first instruction: another in its place, arguments, variables. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/pick/action/guest.h>
#include <exectrace/pick/action/process.h>
#include <string.h>

/* What its arguments are counted by. 0, or why they could not be read. */
static int arguments_known(const struct job *job)
{
	return !(job->rec.error & EXEC_ARGV) ? 0 : job->rec.refused ? job->rec.refused : -EIO;
}

void job_wrap(struct supervisor *s, struct job *job)
{
	struct template_values values = job_values(s, job);
	cleanup_strv struct strv front = STRV_INIT;
	cleanup_strv struct strv args = STRV_INIT;
	cleanup_buf struct buf exe = BUF_INIT;
	int err = arguments_known(job);

	if (!err)
		err = template_expand_strv(&args, &job->action->args, &values);
	if (!err)
		err = strv_push(&front, job->action->program);
	for (size_t i = 1; i < args.n && !err; i++)
		err = strv_push(&front, args.items[i]);
	if (!err)
		err = engine_program(job->tracee, &job->rec, &exe);
	if (!err)
		err = strv_push(&front, exe.data);
	if (err) {
		err_say(ERR_ERROR, "[%d] cannot be wrapped: %s", (int)job->rec.pid, strerror(-err));
		engine_let_go(s->engine, job->tracee);
		job_set_free(s, job);
		return;
	}
	job->wrapped = true;
	job_set_state(job, JOB_WRAPPING);
	engine_wrap(s->engine, job->tracee, &front, job->rec.argv.n ? job->rec.argv.n - 1 : 0);
}

/* A QEMU whose guest is traced is handed to a tool as well: by a job of its own under the same number. */
static void hand_on(struct supervisor *s, struct job *job)
{
	const struct verdict verdict = {.rule = job->rule};
	struct job *host = job->action->host ? job_new(s, &verdict, &job->rec) : NULL;
	int err = host ? exit_watch_open(&host->watch, host->rec.pid) : 0;

	if (err) {
		err_say(ERR_ERROR, "[%d] cannot be handed to %s: %s", (int)host->rec.pid, job->action->host->name,
		        strerror(-err));
		job_free(s, host);
	}
	if (!host || err) {
		engine_let_go(s->engine, job->tracee);
		return;
	}
	ends_follow(s, host);
	host->action = job->action->host;
	host->n = job->n;
	host->tracee = job->tracee;
	host->tracee->user = host;
	job_set_state(host, JOB_PARKING);
	engine_park(s->engine, host->tracee);
}

/* QEMU may be another user, to whom the directory is closed. False: its guest is not traced, and we say so. */
static bool may_record(const struct job *job, const struct template_values *values)
{
	cleanup_buf struct buf path = BUF_INIT;
	int err = guest_output(job->action, values, &path);

	if (!err)
		err = process_create_access(job->rec.tid, path.data);
	if (!err || err == -ENOMEM)
		return true;
	err_say(ERR_ERROR, "[%d] may not make %s: %s: its guest is not traced; guest --output writes elsewhere",
	        (int)job->rec.pid, path.len ? path.data : job->action->output, strerror(-err));
	return false;
}

void job_edit(struct supervisor *s, struct job *job)
{
	struct template_values values = job_values(s, job);
	struct engine_edit edited = {.keep = SIZE_MAX, .args = STRV_INIT, .env = STRV_INIT};
	int err = job->action->kind == ACTION_GUEST ? arguments_known(job) : 0;

	if (job->action->kind == ACTION_GUEST && !err)
		err = guest_args(job->action, &values, &job->rec.argv, &edited.keep, &edited.args);
	else if (!err)
		err = template_expand_strv(&edited.args, &job->action->args, &values);
	if (!err)
		err = template_expand_strv(&edited.env, &job->action->env, &values);
	if (!err && (job->action->kind != ACTION_GUEST || may_record(job, &values)))
		err = engine_edit(job->tracee, &edited);
	hand_on(s, job);
	if (err)
		err_say(ERR_ERROR, "[%d] runs unchanged: %s", (int)job->rec.pid, strerror(-err));
	strv_release(&edited.args);
	strv_release(&edited.env);
	job_set_free(s, job);
}
