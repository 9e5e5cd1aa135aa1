/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning of a run: what it needs is in place, or the command is not run. */
#include "private.h"

#include <errno.h>
#include <exectrace/base/cleanup.h>
#include <exectrace/base/err.h>
#include <exectrace/base/fd.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int parse_actions(struct supervisor *s)
{
	int n = ruleset_count(s->config->rules);

	s->actions = calloc((size_t)n + 1, sizeof(*s->actions));
	if (!s->actions)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		cleanup_buf struct buf err = BUF_INIT;
		const char *text = ruleset_action(s->config->rules, i + 1);
		int e = text ? action_parse(text, &s->actions[i], &err) : 0;

		if (e) {
			const char *place = ruleset_place(s->config->rules, i + 1);

			err_say(ERR_ERROR, "%s%s%s", place ? place : "", place ? ": " : "",
			        err.len ? err.data : strerror(-e));
			return e;
		}
	}
	return 0;
}

/* The directory is made when it was asked for, or when an action has nowhere else to write to. */
static int make_output(struct supervisor *s)
{
	cleanup_buf struct buf why = BUF_INIT;
	const char *path = s->config->output;
	int err = 0;

	for (int i = 0; !path && !s->config->list && i < ruleset_count(s->config->rules); i++)
		path = s->actions[i].needs_dir ? RUNDIR_DEFAULT : NULL;
	if (path)
		err = rundir_make(&s->dir, path, &why);
	if (err)
		err_say(ERR_ERROR, "%s", why.len ? why.data : strerror(-err));
	return err;
}

static int prepare(struct supervisor *s)
{
	int err = parse_actions(s);

	if (!err)
		err = make_output(s);
	s->remember = ruleset_wants_ancestors(s->config->rules);
	for (int i = 0; !err && i < ruleset_count(s->config->rules); i++)
		s->remember |= s->actions[i].kind == ACTION_LOG && ruleset_action(s->config->rules, i + 1);
	s->log.color = color_wanted(s->config->color, STDERR_FILENO);
	s->setup.nice = getpriority(PRIO_PROCESS, 0);
	return err;
}

/* What the caller gave us is the command's; a pipe kept open here would keep its reader waiting. Standard error is for
 * messages. */
static int let_go_of_files(struct supervisor *s)
{
	const struct launch *launch = &s->launch;
	int keep[] = {0,
	              1,
	              2,
	              launch->sock,
	              launch->keeper_sock,
	              launch->queue[0],
	              launch->queue[1],
	              launch->wake,
	              launch->orders,
	              s->dir.fd};
	int err = 0;

	fd_close_all_but(keep, sizeof(keep) / sizeof(keep[0]));
	err = fd_null(0, O_RDONLY);
	if (!err)
		err = fd_null(1, O_WRONLY);
	if (!err && fcntl(2, F_GETFD) < 0 && errno == EBADF)
		err = fd_null(2, O_WRONLY);
	return err;
}

/* What can be done where something is short. */
static const char *hint(int err)
{
	if (err == -EMFILE)
		return " (ulimit -n)";
	return err == -EAGAIN ? " (ulimit -u)" : "";
}

static int open_signals(struct supervisor *s)
{
	sigset_t blocked;
	int fd = -1;

	if (sigprocmask(SIG_SETMASK, NULL, &blocked)) /* launch_start blocked them */
		return -errno;
	fd = signalfd(-1, &blocked, SFD_CLOEXEC | SFD_NONBLOCK);
	s->signals = fd < 0 ? -errno : fd_high(fd);
	return s->signals < 0 ? s->signals : 0;
}

static void say_engine(const struct supervisor *s, const struct buf *why)
{
	const char *name = engine_name(s->engine);
	bool traces = strcmp(name, "ptrace") == 0;

	/* Another than the usual one costs more, and some programs fail under it. */
	err_say(why->len ? ERR_NOTE : ERR_VERBOSE, "engine %s%s%s%s", name, why->len ? ": " : "",
	        why->len ? why->data : "",
	        traces ? " (the whole tree is attached: signals and threads cost more, nested tracers fail)" : "");
	if (s->launch.no_new_privs)
		err_say(ERR_VERBOSE, "no_new_privs is set: set-user-id programs run unprivileged");
}

static int start_engine(struct supervisor *s)
{
	cleanup_buf struct buf why = BUF_INIT;
	int err = engine_start(&s->engine, s->config->engine, &s->launch, &why);

	if (err)
		err_say(ERR_ERROR, "cannot watch %s: %s%s", s->launch.root ? "the command" : "processes",
		        why.len ? why.data : strerror(-err), hint(err));
	else
		say_engine(s, &why);
	return err;
}

static int cannot_start(int err, const struct buf *why)
{
	const char *what = why && why->len ? why->data : "";

	/* Where the clause says what is to be done the number of the error adds nothing. */
	if (err == -EXDEV || err == -ENOENT)
		err_say(ERR_ERROR, "cannot start: %s", *what ? what : strerror(-err));
	else
		err_say(ERR_ERROR, "cannot start: %s%s%s%s", what, *what ? ": " : "", strerror(-err), hint(err));
	return err;
}

/* What the run needs beside the engine. */
static int open_all(struct supervisor *s)
{
	int err = let_go_of_files(s);

	if (!err)
		err = open_signals(s);
	if (!err && s->launch.root && !s->launch.behind)
		err = pgrp_probe_start(&s->pgrp_probe);
	if (!err)
		err = terminal_open(&s->terminal);
	if (!err && s->launch.behind)
		err = exit_watch_open(&s->root_watch, s->launch.root); /* while it surely is there */
	if (!err)
		ends_open(s);
	return err ? cannot_start(err, NULL) : 0;
}

/* What was begun must be there, and what looking at processes will need, before the command runs. */
static int check_all(struct supervisor *s)
{
	int err = fd_room(WATCH_LEAVES - LAUNCH_CLOSES);

	if (!err && s->launch.root && !s->launch.behind)
		err = pgrp_probe_ready(&s->pgrp_probe);
	if (!err && poll(NULL, 0, 0) < 0) /* without, no end of a process would ever be seen */
		err = -errno;
	return err ? cannot_start(err, NULL) : 0;
}

static int launch(struct supervisor *s)
{
	cleanup_buf struct buf why = BUF_INIT;
	int err = launch_start(&s->launch, &why);

	s->setup.mask = &s->launch.mask;
	s->setup.chld = &s->launch.chld;
	s->setup.files = &s->launch.files;
	return err ? cannot_start(err, &why) : 0;
}

/* The command is not run. */
static void quit(struct supervisor *s)
{
	launch_quit(&s->launch);
	if (s->engine)
		engine_end(s->engine);
	s->engine = NULL;
	launch_end_child(s->pgrp_probe.pid);
	s->pgrp_probe.pid = 0;
}

int supervisor_start(struct supervisor *s)
{
	int err = prepare(s);

	if (err)
		return err;
	err = launch(s);
	if (!err)
		err = open_all(s);
	if (!err)
		err = start_engine(s);
	if (!err)
		err = check_all(s);
	if (err)
		quit(s);
	return err;
}

int supervisor_go(struct supervisor *s)
{
	int err = running_adopt(s);

	if (!err) {
		err = launch_go(&s->launch);
		if (err)
			(void)cannot_start(err, NULL);
	}
	if (err) {
		running_last_words(s);
		quit(s);
	}
	return err;
}
