/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why_running.h"

#include <errno.h>
#include <exectrace/answer/output/output.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/exit_status.h>
#include <exectrace/base/strv.h>
#include <exectrace/pick/run/rundir.h>
#include <exectrace/record/trace/trace.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

/* A recording of an earlier run is not to be moved for nothing. */
static int check_pids(const struct run_config *config, struct buf *err)
{
	for (size_t i = 0; i < config->n_pids; i++) {
		if (kill(config->pids[i], 0) && errno == ESRCH)
			return buf_printf(err, "cannot attach to process %d: %s", (int)config->pids[i], strerror(ESRCH))
			               ? -ENOMEM
			               : -EINVAL;
	}
	return 0;
}

static void say_refused(pid_t pid, int err)
{
	err_say(ERR_ERROR, "cannot attach to process %d: %s", (int)pid, strerror(-err));
}

/* Adds NAME<n>BEHIND. 0 or -ENOMEM. */
static int add_number(struct strv *words, const char *name, int n, const char *behind)
{
	cleanup_buf struct buf word = BUF_INIT;
	int r = buf_printf(&word, "%s%d%s", name, n, behind);

	return r ? r : strv_push(words, word.data);
}

/* The options of the tracer. 0 or -errno. */
static int options_of(struct trace_options *options, const struct run_config *config, int directory, struct buf *err)
{
	struct strv words = STRV_INIT;
	int r = strv_push(&words, TRACE_PROGRAM);

	if (!r)
		r = strv_push(&words, "--for=why");
	if (!r)
		r = strv_push(&words, "--format=data");
	if (!r)
		r = strv_push(&words, "--below");
	if (!r)
		r = add_number(&words, "--directory=", directory, "");
	if (!r)
		r = add_number(&words, "--output=trace-1-", (int)config->pids[0], ".xtr");
	for (size_t i = 0; i < config->n_pids && !r; i++)
		r = add_number(&words, "--pid=", (int)config->pids[i], "");
	if (!r)
		r = trace_options_parse(options, words.items, 1, err);
	strv_release(&words);
	return r;
}

static int record(const struct run_config *config, struct rundir *dir, struct buf *err)
{
	static char *no_command[] = {NULL};
	static const struct strv nothing = STRV_INIT;
	static const struct exec_end unknown;
	struct stops_why why = {.refuses = say_refused};
	struct trace_options options;
	int own = fcntl(dir->fd, F_DUPFD_CLOEXEC, 3), last; /* the tracer closes it */
	int r = own < 0 ? -errno : options_of(&options, config, own, err);

	if (r)
		return r;
	r = rundir_begin(dir, "ptrace", no_command, &nothing);
	if (!r) {
		err_say(ERR_NOTE, "recording what process %d does, and all below it, until they have ended, or Ctrl-C",
		        (int)config->pids[0]);
		r = trace_run(&options, &why, err);
		last = rundir_end(dir, &unknown);
		r = r ? r : last;
	}
	trace_options_release(&options);
	return r;
}

int why_running(const struct run_config *config)
{
	cleanup_buf struct buf err = BUF_INIT;
	struct rundir dir;
	int r = check_pids(config, &err);

	if (!r)
		r = rundir_make(&dir, config->output ? config->output : RUNDIR_DEFAULT, &err);
	if (r)
		return output_error(&err, r);
	r = record(config, &dir, &err);
	rundir_release(&dir);
	if (r) {
		if (!err.len)
			(void)buf_puts(&err, strerror(-r));
		return output_error(&err, -EINVAL);
	}
	if (config->recorded)
		config->recorded(config);
	return 0;
}
